package session

import (
	"encoding/binary"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// group is a session with what only the tracker needs to know of it.
type group struct {
	Session
	scope *scope
	life  life
	dirty bool

	place    uint32 // name of the endpoint, as exchange has it, 0 on stdio
	client   uint64 // who the client is, by its headers; 0 on stdio
	keys     []string
	strength int // of the key a modern conversation is grouped by

	modernCalls, discovers, modernFailed int
	looked                               int // results searched for serverInfo
	rounds                               []round
	detached                             []detached
}

// round is a call that got its response "input required" (2026-07-28 6.6); the
// client may ask again with what was missing.
type round struct {
	row   int32
	name  uint32
	state uint64 // hash of requestState, 0 when there was none
}

// detached is a call whose stream ended before its response and may be resumed
// (2025-11-25, basic/transports: Resumability and Redelivery).
type detached struct {
	event string
	row   int32
}

const maxRemembered = 256 // rounds and detached streams per session

// probing says that nothing was done here that a client does not also do to
// find out which era the server speaks (2026-07-28
// basic/lifecycle).
func (g *group) probing() bool {
	return g.Modern && g.modernCalls > 0 && g.modernCalls == g.discovers+g.modernFailed
}

// directory finds the session of an HTTP message.
type directory struct {
	ids       map[string]int32  // path and Mcp-Session-Id
	endpoints map[string]int32  // what identifies an HTTP+SSE session in a request target
	clients   map[uint64]int32  // latest session with a handshake of a client, by path and headers
	agents    map[uint64]int32  // latest session of a client, by headers, for what is no MCP message
	talks     map[string]int32  // conversations without sessions
	paths     map[uint32]bool   // where JSON-RPC was seen
	leads     map[uint32]uint32 // where a redirect of a message leads: the place that it comes from
}

// newGroup begins a session.
func (t *Tracker) newGroup(tr Transport, why string) *group {
	if len(t.groups) > maxSessions {
		g := t.groups[maxSessions]
		t.touch(g)
		return g
	}
	g := &group{scope: &scope{}}
	g.Index, g.Transport, g.Why = len(t.groups), tr, why
	g.Started, g.Last = t.f.T, t.f.T
	g.More = g.Index == maxSessions
	t.groups = append(t.groups, g)
	t.list = append(t.list, &g.Session)
	t.touch(g)
	return g
}

// idKey makes the key of a session id: the same value at another endpoint is
// another session. The result is valid until the next key is made.
func (t *Tracker) idKey(path uint32, id []byte) []byte {
	t.buf = binary.LittleEndian.AppendUint32(t.buf[:0], path)
	t.buf = append(t.buf, id...)
	return t.buf
}

// setID gives a session its id and makes it findable by it.
func (t *Tracker) setID(g *group, id string, source IDSource) {
	g.ID, g.IDSource, g.Why = id, source, whyHeader
	found(t.dir.ids, string(t.idKey(g.place, []byte(id))), g)
	t.markDirty(g)
}

// byID finds a session by its id.
func (t *Tracker) byID(path uint32, id []byte) *group {
	if i, ok := t.dir.ids[string(t.idKey(path, id))]; ok {
		return t.groups[i]
	}
	return nil
}

// process is the server of a stdio recording.
type process struct {
	scope   *scope
	primary int32 // the session of whatever belongs to the process itself; -1 before the first frame
	legacy  int32 // the session with a handshake, -1 for none
	latest  int32 // the session of the latest message
	partial [2]pieces
	first   int // index of the first session that may be of it
}

func noProcess() process {
	return process{scope: &scope{}, primary: -1, legacy: -1, latest: -1}
}

const whyProcess = "process run"

// home is the session of what belongs to the process itself.
func (t *Tracker) home() *group {
	p := &t.process
	if p.primary < 0 {
		g := t.newGroup(TransportStdio, whyProcess)
		g.scope = p.scope
		g.life.begin = mark{0, t.f.T}
		p.primary, p.latest = int32(g.Index), int32(g.Index)
	}
	return t.groups[p.primary]
}

// legacyProcess is the session of a message with the handshake of protocol versions
// up to 2025-11-25. A probe that came before it in the same process belongs to
// it.
func (t *Tracker) legacyProcess() *group {
	p := &t.process
	if p.legacy >= 0 {
		return t.groups[p.legacy]
	}
	g := t.home()
	switch {
	case !g.Modern:
	case g.probing():
		t.makeLegacy(g)
	default:
		g = t.newGroup(TransportStdio, whyProcess)
		g.scope = p.scope
		g.life.begin = t.groups[p.primary].life.begin
	}
	p.legacy = int32(g.Index)
	return g
}

// makeLegacy turns a conversation that was but a probe into a session with a
// handshake.
func (t *Tracker) makeLegacy(g *group) {
	for _, k := range g.keys {
		delete(t.dir.talks, k)
	}
	g.keys, g.Modern, g.Probe, g.strength = nil, false, false, 0
	g.State, g.ProtocolVersion, g.ID, g.IDSource = StateNew, "", "", IDNone
	g.life.probed = true
	g.life.operating = mark{}
	if g.Transport == TransportStdio {
		g.Why = whyProcess
	}
}

// conversation finds or begins the group of a request of 2026-07-28, which
// has no sessions.
func (t *Tracker) conversation(ex *exchange, m *meta) *group {
	k := t.talkKey(ex, m)
	if i, ok := t.dir.talks[string(k.key)]; ok {
		return t.groups[i]
	}
	g := t.weaker(ex, k.strength)
	if g == nil && ex == nil {
		if h := t.home(); h.Messages == 0 && !h.Modern {
			g = h
		}
	}
	if g == nil {
		tr := TransportHTTP
		if ex == nil {
			tr = TransportStdio
		}
		g = t.newGroup(tr, "")
		if ex == nil {
			g.scope = t.process.scope
			g.life.begin = t.home().life.begin
		} else {
			g.place, g.client = ex.place, ex.client
			g.Endpoint = t.Name(ex.path)
			g.life.begin = t.connected(ex)
		}
	}
	g.Modern, g.ProtocolVersion, g.strength = true, m.version, k.strength
	g.Why, g.ID, g.IDSource = k.why, k.id, k.source
	if found(t.dir.talks, string(k.key), g); !g.More {
		g.keys = append(g.keys, string(k.key))
	}
	if g.State == StateNew {
		g.State = StateOperating
		g.life.operating = t.mark()
	}
	return g
}

// weaker finds the conversation of this exchange that so far holds nothing but
// a probe, grouped by less than is known now: server/discover carries no
// conversation id with some hosts, the calls after it do.
func (t *Tracker) weaker(ex *exchange, strength int) *group {
	i := t.process.latest
	if ex != nil {
		i = -1
		if c := t.conns[ex.conn]; c != nil {
			i = c.modern
		}
	}
	g := t.groupAt(i)
	if g == nil || !g.Modern || g.strength >= strength || !g.probing() || g.discovers != g.modernCalls {
		return nil
	}
	return g
}

// classify reports whether a client's request speaks 2026-07-28: by its body, as
// both eras may share an endpoint. server/discover exists in no other era.
func classify(m *wire.Message, mt *meta) bool {
	return mt.modern || string(m.Method) == mcp.Discover
}
