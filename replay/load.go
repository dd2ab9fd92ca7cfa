package replay

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/record"
	"midwire/session/wire"
)

// Load reads a recording. The error says what is wrong with the file; a
// recording that is torn or has gaps is none, its Script has a remark. The
// caller closes the Script.
func Load(path string) (*Script, error) {
	r, err := record.Open(path)
	if err != nil {
		return nil, err
	}
	l := loader{
		Script: &Script{Header: r.Header(), Path: path, reader: r, exchanges: map[uint32]exchange{}},
		calls:  map[int32]int32{},
	}
	l.tracker = session.New(session.Options{Tap: l.Header.Tap})
	if err := l.read(); err != nil {
		r.Close()
		return nil, err
	}
	l.addSessions()
	l.addRows()
	slices.SortStableFunc(l.Events, func(a, b Event) int { return cmp.Compare(a.Frame, b.Frame) })
	l.remarks()
	return l.Script, nil
}

// maxRows is how many messages and exchanges of a recording are read.
const maxRows = 80_000

type loader struct {
	*Script
	calls map[int32]int32 // row to call
	gaps  int
	whole bool // the beginning of the process is in it
}

func (l *loader) read() error {
	var f wire.Frame
	for {
		if l.Cut = l.tracker.Rows() > maxRows; l.Cut {
			return nil
		}
		switch err := l.reader.Next(&f); {
		case errors.Is(err, io.EOF):
			f = wire.Frame{} // the tracker holds on to it, and it may be huge
			return nil
		case err != nil:
			return err
		}
		l.tracker.Apply(&f)
		l.fact(&f)
	}
}

// fact takes what the tracker does not keep.
func (l *loader) fact(f *wire.Frame) {
	switch f.Kind {
	case wire.KindGap:
		l.gaps++
	case wire.KindStart:
		l.whole = true
	}
	if f.X == 0 || f.Conn == 0 {
		return
	}
	x := l.exchanges[f.X]
	switch f.Kind {
	case wire.KindRequest:
		x.head = uint32(f.N)
	case wire.KindResponse:
		x.resp = uint32(f.N)
		x.stream = wire.IsMediaType(wire.HeadValue(f.Data, "Content-Type"), "text/event-stream")
	case wire.KindClose:
		x.end = uint32(f.N)
		x.left = wire.Text(wire.Get(f.Data, "by")) == wire.ByClient
	}
	l.exchanges[f.X] = x
}

func (l *loader) addSessions() {
	for _, s := range l.tracker.Sessions() {
		one := Session{Session: *s, Connection: s.Index}
		if s.Transport == session.TransportStdio {
			one.Connection = 0
		}
		l.Sessions = append(l.Sessions, one)
	}
}

func (l *loader) addRows() {
	for i := range l.tracker.Rows() {
		r := l.tracker.Row(i)
		if r.Session < 0 {
			continue
		}
		row := uint32(i)
		switch {
		case r.Kind == session.RowCall && r.Dir == wire.ToServer:
			l.call(row, r)
		case r.Kind == session.RowCall:
			l.ServerRequests = append(l.ServerRequests, Sent{row, r.Session, l.callOf(r.Parent)})
		case r.Kind == session.RowNotification && r.Dir == wire.ToServer:
			l.clientNotification(row, r)
		case r.Kind == session.RowNotification:
			l.serverNotification(row, r)
		case r.Kind == session.RowNoise && r.Dir == wire.ToServer:
			l.step(StepSend, row, r)
		case r.Kind == session.RowHTTP && r.Dir == wire.ToServer:
			l.http(row, r)
		}
	}
}

func (l *loader) callOf(row int32) int32 {
	if i, ok := l.calls[row]; ok {
		return i
	}
	return -1
}

// step returns the step that a row belongs to: the latest one, when the row is
// another message of its batch.
func (l *loader) step(kind StepKind, row uint32, r *session.Row) *Step {
	if n := len(l.Steps); n > 0 && l.Steps[n-1].Frame == r.Request {
		return &l.Steps[n-1]
	}
	i := int32(len(l.Steps))
	l.Steps = append(l.Steps, Step{
		Kind: kind, Frame: r.Request, X: r.X, T: r.T, Row: row,
		First: int32(len(l.Calls)), Session: r.Session, Cancels: -1,
	})
	l.event(r.Request, EventStep, i)
	abandoned := kind == StepSend && r.Kind == session.RowCall && r.Response == 0
	if x := l.exchangeOf(r); abandoned && x.left && x.end != 0 {
		l.event(x.end, EventLeave, i)
	}
	return &l.Steps[i]
}

