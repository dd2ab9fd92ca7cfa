package ledger

import (
	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Rows of the table about sessions, their lists and their transport.

// initialized opens what the client owes after the response to initialize.
func initialized(l *Ledger, e *session.Event) *Debt {
	if method, ok := l.result(e); !ok || method != mcp.Initialize {
		return nil
	}
	return l.begin(Handshake, e.Row, wire.ToServer, e.N, e.T)
}

func handshaken(l *Ledger, e *session.Event) (int32, session.Ending) {
	method, asked := l.request(e)
	switch {
	case asked && method == mcp.Initialize:
		return l.of(e).latest[Handshake], session.Withdrawn
	case notification(e) == mcp.NotifyInitialized && e.Dir == wire.ToServer && e.Session != nil:
		return l.of(e).latest[Handshake], session.Served
	}
	return 0, 0
}

// handshakeSkipped notes requests before notifications/initialized.
func handshakeSkipped(l *Ledger, e *session.Event) {
	switch method, ok := l.request(e); {
	case !ok || e.Modern, method == mcp.Ping, method == mcp.Initialize, method == mcp.Discover:
	default:
		l.goesOn(e, Handshake)
	}
}

// goesOn notes a message by which a client continues without what it owes in its session.
func (l *Ledger) goesOn(e *session.Event, kind Kind) {
	if s := l.slot(l.of(e).latest[kind], kind); s != nil {
		s.went(e.Row)
	}
}

// idGiven opens the debt of the session id, and again with a message that lacks it.
func idGiven(l *Ledger, e *session.Event) *Debt {
	if e.Session == nil || e.Kind != session.EventMessage || e.Exchange == nil {
		return nil
	}
	a, lacks := l.of(e), lacksID(e)
	if method, ok := l.result(e); ok && method == mcp.Initialize && e.Session.Transport == session.TransportHTTP &&
		e.Session.ID != "" && (e.Session.IDSource == session.IDServer || e.Session.IDSource == session.IDReplaced) {
		a.given = e.Row
	} else if !lacks || a.given < 0 {
		return nil
	}
	d := l.begin(SessionID, a.given, wire.ToServer, e.N, e.T)
	if d.Name = e.Session.ID; lacks {
		d.went(e.Row)
	} else {
		d.Status = e.Exchange.ResponseHeader("Access-Control-Expose-Headers")
	}
	return d
}

// idSent ends the debt with a request that has the id.
func idSent(l *Ledger, e *session.Event) (int32, session.Ending) {
	switch {
	case e.Session == nil || e.Exchange == nil || e.Dir != wire.ToServer:
	case e.Exchange.SessionID != "" && e.Exchange.SessionID == e.Session.ID:
		return l.of(e).given, session.Served
	case e.Kind == session.EventMessage && string(e.Message.Method) == mcp.Initialize:
		return l.of(e).given, session.Withdrawn
	}
	return 0, 0
}

func idLacks(l *Ledger, e *session.Event) {
	if lacksID(e) {
		l.goesOn(e, SessionID)
	}
}

// lacksID reports whether an event is a message of a client in a session without its id.
func lacksID(e *session.Event) bool {
	if e.Kind != session.EventMessage || e.Session == nil || e.Exchange == nil || e.Dir != wire.ToServer ||
		e.Exchange.SessionID != "" {
		return false
	}
	switch string(e.Message.Method) {
	case "", mcp.Initialize, mcp.Ping, mcp.Discover:
		return false
	}
	return true
}

// lists are the methods that list something, and the notifications that one has changed.
var lists = [...]struct{ method, changed string }{
	{mcp.ToolsList, mcp.NotifyToolsListChanged},
	{mcp.PromptsList, mcp.NotifyPromptsListChanged},
	{mcp.ResourcesList, mcp.NotifyResourcesListChanged},
	{mcp.ResourceTemplatesList, ""},
	{mcp.TasksList, ""},
}

// list is what is known of the list that a method reads, or is about; nil for none.
func (l *Ledger) list(e *session.Event, method string) *reads {
	for i := range lists {
		if method != "" && (lists[i].method == method || lists[i].changed == method) {
			return &l.of(e).lists[i]
		}
	}
	return nil
}

// pageLeft opens the debt of the next page. A list that is read from its beginning again
// is read as little as before.
func pageLeft(l *Ledger, e *session.Event) *Debt {
	method, ok := l.result(e)
	list := l.list(e, method)
	if !ok || list == nil {
		return nil
	}
	before := l.slot(list.page, Page)
	d := l.begin(Page, e.Row, wire.ToServer, e.N, e.T)
	if before != nil {
		d.Went, d.Times = before.Went, before.Times
		l.end(keyOf(list.page, Page), session.Withdrawn, e.N, e.T)
	}
	list.page = -1
	if len(e.Result("nextCursor")) <= 2 {
		return nil
	}
	list.page = e.Row
	return d
}

func pageRead(l *Ledger, e *session.Event) (int32, session.Ending) {
	method, ok := l.request(e)
	if list := l.list(e, method); ok && list != nil && list.page >= 0 && len(e.Param("cursor")) > 2 {
		row := list.page
		list.page = -1
		return row, session.Served
	}
	return 0, 0
}

// pageSkipped notes what a client asks for in place of the next page.
func pageSkipped(l *Ledger, e *session.Event) {
	method, ok := l.request(e)
	if !ok || method == mcp.Ping {
		return
	}
	a := l.of(e)
	for i := range lists {
		if s := l.slot(a.lists[i].page, Page); s != nil && lists[i].method != method {
			s.went(e.Row)
		}
	}
}

// listChanged opens the debt of reading a list again, or notes that it is still open.
func listChanged(l *Ledger, e *session.Event) *Debt {
	if e.Dir != wire.ToClient || e.Session == nil {
		return nil
	}
	list := l.list(e, notification(e))
	if list == nil || list.read < 0 {
		return nil
	}
	if s := l.slot(list.changed, List); s != nil {
		s.Questions++
		return nil
	}
	list.changed = list.read
	d := l.begin(List, list.read, wire.ToServer, e.N, e.T)
	d.Questions = 1
	return d
}

func listRead(l *Ledger, e *session.Event) (int32, session.Ending) {
	method, ok := l.request(e)
	list := l.list(e, method)
	if !ok || list == nil {
		return 0, 0
	}
	was := list.changed
	list.read, list.changed = e.Row, -1
	return was, session.Served
}

// listSkipped notes what a client asks for a while after a list has changed.
func listSkipped(l *Ledger, e *session.Event) {
	method, ok := l.request(e)
	if list := l.list(e, method); !ok || list != nil {
		return
	}
	a := l.of(e)
	for i := range lists {
		if s := l.slot(a.lists[i].changed, List); s != nil && e.T-s.T > settling {
			s.went(e.Row)
		}
	}
}

// inFlight is how long a request may have been on its way.
const inFlight = second / 5

// sessionLost opens the debt of a new session, with 404 to a request with the id of one
// that is known to have been there, and notes the further requests with it. What was on
// its way when the 404 came is no fault: a request counts when the client had read the
// 404 on the same connection, or long enough ago.
func sessionLost(l *Ledger, e *session.Event) *Debt {
	x, s := e.Exchange, e.Session
	if e.Kind != session.EventResponse || x.Status != 404 || s == nil || s.Transport != session.TransportHTTP ||
		s.Modern || x.Verb == "DELETE" || x.SessionID == "" || x.SessionID != s.ID ||
		s.State == session.StateClosed || e.Row < 0 {
		return nil
	}
	a := l.of(e)
	if d := l.slot(a.latest[Renewal], Renewal); d != nil {
		was := l.t.Row(int(d.Row))
		d.Signs++
		if uint64(x.RequestN) > d.N && (x.Conn == was.Conn || x.RequestT >= d.T+inFlight || d.Signs > 2) {
			d.went(e.Row)
		}
		return nil
	}
	old, again := l.past[keyOf(a.lost, Renewal)]
	if again && l.closed[old].Paid() && x.RequestT < l.closed[old].EndT+settling || len(l.renewals) >= maxClosed {
		return nil
	}
	a.lost = e.Row
	d := l.due(Renewal, e.Row, s.Index, wire.ToServer, e.N, e.T)
	d.Name = s.ID
	l.renewals = append(l.renewals, keyOf(e.Row, Renewal))
	return d
}

// renewed pays every loss before it. Another client's initialize looks the same.
func renewed(l *Ledger, e *session.Event) {
	if e.Kind != session.EventMessage || e.Dir != wire.ToServer || e.Message.Kind != wire.MsgRequest ||
		string(e.Message.Method) != mcp.Initialize || e.Exchange != nil && e.Exchange.SessionID != "" {
		return
	}
	for _, k := range l.renewals {
		l.end(k, session.Served, e.N, e.T)
	}
	l.renewals = l.renewals[:0]
}

// streamCut opens the debt of coming back for the rest of a stream.
func streamCut(l *Ledger, e *session.Event) *Debt {
	if e.Kind != session.EventEnd || e.Row < 0 || !e.Exchange.IsStream {
		return nil
	}
	s := l.streams[e.Exchange.X]
	row := e.Row // of the call whose response the stream was to bring
	switch {
	case s.back:
		row = s.call
	case l.t.Row(int(row)).Kind == session.RowHTTP:
		return nil
	}
	call := l.slot(row, Response)
	if call == nil || call.Owes != wire.ToClient || e.Session == nil || e.Session.Transport != session.TransportHTTP {
		return nil
	}
	d := l.begin(Resume, row, wire.ToServer, e.N, e.T)
	if s.paused {
		d.Due = e.T + s.retry
	}
	d.id = s.id
	return d
}

// resumed is what a GET with Last-Event-ID comes back for, and the end of a call.
func resumed(l *Ledger, e *session.Event) (int32, session.Ending) {
	if row, how := responded(l, e); how != session.NoEnding {
		if isResponse(e) {
			how = session.Served
		}
		return row, how
	}
	x := e.Exchange
	if e.Kind != session.EventRequest || x.Verb != "GET" || e.Session == nil {
		return 0, 0
	}
	s := l.about(Resume, hash([]byte(x.Header(mcp.HeaderLastEventID))))
	if s == nil || s.Session != e.Session.Index {
		return 0, 0
	}
	if len(l.streams) < maxStreams {
		l.streams[x.X] = stream{back: true, call: s.Row}
	}
	return s.Row, session.Served
}

// stdinClosed opens the debt of the end of the process.
func stdinClosed(l *Ledger, e *session.Event) *Debt {
	if e.Frame.Kind != wire.KindClose || e.Dir != wire.ToServer || e.Session == nil {
		return nil
	}
	l.end(keyOf(-1, Exit), session.Withdrawn, e.N, e.T)
	return l.due(Exit, -1, e.Session.Index, wire.ToClient, e.N, e.T)
}

func exited(_ *Ledger, e *session.Event) (int32, session.Ending) {
	if e.Frame.Kind == wire.KindExit {
		return -1, session.Served
	}
	return 0, 0
}
