// Package insight gathers facts from the frames of a recording that rows lack:
// which tools a server offers and how their calls went, what both sides can
// do, which event streams there were, and which values were issued and
// used.
//
// It is pure: the same frames give the same insights. It keeps a bounded amount
// and counts what it leaves out.
package insight

import (
	"strings"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// What a question can be about, besides a session by its index.
const (
	Whole = -1 // the whole recording
	Loose = -2 // what belongs to no session
)

// Book collects insights into one recording, or several taken for one. One
// goroutine at a time may use it.
type Book struct {
	t       *session.Tracker
	calls   map[int32]*call // that wait for their response, by row
	items   items
	sides   map[int]*sides
	streams streams
	handles handles
}

// call is a request that waits for its response.
type call struct {
	n       uint64
	t       int64
	method  string
	target  string
	item    *item
	session int
	more    bool // it asks for a further page
	client  bool // it is the client's
	uses    []useOf
}

// maxCalls bounds how many requests are remembered that wait for their response.
const maxCalls = 100_000

// New returns a book that has seen nothing.
func New(opts session.Options) *Book {
	b := &Book{
		calls: map[int32]*call{},
		sides: map[int]*sides{},
		items: items{
			by: map[itemKey]*item{}, lists: map[listKey]*listing{}, defs: map[string][]byte{}, costs: map[string]Cost{},
		},
		streams: streams{byX: map[uint32]*Stream{}, ids: map[string]*Stream{}},
		handles: handles{
			by: map[string]*Handle{}, own: [2]map[uint64]struct{}{{}, {}}, tokens: map[string]*Handle{},
			pending: map[uint32][]useOf{}, issued: map[int]*Handle{},
		},
	}
	opts.Watch = b.watch
	b.t = session.New(opts)
	return b
}

// Apply takes in the next frame. Its bytes are not kept.
func (b *Book) Apply(f *wire.Frame) {
	b.t.Apply(f)
}

// Sessions returns the number of sessions so far.
func (b *Book) Sessions() int { return len(b.t.Sessions()) }

// inScope reports whether a session is in scope.
func inScope(scope, session int) bool {
	return scope == Whole || scope == session || scope == Loose && session < 0
}

func sessionOf(e *session.Event) int {
	if e.Session == nil {
		return Loose
	}
	return e.Session.Index
}

// watch gets the events of the tracker.
func (b *Book) watch(e *session.Event) {
	switch e.Kind {
	case session.EventMessage:
		b.message(e)
	case session.EventSettled:
		b.settled(e)
	case session.EventRequest:
		b.handles.request(b, e)
	case session.EventResponse:
		b.streams.open(b, e)
		b.handles.response(b, e)
	case session.EventSSE:
		b.streams.event(e)
		b.handles.event(e)
	case session.EventBody:
		b.handles.judged(e.Exchange, e.Data)
	case session.EventEnd:
		b.streams.end(e)
		b.handles.judged(e.Exchange, []byte{})
		delete(b.handles.pending, e.Exchange.X)
	}
}

func (b *Book) message(e *session.Event) {
	switch e.Message.Kind {
	case wire.MsgRequest:
		b.request(e)
	case wire.MsgNotification:
		b.side(e).use(e.Dir, clip(e.Message.Method, 100), e.N)
		b.handles.progress(b, e)
	default:
		b.response(e)
	}
	b.streams.message(e)
}

func (b *Book) request(e *session.Event) {
	method := clip(e.Message.Method, maxName)
	c := &call{
		n:       e.N,
		t:       e.T,
		method:  method,
		target:  targetOf(method, e.Message.Params),
		session: sessionOf(e),
		client:  e.Dir == wire.ToServer,
	}
	b.side(e).request(e)
	if c.client {
		b.items.request(c, &e.Message)
		b.handles.usedIn(c, &e.Message)
	}
	b.handles.token(c, &e.Message)
	if len(b.calls) < maxCalls {
		b.calls[e.Row] = c
	}
}

func (b *Book) response(e *session.Event) {
	c := b.calls[e.Row]
	if c == nil {
		return
	}
	delete(b.calls, e.Row)
	b.side(e).response(c, e)
	if c.client {
		how, said := b.t.Row(int(e.Row)).Ending, e.Message.Result
		if e.Message.Kind == wire.MsgError {
			said = e.Message.Error
		}
		b.items.response(c, e, how)
		c.settle(how, said)
		if e.Message.Kind == wire.MsgResult {
			b.handles.offered(c, e)
		}
	}
}

// settled takes the end of a call that got no response. The response of one that
// was cancelled may be on the way.
func (b *Book) settled(e *session.Event) {
	c := b.calls[e.Row]
	if c == nil || e.Row < 0 {
		return
	}
	it := c.item
	switch how := b.t.Row(int(e.Row)).Ending; {
	case how.GaveUp():
		if it != nil {
			it.Pending, it.Cancelled, c.item = it.Pending-1, it.Cancelled+1, nil
		}
		return
	case how.Lost():
		if it != nil {
			it.Pending, it.Lost = it.Pending-1, it.Lost+1
		}
	case how.IsError():
		if it != nil {
			it.Errors++
			it.took(e.T - c.t)
		}
		b.items.refused(c, e.N)
		c.settle(how, nil)
	default:
		return
	}
	delete(b.calls, e.Row)
}

// targetOf is what a request is about.
func targetOf(method string, params []byte) string {
	key := mcp.Target(method)
	if key == "" {
		return ""
	}
	return clip(wire.Said(wire.Get(params, key)), maxName)
}

const maxName = 512 // bytes of a name that are kept

// clip copies the beginning of s, so that what it was cut from can be freed.
func clip[T string | []byte](s T, n int) string {
	return strings.Clone(string(words.Clip(s, n)))
}
