package ledger

import (
	"strconv"

	"midwire/session"
	"midwire/session/wire"
)

// Watch takes an event of the tracker.
func (l *Ledger) Watch(e *session.Event) {
	switch e.Kind {
	case session.EventMessage:
		l.message(e)
	case session.EventResponse:
		l.responseHead(e)
	case session.EventSSE:
		l.event(e)
	case session.EventNoise:
		l.pipe(e)
	case session.EventProcess:
		l.process(e)
	}
	l.run(e)
	switch {
	case e.Kind == session.EventEnd:
		delete(l.streams, e.Exchange.X)
	case e.Kind == session.EventProcess && e.Frame.Kind == wire.KindExit:
		for _, a := range l.piped {
			a.piped = false
			l.over(a, e)
		}
		l.piped = l.piped[:0]
	}
}

// message notes who was heard, and where the client's response to the server goes.
func (l *Ledger) message(e *session.Event) {
	l.pipe(e)
	if e.Session != nil {
		a := l.account(e.Session.Index)
		a.heard[way(e.Dir)] = moment{e.N, e.T}
		if e.Session.Transport == session.TransportStdio && !a.piped {
			a.piped, l.piped = true, append(l.piped, a)
		}
	}
	r := l.call(e)
	if r == nil || e.Message.Kind == wire.MsgRequest {
		return
	}
	if r.Dir == wire.ToClient && e.Exchange != nil && len(l.streams) < maxStreams {
		l.streams[e.Exchange.X] = stream{reply: true, call: e.Row}
	}
}

// call is the row of the call that an event is about, nil for none.
func (l *Ledger) call(e *session.Event) *session.Row {
	if e.Row < 0 {
		return nil
	}
	if r := l.t.Row(int(e.Row)); r.Kind == session.RowCall {
		return r
	}
	return nil
}

// pipe notes a line on stdin or stdout.
func (l *Ledger) pipe(e *session.Event) {
	switch {
	case e.Frame == nil || e.Frame.Kind != wire.KindLine:
	case e.Dir == wire.ToServer:
		l.in = moment{e.N, e.T}
	default:
		l.out = moment{e.N, e.T}
	}
}

// event notes where a stream is, and when the client may come back for it.
func (l *Ledger) event(e *session.Event) {
	if e.SSE.Retry == "" && e.SSE.ID == "" {
		return
	}
	s, ok := l.streams[e.Exchange.X]
	if !ok && len(l.streams) >= maxStreams {
		return
	}
	if ms, err := strconv.ParseInt(e.SSE.Retry, 10, 32); err == nil {
		s.retry, s.paused = ms*1e6, true
	}
	if e.SSE.ID != "" {
		s.id = hash([]byte(e.SSE.ID))
	}
	l.streams[e.Exchange.X] = s
}

// responseHead notes that the call may have a session with its own row now.
func (l *Ledger) responseHead(e *session.Event) {
	x := e.Exchange
	if e.Row >= 0 {
		l.move(e.Row)
	}
	if s := l.streams[x.X]; s.reply && x.Status >= 400 {
		if i, ok := l.past[keyOf(s.call, Response)]; ok {
			l.closed[i].End, l.closed[i].EndN = session.Undelivered, e.N
		}
	}
	if e.Session != nil && x.Verb == "DELETE" && x.Status < 300 {
		l.over(l.accounts[e.Session.Index], e)
	}
}

// process notes what becomes of a process and its pipes.
func (l *Ledger) process(e *session.Event) {
	switch e.Frame.Kind {
	case wire.KindStart:
		l.in, l.out, l.pipes = moment{}, moment{}, Pipes{}
	case wire.KindSignal:
		l.pipes.Signal = e.N
	case wire.KindClose:
		if e.Dir == wire.ToServer {
			l.pipes.Stdin, l.pipes.StdinT, l.pipes.StdinBy = e.N, e.T, wire.Said(wire.Get(e.Data, "by"))
		} else {
			l.pipes.Stdout, l.pipes.StdoutT = e.N, e.T
		}
	}
}

// over ends what can no longer be paid, as the session has ended. The tracker settles
// calls.
func (l *Ledger) over(a *account, e *session.Event) {
	if a == nil {
		return
	}
	for i := a.first; i >= 0; {
		s := &l.slots[i]
		k := keyOf(s.Row, s.Kind)
		i = s.next
		if k.kind() != Response {
			l.end(k, session.Unanswered, e.N, e.T)
		}
	}
}

// hash is never 0 for what is there.
func hash(raw []byte) uint64 {
	if len(raw) == 0 {
		return 0
	}
	return wire.Hash(raw) | 1
}
