package session

import (
	"cmp"

	"midwire/session/defect"
	"midwire/session/mcp"
	"midwire/session/outline"
	"midwire/session/wire"
)

// EventKind says what an Event is about.
type EventKind uint8

// The kinds of event.
const (
	// EventMessage is one JSON-RPC message. Row is the row of the request or
	// notification; for a response it is the row of its call.
	EventMessage EventKind = iota
	// EventSettled: a call ended without a JSON-RPC response: cancelled, lost,
	// or refused by HTTP alone.
	EventSettled
	EventNoise    // Data stands where JSON-RPC belongs and is none
	EventRequest  // an HTTP request is complete, Data is its body; after its messages
	EventResponse // the head of an HTTP response; before its messages
	EventBody     // Data is the body of an HTTP response; after its messages. Not for event streams
	EventSSE      // one event of a stream, SSE says which; before its messages
	EventEnd      // an HTTP exchange ended; By and Clean say how
	EventConn     // a client's connection began or ended; Frame says which
	EventProcess  // a process started or ended, or a pipe was closed; Frame says which
	EventStderr   // Data is a line on a server's standard error
	EventTap      // something about the tap itself: edit, gate, gap, note
	EventKinds    // how many kinds there are
)

// Event is one thing a Tracker understood. It and all it points to belong to
// the tracker and are valid during the call of Options.Watch only.
type Event struct {
	Kind    EventKind
	N       uint64   // number of the frame where it began, as rows count
	T       int64    // when, nanoseconds since the recording started
	Dir     wire.Dir // the way the frame went
	Session *Session // nil while it is not known whose it is
	Row     int32    // index of the row it made or changed, -1 for none
	Frame   *wire.Frame

	Message wire.Message // of an EventMessage
	Batched bool         // the message came in an array
	Modern  bool         // the message, or its call, carries the envelope of 2026-07-28
	// Twin, of a request, is the row of another pending request of the same
	// sender with the same id; -1 for none.
	Twin int32

	Exchange *Exchange // nil on stdio
	Data     []byte
	SSE      wire.Event
	By       string // of an EventEnd: wire.ByClient, wire.ByServer or wire.ByUs
	Clean    bool   // of an EventEnd
	Left     int64  // of an EventEnd: when the client's side ended, see wire.Close; 0 for not seen

	params, result, meta *members
	said                 *said
	outline              *outline.Outline // when outlined says so
	outlined             bool
	outlines             *outline.Outlines
}

// Outline is that of the message, nil when it is too large to have one.
func (e *Event) Outline() *outline.Outline {
	if !e.outlined {
		e.outline, e.outlined = e.outlines.Of(e.Message.Raw), true
	}
	return e.outline
}

// Param is a member of the parameters of the message, or what lies within it, raw
// JSON; nil when it is not there.
func (e *Event) Param(path ...string) []byte { return e.params.get(e.Message.Params, path) }

// Result is Param of the result.
func (e *Event) Result(path ...string) []byte { return e.result.get(e.Message.Result, path) }

// ContentStart is how the text in the content of the result begins, without space around
// it: of each block some 250 bytes.
func (e *Event) ContentStart() string {
	if content := e.Result(contentPath...); !sameMemory(e.said.content, content) {
		e.said.read(content)
	}
	return e.said.text
}

// ContentText is that text with 64 KiB of each block.
func (e *Event) ContentText() string {
	return contentText(e.Result(contentPath...), wholeText)
}

// Exchange describes one HTTP request with its response. It
// belongs to the tracker; its heads are valid until the exchange has ended, and
// there only when the tracker is watched.
type Exchange struct {
	X, Conn      uint32
	RequestN     uint32 // frame of its message, as its row has it; of the head without one, or with several
	ResponseN    uint32 // frame of the response head, 0 while there is none
	RequestT     int64  // arrival of the request head
	ResponseT    int64  // arrival of the response head
	Status       uint16 // 0 while there is none
	IsStream     bool   // the response is an event stream
	Events       int    // events of the stream so far, without comments
	FirstEventT  int64  // arrival of the first of them
	RequestHead  []byte // raw
	ResponseHead []byte // raw
	Verb, Path   string // Path is the target without origin and query
	Query        string
	// SessionID is the Mcp-Session-Id of the request, or where it has none the id in its query if
	// a session of Streamable HTTP is known by that; "" for none.
	SessionID   string
	Calls       int  // requests in the body of the request
	Messages    int  // messages in the body of the request
	Contradicts bool // the headers of a request of 2026-07-28 do not repeat what its body says

	request, response *fields
	Upstream          string // address of the server, "" when it is not known
	Proto             string // how the server is spoken to: "tls", "h2", or "" for plain HTTP/1.1
	Host              string // the Host that the server got, when we changed it; else ""
	Past              bool   // it is redirected to the server itself, past midwire
}

