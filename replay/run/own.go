package run

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	"midwire/replay"
	"midwire/session"
	"midwire/session/jsonpath"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// closes reports whether a step cancels a call over HTTP in 2026-07-28: then the stream of the
// call is closed, and nothing is sent.
func (r *run) closes(c *connection, i int32) bool {
	s := &r.Script.Steps[i]
	if s.Cancels < 0 || r.opt.URL == nil || !r.Script.Sessions[s.Session].Modern {
		return false
	}
	c.peer.leave(r.Script.Calls[s.Cancels].Step)
	if _, ok := r.pending[s.Cancels]; ok {
		r.endCall(s.Cancels, replay.NoResponse(replay.Cancelled))
	}
	return true
}

// envelopeOf is the metadata of 2026-07-28 that a request has.
func envelopeOf(payload []byte) map[string]any {
	params, _ := replay.Object(payload)["params"].(map[string]any)
	meta, _ := params["_meta"].(map[string]any)
	maps.DeleteFunc(meta, func(key string, _ any) bool { return !strings.HasPrefix(key, mcp.MetaPrefix) })
	return meta
}

// handshakeID is the id of the handshake that a run makes itself.
const handshakeID = `"midwire-replay"`

// handshake makes the handshake that the recording does not hold. A server that
// refuses it may still do without.
func (r *run) handshake(c *connection, s *replay.Session) {
	c.handshaken = true
	version := cmp.Or(s.ProtocolVersion, mcp.V20250618)
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
