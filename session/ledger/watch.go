package ledger

import (
	"slices"
	"strconv"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Watch takes an event of the tracker.
func (l *Ledger) Watch(e *session.Event) {
	switch e.Kind {
	case session.EventMessage:
		l.message(e)
	case session.EventSettled:
		l.settled(e)
	case session.EventRequest:
		l.resumed(e)
	case session.EventResponse:
		l.responseHead(e)
	case session.EventSSE:
		l.event(e)
	case session.EventEnd:
		l.exchangeEnd(e)
	case session.EventNoise:
		l.pipe(e)
	case session.EventProcess:
		l.process(e)
	}
}

// settled takes the end of a call that got no response of its own.
func (l *Ledger) settled(e *session.Event) {
	if i, ok := l.open[key{e.Row, Response}]; ok {
		s := &l.slots[i]
		if g := &s.of.get; g.Open > 0 && g.Since <= s.T && s.Owes == wire.ToClient {
			g.Vain++
		}
	}
	how := l.t.Row(int(e.Row)).Ending
	l.end(key{e.Row, Response}, how, e.N, e.T)
	l.end(key{e.Row, Resume}, how, e.N, e.T)
}

// message takes a JSON-RPC message.
func (l *Ledger) message(e *session.Event) {
	l.pipe(e)
	if e.Session != nil {
		a := l.account(e.Session.Index)
		a.heard[way(e.Dir)] = moment{e.N, e.T}
		if e.Session.Transport == session.TransportStdio && !a.piped {
			a.piped, l.piped = true, append(l.piped, a)
		}
	}
	switch e.Message.Kind {
	case wire.MsgRequest:
		l.request(e)
	case wire.MsgNotification:
		l.notification(e)
	case wire.MsgResult, wire.MsgError:
		l.response(e)
	}
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

func (l *Ledger) request(e *session.Event) {
	d := l.begin(Response, e.Row, e.Dir.Opposite(), e.N, e.T)
	if e.Exchange != nil {
		d.T = l.t.Row(int(e.Row)).T
	}
	if e.Dir == wire.ToClient {
		l.asked(e, &d)
	} else if e.Session != nil {
		l.goesOn(e, d.Method)
	}
	l.add(d)
}

// asked finds the call in whose course the server asks the client something.
func (l *Ledger) asked(e *session.Event, d *Debt) {
	if d.Method == mcp.Ping {
		return
	}
	if parent := l.t.Row(int(e.Row)).Parent; parent >= 0 && l.t.Row(int(parent)).Kind == session.RowCall {
		d.For, d.Sure = parent, true
	} else if a := l.accounts[d.Session]; a != nil {
		d.For = l.only(a)
	}
	if i, ok := l.open[key{d.For, Response}]; ok {
		s := &l.slots[i]
		s.Question, s.Heard, s.HeardT = d.Row, d.N, d.T
		s.Questions++
	}
}

// only is the one call of a client that is open and may ask something back, -1 when
// there is none or more than one.
func (l *Ledger) only(a *account) int32 {
	row := int32(-1)
	for i, n := a.last, 0; i >= 0; i, n = l.slots[i].prev, n+1 {
		if n == maxLook {
			return -1
		}
		switch s := &l.slots[i]; {
		case s.Kind != Response || s.Owes != wire.ToClient || !mayAsk(s.Method):
		case row >= 0:
			return -1
		default:
			row = s.Row
		}
	}
	return row
}

// mayAsk says whether a server may ask something back to respond to a method.
func mayAsk(method string) bool {
	return method != mcp.Ping && method != mcp.Listen && method != mcp.Initialize
}

// goesOn closes what a request of the client does.
func (l *Ledger) goesOn(e *session.Event, method string) {
	a := l.account(e.Session.Index)
	if root := l.t.Row(int(e.Row)).Parent; root >= 0 {
		l.end(key{root, Input}, session.Served, e.N, e.T)
	}
	switch method {
	case mcp.Initialize:
		l.end(key{a.hand, Handshake}, session.Withdrawn, e.N, e.T)
	case mcp.TasksGet, mcp.TasksResult, mcp.TasksCancel:
		if k, ok := l.tasks[hash(e.Param("taskId"))]; ok {
			s := &l.slots[l.open[k]]
			s.Heard, s.HeardT = e.N, e.T
		}
		return
	}
	if list := slices.Index(lists[:], method); list >= 0 && a.pages[list] >= 0 {
		how := session.Withdrawn
		if len(e.Param("cursor")) > 2 {
			how = session.Served
		}
		l.end(key{a.pages[list], Page}, how, e.N, e.T)
		a.pages[list] = -1
	}
}

func (l *Ledger) notification(e *session.Event) {
	if e.Row >= 0 {
		if i, ok := l.open[key{l.t.Row(int(e.Row)).Parent, Response}]; ok {
			s := &l.slots[i]
			s.Heard, s.HeardT = e.N, e.T
		}
	}
	switch string(e.Message.Method) {
	case mcp.NotifyInitialized:
		if e.Session != nil && e.Dir == wire.ToServer {
			a := l.account(e.Session.Index)
			l.end(key{a.hand, Handshake}, session.Served, e.N, e.T)
			a.hand = -1
		}
	case mcp.NotifyTasksStatus, mcp.NotifyTasks:
		l.taskStatus(e, e.Message.Params)
	}
}

// response closes the debt of a call, and opens what the response makes the client
// owe.
func (l *Ledger) response(e *session.Event) {
	if e.Row < 0 || l.t.Row(int(e.Row)).Kind != session.RowCall {
		return
	}
	r := l.t.Row(int(e.Row))
	if i, ok := l.open[key{e.Row, Response}]; ok && r.Dir == wire.ToServer {
		l.count(l.slots[i].of, e, r)
	}
	l.end(key{e.Row, Resume}, session.Served, e.N, e.T)
	l.end(key{e.Row, Response}, r.Ending, e.N, e.T)
	if r.Dir == wire.ToClient && e.Exchange != nil && len(l.streams) < maxStreams {
		l.streams[e.Exchange.X] = stream{reply: true, call: e.Row}
	}
	if r.Dir == wire.ToServer && e.Message.Kind == wire.MsgResult && e.Session != nil {
		l.promised(e, r)
	}
}

// count says what was open when a call got its response.
func (l *Ledger) count(a *account, e *session.Event, r *session.Row) {
	g := &a.get
	switch {
	case e.Exchange == nil || e.Exchange.Verb != "POST":
	case g.Open == 0 && g.EndN != 0 && g.EndT >= r.T && g.Since <= r.T:
		g.After++
	case g.Open == 0:
		g.Outside++
	default:
		g.Inside++
	}
}

// promised opens what a result makes the client owe.
func (l *Ledger) promised(e *session.Event, r *session.Row) {
	a := l.account(e.Session.Index)
	owe := func(kind Kind, row int32) *slot { return l.add(l.begin(kind, row, wire.ToServer, e.N, e.T)) }
	method := l.t.Name(r.Name)
	list := slices.Index(lists[:], method)
	switch {
	case method == mcp.Initialize:
		if owe(Handshake, e.Row) != nil {
			a.hand = e.Row
		}
	case method == mcp.TasksGet || method == mcp.TasksCancel:
		l.taskStatus(e, e.Message.Result)
	case method == mcp.TasksResult:
		l.taskResult(e)
	case list >= 0:
		if len(e.Result("nextCursor")) > 2 && owe(Page, e.Row) != nil {
			a.pages[list] = e.Row
		}
	case r.Modern && wire.Text(e.Result("resultType")) == "input_required":
		root := e.Row
		if r.Parent >= 0 {
			root = r.Parent
		}
		owe(Input, root)
	default:
		l.task(e, owe)
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

// resumed closes what a GET with Last-Event-ID comes back for.
func (l *Ledger) resumed(e *session.Event) {
	if e.Exchange.Verb != "GET" || e.Session == nil {
		return
	}
	id, a := e.Exchange.Header(mcp.HeaderLastEventID), l.accounts[e.Session.Index]
	if id == "" || a == nil {
		return
	}
	for i, n := a.last, 0; i >= 0 && n < maxLook; i, n = l.slots[i].prev, n+1 {
		if s := &l.slots[i]; s.Kind == Resume && s.extra == hash([]byte(id)) {
			if len(l.streams) < maxStreams {
				l.streams[e.Exchange.X] = stream{back: true, call: s.Row}
			}
			l.end(key{s.Row, Resume}, session.Served, e.N, e.T)
			return
		}
	}
}

// responseHead notes a GET stream that begins, and that the call may have a session
// of its own now.
func (l *Ledger) responseHead(e *session.Event) {
	x := e.Exchange
	if e.Row >= 0 {
		l.move(e.Row)
	}
	if s := l.streams[x.X]; s.reply && x.Status >= 400 {
		if i, ok := l.past[key{s.call, Response}]; ok {
			l.closed[i].End, l.closed[i].EndN = session.Undelivered, e.N
		}
	}
	switch {
	case e.Session == nil:
	case x.Verb == "DELETE" && x.Status < 300:
		l.over(l.accounts[e.Session.Index], e)
	case x.Verb == "GET" && x.IsStream && e.Session.Transport == session.TransportHTTP && len(l.streams) < maxStreams:
		if _, known := l.streams[x.X]; known {
			return
		}
		a := l.account(e.Session.Index)
		l.streams[x.X] = stream{of: a}
		if a.get.Open++; a.get.Open == 1 {
			a.get.N, a.get.Since, a.get.EndN, a.get.EndT = uint64(x.RequestN), x.ResponseT, 0, 0
		}
	}
}

// exchangeEnd notes a stream that ended, and what it leaves to be asked for.
func (l *Ledger) exchangeEnd(e *session.Event) {
	s, ok := l.streams[e.Exchange.X]
	if ok {
		delete(l.streams, e.Exchange.X)
	}
	if a := s.of; a != nil {
		if a.get.Open--; a.get.Open == 0 {
			a.get.EndN, a.get.EndT = e.N, e.T
		}
	}
	if e.Row < 0 || !e.Exchange.IsStream {
		return
	}
	row := e.Row // of the call whose response the stream was to bring
	switch {
	case s.back:
		row = s.call
	case l.t.Row(int(row)).Kind == session.RowHTTP:
		return
	}
	if i, open := l.open[key{row, Response}]; open && l.slots[i].Owes == wire.ToClient &&
		e.Session != nil && e.Session.Transport == session.TransportHTTP {
		d := l.begin(Resume, row, wire.ToServer, e.N, e.T)
		if s.paused {
			d.Due = e.T + s.retry
		}
		if r := l.add(d); r != nil {
			r.extra = s.id
		}
	}
}

// process notes the beginning and the end of a process.
func (l *Ledger) process(e *session.Event) {
	switch e.Frame.Kind {
	case wire.KindStart:
		l.in, l.out = moment{}, moment{}
	case wire.KindExit:
		for _, a := range l.piped {
			a.piped = false
			l.over(a, e)
		}
		l.piped = l.piped[:0]
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
		k := key{s.Row, s.Kind}
		i = s.next
		if k.kind != Response {
			l.end(k, session.Unanswered, e.N, e.T)
		}
	}
	a.hand = -1
}