// Header returns a header of the request, "" when it has none.
func (x *Exchange) Header(name string) string {
	if is([]byte(name), mcp.HeaderSessionID) {
		return x.SessionID
	}
	return x.request.get(x.RequestHead, name)
}

// ResponseHeader returns a header of the response, "" when it has none.
func (x *Exchange) ResponseHeader(name string) string { return x.response.get(x.ResponseHead, name) }

// emit reports the frame in hand to the watcher. The message is set by its
// callers beforehand.
func (t *Tracker) emit(kind EventKind, g *group, row int32, ex *exchange, data []byte) {
	if g != nil && g.More {
		return
	}
	e := &t.emitted
	e.Kind, e.N, e.T, e.Frame = kind, uint64(t.src.frame), t.f.T, t.f
	e.Row, e.Data = row, data
	e.Session, e.Exchange = nil, nil
	if kind != EventMessage {
		e.Dir, e.Message, e.Batched, e.Modern = t.f.Dir, wire.Message{}, false, false
	}
	if g != nil {
		e.Session = &g.Session
	}
	if ex != nil {
		e.Exchange = t.facts(ex)
	}
	t.tell(e)
}

// tell passes an event to the watcher. A panic there is not the tracker's: the
// frame is applied to its end.
func (t *Tracker) tell(e *Event) {
	defer defect.Recover("the reading of sessions", t.f.N, t.failed)
	t.watch(e)
}

// begin forgets what was read of the message before the one in hand.
func (t *Tracker) begin() {
	t.own.params.of, t.own.result.of, t.own.meta.of, t.own.said.content = nil, nil, nil, nil
	a := cmp.Or(t.ahead, &t.own)
	t.emitted.params, t.emitted.result, t.emitted.meta = &a.params, &a.result, &a.meta
	t.emitted.said = &a.said
}

// emitMessage reports a message.
func (t *Tracker) emitMessage(g *group, row int32, ex *exchange, d wire.Dir, m *wire.Message) {
	if t.watch == nil {
		return
	}
	e := &t.emitted
	e.Message, e.Batched = *m, t.batched
	e.outlines, e.outlined = &t.outlines, false
	if a := t.ahead; a != nil && sameMemory(a.message.Raw, m.Raw) {
		e.outline, e.outlined = a.outline, true
	}
	e.Modern = row >= 0 && t.rows.row(int(row)).Modern
	if row >= 0 {
		g = t.groupAt(t.rows.row(int(row)).Session) // a response may belong elsewhere than its exchange
	}
	e.Dir = d
	t.emit(EventMessage, g, row, ex, nil)
}

// emitOf reports anything else, if there is one.
func (t *Tracker) emitOf(kind EventKind, g *group, row int32, ex *exchange, data []byte) {
	if t.watch != nil {
		t.emit(kind, g, row, ex, data)
	}
}

// facts makes what a watcher may know of an exchange up to date.
func (t *Tracker) facts(ex *exchange) *Exchange {
	x := &ex.facts
	x.X, x.Conn = ex.x, ex.conn
	x.RequestN, x.RequestT = ex.head, ex.headT
	if len(ex.rows) == 1 && ex.httpRow < 0 && x.Messages <= 1 {
		x.RequestN = t.Row(int(ex.rows[0])).Request
	}
	x.ResponseN, x.ResponseT, x.Status = ex.resp, ex.respT, ex.status
	x.IsStream = ex.events
	x.Verb, x.Path, x.Query = t.Name(ex.verb), t.Name(ex.path), ex.query
	if c := t.conns[ex.conn]; c != nil {
		x.Upstream, x.Proto, x.Host = c.to, c.proto, c.host
		x.Past = ex.past
	}
	return x
}
