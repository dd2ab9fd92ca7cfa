package insight

import (
	"strings"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// StreamKind says what a stream is for.
type StreamKind uint8

// The kinds of stream.
const (
	StreamResponse     StreamKind = iota // the response to a POST
	StreamListen                         // a GET: server messages outside any request
	StreamSSE                            // the one of an HTTP+SSE session
	StreamSubscription                   // the response to subscriptions/listen
)

// String says in a few words what the stream is.
func (k StreamKind) String() string {
	return [...]string{"POST response", "GET stream", "HTTP+SSE", "subscription"}[k]
}

// Stream is one event stream.
type Stream struct {
	Session  int // index, Loose for none
	Kind     StreamKind
	Request  uint64 // frame of the request that opened it: the message where there is one
	What     string // method and target of that message, or the path
	OpenedT  int64
	EndedT   int64  // 0 while it is open
	By       string // who ended it: wire.ByClient, wire.ByServer or wire.ByUs
	Clean    bool
	Events   int    // with data, a name or an id
	Comments int    // blocks without: heartbeats
	Messages int    // JSON-RPC messages
	LastID   string // of an event
	Gap      int64  // the longest time in which nothing came, from the opening on
	GapT     int64  // when it began
	lastT    int64

	Resumes string // Last-Event-ID of the request, "" for none
	Of      uint64 // Request of the stream that it continues, 0 when that is not known
}

// Open reports whether the stream has not ended.
func (s *Stream) Open() bool { return s.EndedT == 0 }

const (
	maxStreams      = 20_000
	maxEventIDs     = 100_000
	maxEventIDBytes = 200
)

type streams struct {
	all     []*Stream
	byX     map[uint32]*Stream // by exchange
	ids     map[string]*Stream // by session and event id
	leftOut int
}

// open takes the head of a response.
func (x *streams) open(b *Book, e *session.Event) {
	ex := e.Exchange
	if !ex.IsStream || x.byX[ex.X] != nil {
		return
	}
	if len(x.all) >= maxStreams {
		x.leftOut++
		return
	}
	s := &Stream{
		Session: sessionOf(e), Request: uint64(ex.RequestN), What: clip(ex.Path, maxName),
		OpenedT: ex.ResponseT, lastT: ex.ResponseT, GapT: ex.ResponseT,
		Resumes: clip(ex.Header(mcp.HeaderLastEventID), maxEventIDBytes),
	}
	if e.Row >= 0 {
		row := b.t.Row(int(e.Row))
		if row.Kind == session.RowCall {
			s.Request, s.What = uint64(row.Request), b.t.Name(row.Name)
			if c := b.calls[e.Row]; c != nil {
				s.What = strings.TrimSpace(c.method + " " + c.target)
			}
		}
	}
	switch {
	case ex.Verb == "GET" && e.Session != nil && e.Session.Transport == session.TransportSSE:
		s.Kind = StreamSSE
	case ex.Verb == "GET":
		s.Kind = StreamListen
	case strings.HasPrefix(s.What, mcp.Listen):
		s.Kind = StreamSubscription
	}
	x.all = append(x.all, s)
	x.byX[ex.X] = s
	x.resume(s)
}

// resume finds the stream that a new one continues.
func (x *streams) resume(s *Stream) {
	if of := x.ids[idKey(s.Session, s.Resumes)]; of != nil && s.Resumes != "" {
		s.Of = of.Request
	}
}

func idKey(session int, id string) string {
	return string(rune(session+3)) + id
}

// event takes one event.
func (x *streams) event(e *session.Event) {
	s := x.byX[e.Exchange.X]
	if s == nil {
		return
	}
	if e.Session != nil && s.Session != e.Session.Index {
		s.Session = e.Session.Index
	}
	if e.SSE.Name == "endpoint" && s.Kind == StreamListen {
		s.Kind = StreamSSE
	}
	if gap := e.T - s.lastT; gap > s.Gap {
		s.Gap, s.GapT = gap, s.lastT
	}
	s.lastT = e.T
	if id := clip(e.SSE.ID, maxEventIDBytes); id != "" {
		s.LastID = id
		if len(x.ids) < maxEventIDs {
			x.ids[idKey(s.Session, id)] = s
		}
	}
	if !e.SSE.HasData && !e.SSE.HasID && e.SSE.Name == "" && e.SSE.Retry == "" {
		s.Comments++
	} else {
		s.Events++
	}
}

// message counts what an event carries.
func (x *streams) message(e *session.Event) {
	if e.Exchange == nil || e.Dir != wire.ToClient {
		return
	}
	if s := x.byX[e.Exchange.X]; s != nil {
		s.Messages++
	}
}

// end takes the end of an exchange.
func (x *streams) end(e *session.Event) {
	s := x.byX[e.Exchange.X]
	if s == nil {
		return
	}
	delete(x.byX, e.Exchange.X)
	if gap := e.T - s.lastT; gap > s.Gap {
		s.Gap, s.GapT = gap, s.lastT
	}
	s.EndedT, s.By, s.Clean = max(e.T, 1), e.By, e.Clean
	if e.Session != nil {
		s.Session = e.Session.Index
	}
}

// Streams returns the event streams within a scope in the order in which they
// were opened, and how many more there are that are not kept. What it returns
// is not changed by later frames.
func (b *Book) Streams(scope int) (out []Stream, leftOut int) {
	for _, s := range b.streams.all {
		if inScope(scope, s.Session) {
			out = append(out, *s)
		}
	}
	return out, b.streams.leftOut
}