func (l *loader) exchangeOf(r *session.Row) exchange {
	if r.Conn == 0 {
		return exchange{}
	}
	return l.exchange(r.X)
}

func (l *loader) event(frame uint32, kind EventKind, index int32) {
	l.Events = append(l.Events, Event{frame, index, kind})
}

func (l *loader) call(row uint32, r *session.Row) {
	s := l.step(StepSend, row, r)
	i := int32(len(l.Calls))
	l.Calls = append(l.Calls, Call{Row: row, Step: int32(len(l.Steps) - 1), Before: l.callOf(r.Parent)})
	s.Count++
	l.calls[int32(row)] = i
	if r.Response != 0 {
		l.event(r.Response, EventResponse, i)
	}
}

func (l *loader) clientNotification(row uint32, r *session.Row) {
	s := l.step(StepSend, row, r)
	if l.Name(r) == mcp.NotifyCancelled {
		s.Cancels = l.callOf(r.Parent)
	}
	if r.Response != 0 && s.Count == 0 {
		l.event(r.Response, EventTaken, int32(len(l.Steps)-1))
	}
}

// serverNotification takes a notification of the server. On some a client acts:
// what it does next has to wait for them.
func (l *loader) serverNotification(row uint32, r *session.Row) {
	i := int32(len(l.Notifications))
	l.Notifications = append(l.Notifications, Sent{row, r.Session, l.callOf(r.Parent)})
	if isActedOn(l.Name(r)) {
		l.event(r.Request, EventNotification, i)
	}
}

func isActedOn(method string) bool {
	return strings.HasSuffix(method, "/list_changed") || strings.HasPrefix(method, mcp.NotifyTasks) ||
		method == mcp.NotifyResourcesUpdated || method == mcp.NotifyElicitationComplete ||
		method == mcp.NotifyAcknowledged
}

// http takes an exchange that carried no message of the client. Streams that
// resume another, and what is no MCP at all, are the transport's business.
func (l *loader) http(row uint32, r *session.Row) {
	var kind StepKind
	switch verb := l.Name(r); {
	case verb == "DELETE":
		kind = StepDelete
	case verb == "GET" && r.Parent < 0 && !l.overSSE(r) && l.asksForEvents(r):
		kind = StepStream
	default:
		return
	}
	l.step(kind, row, r)
	if r.Response != 0 {
		l.event(r.Response, EventTaken, int32(len(l.Steps)-1))
	}
}

func (l *loader) overSSE(r *session.Row) bool {
	return l.Sessions[r.Session].Transport == session.TransportSSE
}

func (l *loader) asksForEvents(r *session.Row) bool {
	h, ok := l.head(l.exchangeOf(r).head)
	return ok && strings.Contains(h.Get("Accept"), "text/event-stream") && !h.Has(mcp.HeaderLastEventID)
}

func (l *loader) remarks() {
	say := func(format string, a ...any) { l.Remarks = append(l.Remarks, fmt.Sprintf(format, a...)) }
	if l.reader.Torn() {
		say("the recording ends in the middle of a line: its proxy was killed, or is still recording")
	}
	if _, bad := l.reader.Bad(); bad > 0 {
		say("%d lines of the recording cannot be read; what was in them is not replayed", bad)
	}
	if l.Cut {
		say("only its first %d messages are read", maxRows)
	}
	if l.gaps > 0 {
		say("the recording has %d gaps; what was in them is not replayed", l.gaps)
	}
	first := make([]int32, len(l.Sessions))
	for i := range first {
		first[i] = -1
	}
	for i := range l.Calls {
		if s := l.SessionOf(int32(i)); first[s] < 0 && l.Method(int32(i)) != mcp.Ping {
			first[s] = int32(i)
		}
	}
	for i := range l.Sessions {
		s := &l.Sessions[i]
		c := first[i]
		if c < 0 || s.Modern || s.Probe || l.whole || s.Transport == session.TransportHTTP && !s.fromServer() {
			continue
		}
		// A server that serves the first call of a client has met it before,
		// or needs no handshake; one that refuses it is what was recorded.
		if m := l.Method(c); m != mcp.Initialize && m != mcp.Discover && l.CallRow(c).Ending == session.Served {
			s.Middle = true
			say("session %d began before the recording: a handshake is made for it", i+1)
		}
	}
}

// fromServer reports whether the id of a session is one that servers issue, and not one that a
// client says in its own words, in _meta or in the query of a URL: nothing has to issue that.
func (s *Session) fromServer() bool {
	return s.ID != "" && s.IDSource != session.IDMeta && s.IDSource != session.IDQuery
}
