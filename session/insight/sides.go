package insight

import (
	"cmp"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Side is a client's or server's self-description.
type Side struct {
	Name, Title, Version string
	ProtocolVersion      string // requested by the client, chosen by the server
	Supported            string // revisions a server says that it speaks, "" when it did not say
	Instructions         string // of a server, as far as they are kept
	N                    uint64 // frame that declares the capabilities, 0 for none
	Info                 uint64 // frame that says the name
	Caps                 []byte // raw JSON, nil when none were declared, or when they are too long
}

// Sides is what both sides of a session say that they can do, and what of it
// they use.
type Sides struct {
	Session        int
	Modern         bool // 2026-07-28: every request says it again
	Client, Server Side
	Refused        uint64 // frame that refused initialize or server/discover
	Requests       int    // of the client
	Envelopes      int    // requests with the envelope of 2026-07-28
	Traced         int    // requests with a traceparent
	Capabilities   []Capability
}

// sides is what is gathered for Sides.
type sides struct {
	Sides
	accepted bool // the server has said what it can do in response to initialize
	uses     map[use]*used
}

// use is something that one side did: a method, with what else matters of it
// behind a number sign.
type use struct {
	dir  wire.Dir
	what string
}

type used struct {
	n     int
	first uint64
}

const (
	maxSides        = 5000 // sessions whose capabilities are kept
	maxUses         = 256
	maxCaps         = 64 << 10
	maxInstructions = 4 << 10
)

// side is what is gathered of the session in hand.
func (b *Book) side(e *session.Event) *sides {
	i := sessionOf(e)
	s := b.sides[i]
	if s == nil {
		s = &sides{Sides: Sides{Session: i}, uses: map[use]*used{}}
		if len(b.sides) < maxSides {
			b.sides[i] = s
		}
	}
	return s
}

func (s *sides) use(d wire.Dir, what string, n uint64) {
	k := use{d, what}
	u := s.uses[k]
	if u == nil {
		if len(s.uses) >= maxUses {
			return
		}
		u = &used{first: n}
		s.uses[k] = u
	}
	u.n++
}

// request takes a request of either side.
func (s *sides) request(e *session.Event) {
	m := &e.Message
	method := clip(string(m.Method), 100)
	s.use(e.Dir, method, e.N)
	for _, extra := range extras(method, m.Params) {
		s.use(e.Dir, method+"#"+extra, e.N)
	}
	if e.Dir != wire.ToServer {
		return
	}
	s.Requests++
	switch {
	case method == mcp.Initialize:
		s.Client.N, s.Client.Info = e.N, e.N
		s.Client.ProtocolVersion = text(m.Params, 40, "protocolVersion")
		s.Client.call(wire.Get(m.Params, "clientInfo"))
		s.Client.Caps = keep(wire.Get(m.Params, "capabilities"))
	case e.Modern:
		s.envelope(e, wire.Get(m.Params, "_meta"))
	}
}

// envelope takes what a request of 2026-07-28 says of its client.
func (s *sides) envelope(e *session.Event, meta []byte) {
	s.Modern = true
	s.Envelopes++
	wire.Each(meta, func(key, value []byte) bool {
		switch string(key) {
		case mcp.MetaProtocolVersion:
			s.Client.ProtocolVersion = clip(wire.Said(value), 40)
		case mcp.MetaClientInfo:
			s.Client.call(value)
			s.Client.Info = e.N
		case mcp.MetaClientCapabilities:
			// What is declared with any request counts; the largest is kept.
			if len(value) > len(s.Client.Caps) {
				s.Client.Caps, s.Client.N = keep(value), e.N
			}
		case mcp.MetaLogLevel:
			s.use(wire.ToServer, "_meta#logLevel", e.N)
		case mcp.MetaTraceParent:
			s.Traced++
		}
		return true
	})
	s.Client.N = cmp.Or(s.Client.N, e.N)
}

// response takes the response to a request of either side.
func (s *sides) response(c *call, e *session.Event) {
	m := &e.Message
	if !c.client {
		return
	}
	hello := c.method == mcp.Initialize || c.method == mcp.Discover
	if m.Kind == wire.MsgError {
		if hello && !s.accepted {
			s.Refused = e.N
		}
		return
	}
	if info := wire.Get(m.Result, "_meta", mcp.MetaServerInfo); info != nil {
		s.Server.call(info)
		s.Server.Info = e.N
	}
	if string(wire.Get(m.Result, "resultType")) == `"input_required"` {
		wire.Each(wire.Get(m.Result, "inputRequests"), func(_, v []byte) bool {
			method := text(v, 100, "method")
			s.use(wire.ToClient, method, e.N)
			for _, extra := range extras(method, wire.Get(v, "params")) {
				s.use(wire.ToClient, method+"#"+extra, e.N)
			}
			return true
		})
	}
	if !hello {
		return
	}
	s.accepted, s.Refused = true, 0
	s.Server.N = e.N
	s.Server.Caps = keep(wire.Get(m.Result, "capabilities"))
	s.Server.Instructions = text(m.Result, maxInstructions, "instructions")
	if c.method == mcp.Initialize {
		s.Server.Info = e.N
		s.Server.ProtocolVersion = text(m.Result, 40, "protocolVersion")
		s.Server.call(wire.Get(m.Result, "serverInfo"))
		return
	}
	s.Server.Supported = ""
	wire.Items(wire.Get(m.Result, "supportedVersions"), func(i int, v []byte) bool {
		if i > 0 {
			s.Server.Supported += ", "
		}
		s.Server.Supported += clip(wire.Said(v), 40)
		return i < 10
	})
}

// call reads what a peer calls itself.
func (d *Side) call(info []byte) {
	if info == nil {
		return
	}
	d.Name, d.Title, d.Version = text(info, 100, "name"), text(info, 100, "title"), text(info, 60, "version")
}

// extras are the parts of a request that its own capability stands for.
func extras(method string, params []byte) []string {
	var out []string
	has := func(name string) bool { return wire.Get(params, name) != nil }
	switch method {
	case mcp.SamplingCreateMessage:
		if has("tools") {
			out = append(out, "tools")
		}
		if c := text(params, 40, "includeContext"); c != "" && c != "none" {
			out = append(out, "context")
		}
	case mcp.ElicitationCreate:
		if text(params, 20, "mode") == "url" {
			out = append(out, "url")
		} else {
			out = append(out, "form")
		}
	}
	if has("task") {
		out = append(out, "task")
	}
	return out
}

func text(raw []byte, n int, path ...string) string {
	return clip(wire.Said(wire.Get(raw, path...)), n)
}

// keep copies raw JSON of a peer, unless it is too long.
func keep(raw []byte) []byte {
	if len(raw) > maxCaps {
		return nil
	}
	return append([]byte(nil), raw...)
}
