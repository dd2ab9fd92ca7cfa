package session

import (
	"bytes"
	"cmp"
	"strings"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// IsProbeID says whether an id, as JSON, is one with which the TypeScript SDK asks for the
// versions of a server, before it starts it to stay.
func IsProbeID(id string) bool { return strings.HasPrefix(id, `"server-discover-probe-`) }

// modernRequest follows a request of protocol version 2026-07-28, which carries on its
// own what a handshake used to settle (basic/index: _meta).
func (t *Tracker) modernRequest(g *group, ex *exchange, m *wire.Message, mt *meta) {
	l := &g.life
	g.modernCalls++
	if mt.version != "" {
		g.ProtocolVersion = mt.version
	}
	if g.Client.Name == "" && len(mt.client) > 0 {
		g.Client = ReadPeer(mt.client)
	}
	if string(m.Method) == mcp.Discover {
		g.discovers++
		t.discovering(g)
	}
	g.Probe = g.modernCalls == g.discovers && (g.Probe || IsProbeID(string(m.ID)))
	l.metaAll++
	if mt.complete {
		l.metaGood++
	} else if !l.metaBad.set() {
		l.metaBad = t.mark()
	}
	if ex == nil {
		return
	}
	l.headAll++
	if !t.headersMatch(ex, m, mt) {
		ex.facts.Contradicts = true
		l.headBad++
		if !l.headBadAt.set() {
			l.headBadAt = t.mark()
		}
	}
	if ex.hasID && !l.idSeen.set() {
		l.idSeen = t.mark()
	}
}

// modernOnOld follows a request of 2026-07-28 on a transport of older ones, as
// some clients send them over HTTP+SSE when the server's response to discover
// lets them: no handshake will come.
func (t *Tracker) modernOnOld(g *group, mt *meta) {
	g.ProtocolVersion = cmp.Or(g.ProtocolVersion, mt.version)
	if g.Client.Name == "" && len(mt.client) > 0 {
		g.Client = ReadPeer(mt.client)
	}
	if g.State == StateNew {
		g.State = StateOperating
		g.life.operating = t.mark()
	}
}

// headersMatch compares the headers that repeat parts of the body with the
// body (2026-07-28, basic/transports: Standard Headers).
func (t *Tracker) headersMatch(ex *exchange, m *wire.Message, mt *meta) bool {
	if mcp.Version(t.Name(ex.version)) != mt.version || ex.mcpMethod != wire.Hash(m.Method) {
		return false
	}
	key := mcp.NameParam(string(m.Method))
	if key == "" {
		return true
	}
	raw := wire.Get(m.Params, key)
	if len(raw) < 2 || raw[0] != '"' {
		return true // the body is at fault, not the header
	}
	if bytes.IndexByte(raw, '\\') >= 0 {
		return ex.mcpName == wire.Hash([]byte(wire.Text(raw)))
	}
	return ex.mcpName == wire.Hash(raw[1:len(raw)-1])
}

// modernResult follows a result of protocol version 2026-07-28.
func (t *Tracker) modernResult(g *group, row int32, r *Row, m *wire.Message) {
	if g.Server.Name == "" && g.looked < 8 {
		g.looked++
		g.Server = ReadPeer(wire.Get(m.Result, "_meta", mcp.MetaServerInfo))
	}
	if !bytes.Contains(m.Result, []byte(`"input_required"`)) ||
		string(wire.Get(m.Result, "resultType")) != `"input_required"` {
		return
	}
	if len(g.rounds) >= maxRemembered {
		g.rounds = append(g.rounds[:0], g.rounds[1:]...)
	}
	n := round{row: row, name: r.Name}
	if state := wire.Get(m.Result, "requestState"); state != nil {
		n.state = wire.Hash(state)
	}
	g.rounds = append(g.rounds, n)
}

// nextRound finds the call that a request of 2026-07-28 continues, -1 for
// none: the client asks again under a new id with what the server had asked
// for (basic/patterns: Multi Round-Trip Requests).
func (t *Tracker) nextRound(g *group, m *wire.Message) int32 {
	if len(g.rounds) == 0 {
		return -1
	}
	state := wire.Get(m.Params, "requestState")
	if state == nil && wire.Get(m.Params, "inputResponses") == nil {
		return -1
	}
	for i := len(g.rounds) - 1; i >= 0; i-- {
		n := g.rounds[i]
		if state != nil && n.state != wire.Hash(state) || state == nil && n.state != 0 ||
			t.Name(n.name) != string(m.Method) {
			continue
		}
		g.rounds = append(g.rounds[:i], g.rounds[i+1:]...)
		if first := t.rows.row(int(n.row)).Parent; first >= 0 {
			return first
		}
		return n.row
	}
	return -1
}
