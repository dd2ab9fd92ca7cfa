package session

import (
	"cmp"
	"strconv"
	"strings"

	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// mark is a moment that a frame decided.
type mark struct {
	frame uint64
	t     int64
}

func (m mark) set() bool { return m != mark{} }

// life is what a session's steps are made of.
type life struct {
	begin    mark
	beginBad string

	past         bool // a request was redirected to the server itself, past the proxy
	probed       bool // a probe for the era came before the handshake
	discover     mark
	discoverTook int64
	discoverBad  string

	endpoint mark // the endpoint event of HTTP+SSE

	early        mark // a request before initialize
	earlyRefused bool
	initRow      int32 // row of the current initialize, valid when initSent is set
	inits        int
	initSent     mark
	initDone     mark
	initBad      string
	asked        mcp.Version // in initialize

	idMissing         mark // a message of the client without the id that was issued
	idSent            mark
	idMisses, idSents int

	eager        mark // a request between the response to initialize and initialized
	eagerRow     int32
	eagerRefused bool
	initialized  mark
	refusedWith  uint16 // HTTP status of initialized, 0 for not refused

	operating mark
	closed    mark
	closedBad string
	closeNote string
	exitBad   bool // the process exited by itself with a nonzero code

	metaAll, metaGood int // requests of a modern conversation, and those whose envelope was complete
	metaBad           mark
	headAll, headBad  int
	headBadAt         mark
	idSeen            mark // a modern request or response carried a session id
}

// legacyRequest follows a client's request in a session with a handshake
// (lifecycle: Initialization; the state machine of each protocol version up to
// 2025-11-25).
func (t *Tracker) legacyRequest(g *group, row int32, m *wire.Message) {
	l := &g.life
	switch string(m.Method) {
	case mcp.Initialize:
		l.inits++
		if g.State != StateNew && g.State != StateFailed {
			return
		}
		l.inits = 1 // what failed before does not count
		g.State = StateInitializing
		l.initRow, l.initSent = row, t.mark()
		l.initDone, l.initBad = mark{}, ""
		l.asked = mcp.Version(t.known(wire.Get(m.Params, "protocolVersion")))
		g.Client = ReadPeer(wire.Get(m.Params, "clientInfo"))
		return
	case mcp.Ping:
		return
	case mcp.Discover:
		t.discovering(g)
		return
	}
	switch g.State {
	case StateNew, StateInitializing, StateFailed:
		if !l.early.set() {
			l.early = t.mark()
		}
	case StateNegotiated:
		if !l.eager.set() {
			l.eager, l.eagerRow = t.mark(), row
		}
		g.State = StateOperating
		l.operating = t.mark()
	}
}

// initialized follows notifications/initialized.
func (t *Tracker) initialized(g *group) {
	if !g.life.initialized.set() {
		g.life.initialized = t.mark()
	}
	if g.State == StateNegotiated {
		g.State = StateOperating
		g.life.operating = t.mark()
	}
}

func (t *Tracker) discovering(g *group) {
	if !g.life.discover.set() {
		g.life.discover = t.mark()
	}
}

// callResponse follows a server's response.
func (t *Tracker) callResponse(g *group, row int32, r *Row, m *wire.Message) {
	name := t.Name(r.Name)
	switch {
	case name == mcp.Discover:
		g.life.discoverTook = max(r.Latency(), 1)
		if m.Kind == wire.MsgError {
			g.life.discoverBad = refused(r)
		} else if g.Modern || g.life.probed {
			g.Server = ReadPeer(wire.Get(m.Result, "_meta", mcp.MetaServerInfo))
		}
	case name == mcp.Initialize && g.life.initSent.set() && row == g.life.initRow:
		t.initResponse(g, r, m)
		return
	case m.Kind == wire.MsgResult && !g.Modern && name != mcp.Ping:
		t.served(g)
	}
	if m.Kind == wire.MsgError {
		t.callFailed(g, row, r, m)
		return
	}
	if g.Modern {
		t.modernResult(g, row, r, m)
	}
}

// initResponse follows the response to initialize.
func (t *Tracker) initResponse(g *group, r *Row, m *wire.Message) {
	l := &g.life
	l.initDone = t.mark()
	if m.Kind == wire.MsgError {
		g.State = StateFailed
		l.initBad = refused(r)
		return
	}
	g.Server = ReadPeer(wire.Get(m.Result, "serverInfo"))
	g.ProtocolVersion = mcp.Version(t.known(wire.Get(m.Result, "protocolVersion")))
	if g.State == StateInitializing || g.State == StateFailed {
		g.State = StateNegotiated
	}
	if l.initialized.set() && g.State == StateNegotiated {
		g.State = StateOperating
		l.operating = t.mark()
	}
}

// served notes that a server responds although no handshake was seen: it works
// without one, or the recording began in the middle.
func (t *Tracker) served(g *group) {
	if g.State == StateNew {
		g.State = StateOperating
		g.life.operating = t.mark()
	}
}

// callFailed follows a call that was refused or lost; m is the refusal, nil
// when there was no JSON-RPC response.
func (t *Tracker) callFailed(g *group, row int32, r *Row, m *wire.Message) {
	if r.Dir != wire.ToServer {
		return
	}
	l := &g.life
	switch name := t.Name(r.Name); {
	case r.Modern || name == mcp.Discover:
		if name != mcp.Discover {
			g.modernFailed++
		} else if l.discoverBad == "" {
			l.discoverBad = refused(r)
		}
	case name == mcp.Initialize && l.initSent.set() && row == l.initRow && g.State == StateInitializing:
		g.State = StateFailed
		l.initBad, l.initDone = refused(r), t.mark()
	case l.eager.set() && row == l.eagerRow:
		l.eagerRefused = m != nil && blamesHandshake(wire.Text(wire.Get(m.Error, "message")))
	case g.State == StateNew || g.State == StateFailed || g.State == StateInitializing:
		l.earlyRefused = true
	}
	t.markDirty(g)
}

// blamesHandshake reports whether an error message complains of a handshake that
// is not complete. The last text is that of Python servers.
func blamesHandshake(message string) bool {
	message = words.Fold(message)
	return strings.Contains(message, "initializ") || message == "invalid request parameters"
}

// refused says in a few words how a call failed.
func refused(r *Row) string {
	switch {
	case r.Ending.Lost():
		return "no response"
	case r.Code != 0:
		return "refused " + strconv.Itoa(int(r.Code))
	case r.Status >= 400:
		return "HTTP " + strconv.Itoa(int(r.Status))
	}
	return "refused"
}

// closeGroup ends a session. note says how; lost counts its unanswered calls.
func (t *Tracker) closeGroup(g *group, note string, lost int) {
	l := &g.life
	t.markDirty(g)
	if l.closed.set() {
		return
	}
	l.closed, l.closeNote = moment(t.f), note
	if lost > 0 {
		l.closedBad = words.Count(lost, "call") + " lost"
		if note != "" {
			l.closedBad = note + ", " + l.closedBad
		}
	}
	if g.Modern && g.Calls > 0 && g.Calls == g.discovers {
		g.Probe = true
	}
	switch g.State {
	case StateInitializing:
		if g.State = StateFailed; l.past {
			g.State = StateClosed
		}
		l.initBad = cmp.Or(l.initBad, "no response")
	case StateFailed, StateLost:
	default:
		g.State = StateClosed
	}
}

func exitNote(code int64, signal string) string {
	switch {
	case signal != "":
		return words.Clip(signal, 20)
	case code != 0:
		return "exit " + strconv.FormatInt(code, 10)
	}
	return ""
}

// ReadPeer reads a clientInfo or serverInfo.
func ReadPeer(info []byte) Peer {
	var p Peer
	wire.Each(info, func(key, value []byte) bool {
		switch string(key) {
		case "name":
			p.Name = words.Clip(wire.Text(value), 100)
		case "title":
			p.Title = words.Clip(wire.Text(value), 100)
		case "version":
			p.Version = words.Clip(wire.Text(value), 60)
		}
		return true
	})
	return p
}
