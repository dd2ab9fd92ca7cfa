package session

import "midwire/session/wire"

// A client of versions with a handshake may name its session in _meta.session_id, on any
// transport. That is no id of MCP's: one that is issued goes before it.

const (
	metaSessionID = "session_id"
	whyMeta       = "_meta " + metaSessionID
	maxMetaID     = 1 << 10 // bytes: it stays in memory
)

// sessionID is the session that a message names, "" for none.
func (m *meta) sessionID() string {
	if string(m.keyName) != metaSessionID || len(m.key) > maxMetaID {
		return ""
	}
	return wire.Plain(m.key)
}

// metaID gives a session without an id the one that a message of it names, and reports whether
// the session has that id now.
func (t *Tracker) metaID(g *group, m *meta) bool {
	id := m.sessionID()
	if id == "" || g.Modern || g.ID != "" {
		return id != "" && g.ID == id
	}
	t.setID(g, id, IDMeta)
	g.Why = whyMeta
	return true
}

// ofMeta is the session of a request that names it in _meta at most: the one that was named so
// before; else the nearest, unless that has another name. Several names in one session with a
// handshake share it, as they share its server.
func (t *Tracker) ofMeta(ex *exchange, m *meta) *group {
	id := m.sessionID()
	if id == "" {
		return t.nearest(ex)
	}
	if g := t.byID(ex.place, []byte(id)); g != nil && g.State != StateClosed {
		return g
	}
	g := t.nearest(ex)
	if t.metaID(g, m) || g.IDSource != IDMeta {
		return g
	}
	other := t.latestGroup(ex, func(g *group) bool { return g.ID == "" })
	if other == nil && g.life.inits == 0 {
		other = t.newHTTP(ex, TransportHTTP, "")
	}
	if other == nil {
		return g
	}
	t.metaID(other, m)
	return other
}
