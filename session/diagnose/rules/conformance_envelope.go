package rules

import (
	"bytes"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var envelopeConformance = []*diagnose.Rule{
	{ID: "session-leftovers", On: diagnose.HTTPResponses | diagnose.SSE, Check: func(c *diagnose.Case) {
		x := c.Exchange
		if c.Facts == nil || !c.Facts.ServesModern || c.Row < 0 {
			return
		}
		if x.Calls == 0 {
			plainLeftover(c)
			return
		}
		if !c.Tracker().Row(int(c.Row)).Modern {
			return
		}
		what, value := "", ""
		switch {
		case c.SSE.HasID && c.SSE.ID != "" && x.Events > 0:
			what, value = "an event id", c.SSE.ID
		case c.SSE.Retry != "" && x.Events > 0:
			what, value = "retry", c.SSE.Retry
		case x.Events == 0 && x.Status < 300 && x.ResponseHeader(mcp.HeaderSessionID) != "":
			what, value = "a session id", x.ResponseHeader(mcp.HeaderSessionID)
		default:
			return
		}
		c.Found("member", what, fill{"what": what, "value": value}, c.N, uint64(x.RequestN))
	}},
	{ID: "envelope-incomplete", On: diagnose.Requests, Check: func(c *diagnose.Case) {
		meta := c.Call.Meta
		if c.Dir != wire.ToServer || c.Session.Transport == session.TransportSSE {
			return
		}
		if !c.Modern && !c.IsModern() && c.Facts.Negotiated() && len(meta) < 60 {
			return // too short to hold a part of the envelope
		}
		whole := c.Modern && c.Call.Version != "" && len(c.Call.Caps) > 0 && c.Call.Caps[0] == '{'
		if whole && wire.Get(meta, mcp.MetaClientInfo) != nil || !c.Modern && !claimsModern(c, meta) {
			return
		}
		var missing []string
		if text(wire.Get(meta, mcp.MetaProtocolVersion)) == "" {
			missing = append(missing, "protocolVersion")
		}
		if caps := wire.Get(meta, mcp.MetaClientCapabilities); len(caps) == 0 || caps[0] != '{' {
			missing = append(missing, "clientCapabilities")
		}
		switch {
		case missing != nil:
			list := strings.Join(missing, " and ")
			c.Found("", list, fill{"missing": list})
		case wire.Get(meta, mcp.MetaClientInfo) == nil: // it is for display only
			c.ReportAs("clientInfo", diagnose.Finding{Severity: diagnose.Note, Says: "nameless"})
		}
	}},
	{
		ID: "request-state-wrong", On: diagnose.Requests | diagnose.Results,
		Methods: []string{mcp.ToolsCall, mcp.PromptsGet, mcp.ResourcesRead},
		Check: func(c *diagnose.Case) {
			switch {
			case c.Call == nil || !c.Call.Modern:
			case c.Message.Kind == wire.MsgRequest:
				if state := c.Param("requestState"); state != nil || c.Param("inputResponses") != nil {
					checkState(c, diagnose.State[rounds](c), state)
				}
			case resultType(c) == "input_required":
				diagnose.State[rounds](c).note(c)
			}
		},
	},
	{ID: "log-unrequested", On: diagnose.Messages | diagnose.Settled, Check: checkLog},
	{
		ID: "header-value-encoding", On: diagnose.ModernRequests,
		Methods: []string{
			mcp.ToolsCall, mcp.PromptsGet, mcp.ResourcesRead, mcp.TasksGet, mcp.TasksUpdate, mcp.TasksCancel,
		},
		Check: func(c *diagnose.Case) {
			if !modernPost(c) || !isEncoded(c.Exchange.RequestHead) {
				return
			}
			if param := mcp.NameParam(c.Call.Method); param != "" {
				badValue(c, mcp.HeaderName, c.Exchange.Header(mcp.HeaderName), text(c.Param(param)))
			}
			for line := range strings.Lines(string(c.Exchange.RequestHead)) {
				if name, value, ok := strings.Cut(line, ":"); ok && words.HasPrefix(name, mcp.HeaderParamPrefix) {
					badValue(c, name, strings.Trim(value, " \t\r\n"), "")
				}
			}
		},
	},
}

// plainLeftover looks at the response to a GET or DELETE of 2026-07-28.
func plainLeftover(c *diagnose.Case) {
	x := c.Exchange
	refused := x.Status == 405 || x.Status >= 500 || x.Status == 401 || x.Status == 403 || x.Status == 429
	if c.Kind == responseKind && (x.Verb == "GET" || x.Verb == "DELETE") && !refused &&
		mcp.Version(x.Header(mcp.HeaderVersion)).IsModern() {
		c.Found("status", x.Verb, fill{"verb": x.Verb, "status": x.Status}, c.N, uint64(x.RequestN))
	}
}

// claimsModern says whether a request without a protocolVersion in its body is
// of 2026-07-28 anyway.
func claimsModern(c *diagnose.Case, meta []byte) bool {
	switch c.Call.Method {
	case mcp.Discover, mcp.Listen:
		return true
	case mcp.Initialize, mcp.Ping:
		return false
	}
	if c.Exchange != nil && mcp.Version(c.Exchange.Header(mcp.HeaderVersion)).IsModern() {
		return !c.Facts.Negotiated()
	}
	return meta != nil && (wire.Get(meta, mcp.MetaClientCapabilities) != nil ||
		wire.Get(meta, mcp.MetaClientInfo) != nil)
}

// checkState compares the state of a retry with what was given. Where it is not
// sure which response the request continues, any that fits will do.
func checkState(c *diagnose.Case, s *rounds, state []byte) {
	var nearest *round
	for i := len(s.open) - 1; i >= 0; i-- {
		switch n := &s.open[i]; {
		case state != nil && n.hasState && n.state == text(state):
			return
		case !n.continues(c):
		case state == nil && !n.hasState:
			return
		case nearest == nil:
			nearest = n
		}
	}
	if nearest == nil || s.lost || c.Blind() {
		return
	}
	says := "invented"
	switch {
	case state == nil:
		says = "missing"
	case nearest.hasState:
		says = "other"
	}
	c.Found(says, says, fill{"asked": nearest.n}, c.N, nearest.n)
}

// logging is the requests on stdio that asked for log messages: there a message
// does not say which of them it is for.
type logging struct{ rows []int32 }

const maxLogging = 256

func checkLog(c *diagnose.Case) {
	if c.Call != nil { // a request that began or ended
		m := diagnose.Memory[logging](c)
		switch i := slices.Index(m.rows, c.Call.Row); {
		case c.Call.LogLevel == "" || c.Call.X != 0:
		case i >= 0:
			m.rows = slices.Delete(m.rows, i, i+1)
		case len(m.rows) < maxLogging && c.Kind == session.EventMessage && c.Message.Kind == wire.MsgRequest:
			m.rows = append(m.rows, c.Call.Row)
		}
		return
	}
	if string(c.Message.Method) != mcp.NotifyMessage || c.Dir != wire.ToClient || c.Blind() {
		return
	}
	call := c.Parent
	switch {
	case c.Exchange == nil && (call == nil || call.Method != mcp.Listen):
		if len(diagnose.Memory[logging](c).rows) == 0 {
			c.Found("none", "none", nil)
		}
	case call == nil || !call.Modern:
	case call.Method == mcp.Listen:
		c.Found("listen", "listen", fill{"parent": call.N})
	case call.LogLevel == "":
		c.Found("unasked", "unasked", fill{"for": call.Method, "parent": call.N})
	default:
		level := text(c.Param("level"))
		if at := slices.Index(logLevels, level); at >= 0 && at < slices.Index(logLevels, call.LogLevel) {
			c.ReportAs("below", diagnose.Finding{
				Severity: diagnose.Note, Frames: []uint64{c.N, call.N},
				Says: "below", With: fill{"level": level, "least": call.LogLevel, "parent": call.N},
			})
		}
	}
}

var logLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// isEncoded says whether a head may hold a value in base64, or one that should
// be.
func isEncoded(head []byte) bool {
	for i, b := range head {
		if b >= 0x7f || b < 0x20 && b != '\r' && b != '\n' && b != '\t' ||
			b == '=' && i+1 < len(head) && head[i+1] == '?' {
			return true
		}
	}
	return false
}

// badValue reports a header that holds what it cannot hold. body is what it
// repeats, "" when that is not known.
func badValue(c *diagnose.Case, name, value, body string) {
	_, ok := mcp.DecodeHeader(value)
	raw := strings.IndexFunc(value, func(r rune) bool { return r < 0x20 && r != '\t' || r > 0x7e }) >= 0
	says := ""
	switch {
	case raw:
		says = "raw"
	case !ok && value != body:
		says = "broken"
	case value == body && strings.HasPrefix(value, mcp.EncodedPrefix) && mcp.NeedsEncoding(body):
		says = "ambiguous"
	default:
		return
	}
	c.Found(says, name, fill{"header": name, "value": value})
}

// round is a response that asked for input and was not come back to yet.
type round struct {
	n, askedN uint64 // frames of the response, and of the request
	id        string // of the request
	method    string
	target    string
	args      []byte
	keys      [][]byte // of inputRequests
	conn      uint32   // 0 on stdio
	state     string   // decoded
	hasState  bool
}

// rounds are the latest of a session.
type rounds struct {
	open []round
	lost bool // there were more than are kept
}

const (
	maxRounds    = 64
	maxRoundArgs = 64 << 10
)

// note remembers a response that asks for input.
func (r *rounds) note(c *diagnose.Case) {
	if len(r.open) >= maxRounds {
		r.open, r.lost = append(r.open[:0], r.open[1:]...), true
	}
	n := round{n: c.N, askedN: c.Call.N, id: c.Call.ID, method: c.Call.Method, target: c.Call.Target, conn: c.Call.Conn}
	if args := wire.Get(c.Call.Params, "arguments"); len(args) <= maxRoundArgs {
		n.args = args
	}
	wire.Each(c.Result("inputRequests"), func(key, _ []byte) bool {
		n.keys = append(n.keys, append([]byte(nil), key...))
		return len(n.keys) < 64
	})
	if raw := c.Result("requestState"); raw != nil {
		n.state, n.hasState = text(raw), true
	}
	r.open = append(r.open, n)
}

// continues says whether a request may be the retry that a round asked for: the
// same method, target and arguments, with responses to what was asked.
func (n *round) continues(c *diagnose.Case) bool {
	if n.method != c.Call.Method || n.target != c.Call.Target {
		return false
	}
	if args := wire.Get(c.Call.Params, "arguments"); n.args != nil && !bytes.Equal(args, n.args) {
		return false
	}
	known := true
	wire.Each(c.Param("inputResponses"), func(key, _ []byte) bool {
		known = false
		for _, k := range n.keys {
			known = known || bytes.Equal(k, key)
		}
		return known
	})
	return known
}
