package run

import (
	"cmp"
	"fmt"

	"midwire/replay"
	"midwire/session"
	"midwire/session/jsonpath"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// handshakeID is the id of the handshake that a run makes itself.
const handshakeID = `"midwire-replay"`

// handshake makes the handshake that the recording does not hold. A server that
// refuses it may still do without.
func (r *run) handshake(c *connection, s *replay.Session) {
	c.handshaken = true
	version := cmp.Or(s.ProtocolVersion, mcp.V20250618)
	if c.era == eraLegacy {
		version = mcp.LastHandshake
	}
	quote := func(text string) []byte { return jsonpath.Quote(nil, text) }
	body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"initialize","params":{"protocolVersion":%s,`+
		`"capabilities":{"roots":{},"sampling":{},"elicitation":{}},"clientInfo":{"name":%s,"version":%s}}}`,
		handshakeID, quote(string(version)), quote(cmp.Or(s.Client.Name, "midwire replay")), quote(cmp.Or(s.Client.Version, "0")))
	m := r.exchangeOwn(c, handshakeID, outgoing{step: -1, payload: body})
	if m == nil || m.Kind != wire.MsgResult {
		r.AddProblem(int32(s.Index), "the server refused the handshake made for it")
		return
	}
	c.version = mcp.Version(wire.Text(wire.Get(m.Result, "protocolVersion")))
	before := c.heads
	r.send(c, outgoing{step: -1, payload: []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)})
	if r.opt.URL != nil { // over HTTP the next request could overtake it
		r.await(r.opt.Timeout, func() bool { return c.heads > before || c.lost != "" })
	}
	if s.Transport != session.TransportHTTP {
		r.listen(c, 0)
	}
}

// exchangeOwn sends a request of the run's own, which has that id, and returns
// the response, nil for none.
func (r *run) exchangeOwn(c *connection, id string, o outgoing) *wire.Message {
	c.own[id] = nil
	r.send(c, o)
	r.await(r.opt.Timeout, func() bool { return c.own[id] != nil || c.lost != "" })
	return c.own[id]
}
