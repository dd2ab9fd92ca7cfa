package insight

import (
	"slices"
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
	Head     uint64 // frame of the response head
	OpenedT  int64
	EndedT   int64  // 0 while it is open
	By       string // who ended it: wire.ByClient, wire.ByServer or wire.ByUs
	Clean    bool
	Events   int // with data, a name or an id
	Comments int // blocks without: heartbeats
	Messages int // JSON-RPC messages
	Bytes    int64
	LastID   string // of an event
	Retry    string // latest
	Gap      int64  // the longest time in which nothing came, from the opening on
	GapT     int64  // when it began
	lastT    int64

	Resumes  string // Last-Event-ID of the request, "" for none
	Of       int    // index of the stream that it continues, -1 when it is not known
	FollowUp int    // index of the stream that continued with this one, -1 for none
	Index    int
	LeftOut  int // events that are not listed, the first ones
	List     []StreamEvent
}

// Open reports whether the stream has not ended.
func (s *Stream) Open() bool { return s.EndedT == 0 }

// StreamEvent is one event of a stream.
type StreamEvent struct {
	N     uint64
	T     int64
	Len   uint32
	ID    string // "" for none
	Name  string // of the event, "" means message
	What  string // the method of its message, or what it answers; "" for none
	Empty bool   // a comment, a heartbeat
}

const (
	maxStreams      = 20_000
	maxEvents       = 2000    // of one stream
	maxEventsInAll  = 400_000 // of all
	maxEventIDs     = 100_000
	maxEventIDBytes = 200
)

type streams struct {
	all     []*Stream
	byX     map[uint32]*Stream // by exchange
	ids     map[string]int     // stream by session and event id
	listed  int
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
		Session: sessionOf(e), Kind: StreamResponse, Head: uint64(ex.ResponseN),
		Request: uint64(ex.RequestN), What: clip(ex.Path, maxName),
		OpenedT: ex.ResponseT, lastT: ex.ResponseT, GapT: ex.ResponseT, Of: -1, FollowUp: -1, Index: len(x.all),
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
	case strings.HasPrefix(s.What, mcp.Listen), strings.HasPrefix(s.What, mcp.EventsStream):
		s.Kind = StreamSubscription
	}
	x.all = append(x.all, s)
	x.byX[ex.X] = s
	x.resume(s)
}

// resume finds the stream that a new one continues.
func (x *streams) resume(s *Stream) {
	if s.Resumes == "" {
		return
	}
	if i, ok := x.ids[idKey(s.Session, s.Resumes)]; ok {
		s.Of = i
		if x.all[i].FollowUp < 0 {
			x.all[i].FollowUp = s.Index
		}
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
	s.Bytes += int64(len(e.Data))
	v := StreamEvent{
		N:    e.N,
		T:    e.T,
		Len:  uint32(min(int64(len(e.Data)), 1<<32-1)),
		ID:   clip(e.SSE.ID, maxEventIDBytes),
		Name: clip(e.SSE.Name, 100),
	}
	v.Empty = !e.SSE.HasData && !e.SSE.HasID && e.SSE.Name == "" && e.SSE.Retry == ""
	if v.Empty {
		s.Comments++
	} else {
		s.Events++
	}
	if e.SSE.Retry != "" {
		s.Retry = clip(e.SSE.Retry, 20)
	}
	if v.ID != "" {
		s.LastID = v.ID
		if len(x.ids) < maxEventIDs {
			x.ids[idKey(s.Session, v.ID)] = s.Index
		}
	}
	x.list(s, v)
}

// list keeps an event for the time line: the latest ones of each stream.
func (x *streams) list(s *Stream, v StreamEvent) {
	switch {
	case x.listed >= maxEventsInAll && len(s.List) == 0:
		s.LeftOut++
		return
	case len(s.List) >= maxEvents || x.listed >= maxEventsInAll:
		// What was given away keeps its own slice: half of it goes at once.
		n := max(len(s.List)/2, 1)
		s.List = append(make([]StreamEvent, 0, len(s.List)+1), s.List[n:]...)
		s.LeftOut += n
		x.listed -= n
	}
	x.listed++
	s.List = append(s.List, v)
}

// message says what the event in hand carries.
func (x *streams) message(b *Book, e *session.Event) {
	if e.Exchange == nil || e.Dir != wire.ToClient {
		return
	}
	s := x.byX[e.Exchange.X]
	if s == nil {
		return
	}
	s.Messages++
	n := len(s.List) - 1
	if n < 0 || s.List[n].N != e.N {
		return
	}
	what := clip(string(e.Message.Method), 100)
	if what == "" && e.Row >= 0 {
		what = "response to " + b.t.Name(b.t.Row(int(e.Row)).Name)
		if e.Message.Kind == wire.MsgError {
			what = "error for " + b.t.Name(b.t.Row(int(e.Row)).Name)
		}
	}
	if s.List[n].What != "" {
		what = s.List[n].What + ", …"
	}
	if len(what) < 200 {
		s.List[n].What = what // it was not delivered yet: the frame is still in hand
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
		if in(scope, s.Session) {
			out = append(out, *s)
			out[len(out)-1].List = s.List[:len(s.List):len(s.List)]
		}
	}
	return out, b.streams.leftOut
}

// HTTP reports whether anything went over HTTP.
func (b *Book) HTTP() bool {
	return slices.ContainsFunc(b.t.Sessions(), func(s *session.Session) bool {
		return s.Transport == session.TransportHTTP || s.Transport == session.TransportSSE
	})
}
