package session

import (
	"cmp"
	"slices"

	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// applyHTTP takes a frame of an HTTP exchange.
func (t *Tracker) applyHTTP(f *wire.Frame) {
	switch f.Kind {
	case wire.KindOpen:
		t.opened(f)
	case wire.KindRequest:
		t.requestHead(t.exchange(f), f)
	case wire.KindResponse:
		t.responseHead(t.exchange(f), f)
	case wire.KindBody:
		if f.Dir == wire.ToServer && t.open[f.X] == nil && f.X <= t.closed {
			return // the server responded before it was sent, and the exchange is over
		}
		ex := t.exchange(f)
		if f.Dir == wire.ToServer {
			t.requestBody(ex, f)
		} else {
			t.responseBody(ex, f)
		}
	case wire.KindEvent:
		t.event(t.exchange(f), f)
	}
	if ex := t.open[f.X]; ex != nil {
		t.weigh(ex)
	}
}

// opened takes the beginning of a connection. Only one that reached no server has
// a row.
func (t *Tracker) opened(f *wire.Frame) {
	c := t.conn(f.Conn)
	c.began = moment(f)
	c.to = words.Clip(wire.Text(wire.Get(f.Data, "upstream")), maxName)
	c.proto = words.Clip(wire.Text(wire.Get(f.Data, "proto")), maxName)
	c.forward = wire.Get(f.Data, "host") != nil
	bad := wire.Get(f.Data, "error")
	if len(bad) <= 2 {
		t.emitOf(EventConn, nil, -1, nil, f.Data)
		return
	}
	c.unreachable = true
	r := t.newRow(RowProcess, wire.ToServer)
	r.Name, r.Ending = t.names.internString("connect"), Unreachable
	row := t.addRow(r, nil)
	t.emitOf(EventConn, nil, row, nil, f.Data)
}

// requestHead takes the head of a request. What the request is shows from its
// body, if it has one.
func (t *Tracker) requestHead(ex *exchange, f *wire.Frame) {
	ex.head, ex.headT, ex.headLen = t.src.frame, f.T, t.src.len
	t.readRequestHead(ex, f.Data)
	ex.facts.RequestHead = ex.facts.request.keep(ex.facts.RequestHead, t.watch != nil)
	if !ex.expects {
		t.plainRow(ex, nil)
	}
}

// plainRow adds the row of an exchange that is not JSON-RPC; payload is the
// body of its request.
func (t *Tracker) plainRow(ex *exchange, payload []byte) {
	if ex.httpRow >= 0 {
		return
	}
	g := t.plainGroup(ex)
	r := t.newRow(RowHTTP, wire.ToServer)
	r.Request, r.T, r.Len, r.Name = ex.head, ex.headT, ex.headLen, cmp.Or(ex.what, ex.verb)
	if ex.head == 0 {
		r.Request = t.src.frame
	}
	r.Ending = Waiting
	if g != nil {
		r.Parent = g.resumes(ex.lastEvent)
	}
	ex.httpRow = t.addRow(r, g)
	if g != nil {
		t.belong(ex, g)
	}
	t.emitOf(EventRequest, g, ex.httpRow, ex, payload)
}

// resumes finds the call whose stream a Last-Event-ID continues.
func (g *group) resumes(event string) int32 {
	if event != "" {
		for i := len(g.detached) - 1; i >= 0; i-- {
			if g.detached[i].event == event {
				return g.detached[i].row
			}
		}
	}
	return -1
}

// belong says which session an exchange is of.
func (t *Tracker) belong(ex *exchange, g *group) {
	ex.group = int32(g.Index)
	if ex.read || len(ex.rows) > 0 {
		found(t.dir.agents, ex.agent, g)
	}
	c := t.conn(ex.conn)
	if g.Modern {
		c.modern = ex.group
	} else {
		c.legacy = ex.group
	}
	for _, r := range ex.taps {
		r.Parent = ex.call()
		t.addRow(r, g)
	}
	ex.taps = ex.taps[:0]
	t.touch(g)
}

// requestBody takes the body of a request, or a part of it.
func (t *Tracker) requestBody(ex *exchange, f *wire.Frame) {
	payload, whole := t.join(&ex.in, f)
	if !whole {
		return
	}
	ex.expects = false
	payload = t.decode(ex.inCoding, payload)
	if ex.head != 0 {
		t.src.t = ex.headT
	}
	t.whole, t.batched = payload, wire.IsArray(payload)
	n := t.messages(payload, func(i int, m wire.Message) bool {
		t.src.batch = clampBatch(i)
		ex.facts.Messages++
		if m.Kind == wire.MsgRequest {
			ex.facts.Calls++
		}
		t.requestMessage(ex, &m)
		return true
	})
	ex.read = n > 0
	switch {
	case n > 0:
		t.dir.paths[ex.path] = true
		t.emitOf(EventRequest, t.group(ex), ex.call(), ex, payload)
		if ex.status != 0 { // the server did not wait for the body
			t.applyStatus(ex)
		}
	case t.dir.paths[ex.path] && t.Name(ex.verb) == "POST" && len(payload) > 0:
		g := t.plainGroup(ex)
		ex.rows = append(ex.rows, t.noise(g, wire.ToServer, "body", -1))
		ex.read = true
		if g != nil {
			t.belong(ex, g)
		}
		t.emitOf(EventRequest, g, ex.call(), ex, payload)
	default:
		t.src = source{frame: t.src.frame, t: ex.headT, len: t.src.len}
		t.plainRow(ex, payload)
	}
}

// requestMessage takes one message that a client posted.
func (t *Tracker) requestMessage(ex *exchange, m *wire.Message) {
	t.begin()
	if m.Kind == wire.MsgInvalid {
		ex.rows = append(ex.rows, t.noise(t.postGroup(ex), wire.ToServer, "batch noise", -1))
		return
	}
	var mt meta
	var g *group
	switch m.Kind {
	case wire.MsgRequest:
		mt = t.readMeta(m.Params)
		g = t.requestGroup(ex, m, &mt)
	case wire.MsgNotification:
		mt = t.readMeta(m.Params)
		g = t.postGroup(ex)
	default:
		g = t.postGroup(ex)
	}
	if g.ID == "" || !ex.hasID {
		t.watchID(g, m)
	} else {
		if !g.life.idSent.set() {
			g.life.idSent = t.mark()
		}
		g.life.idSents++
	}
	switch m.Kind {
	case wire.MsgRequest:
		t.request(g, ex, wire.ToServer, m, &mt)
	case wire.MsgNotification:
		t.notification(g, ex, wire.ToServer, m, &mt)
	default:
		t.response(g, ex, wire.ToServer, m)
	}
	t.belong(ex, g)
}

// watchID notes a request without the session id that the server had issued
// (2025-03-26 to 2025-11-25, basic/transports: Session Management).
func (t *Tracker) watchID(g *group, m *wire.Message) {
	if g.Transport == TransportHTTP && !g.Modern && g.ID != "" && g.IDSource != IDClient && g.IDSource != IDMeta &&
		string(m.Method) != mcp.Initialize {
		if !g.life.idMissing.set() {
			g.life.idMissing = t.mark()
		}
		g.life.idMisses++
	}
}

// closeConn takes the end of a connection, and with it of its exchanges.
func (t *Tracker) closeConn(f *wire.Frame) {
	c := t.conns[f.Conn]
	if c == nil {
		return
	}
	for _, x := range slices.Clone(c.open) {
		t.closeExchange(x, f)
	}
	if g := t.groupAt(c.modern); g != nil && g.strength == byConnection {
		t.closeGroup(g, "", 0)
	}
	delete(t.conns, f.Conn)
	t.emitOf(EventConn, nil, -1, nil, f.Data)
}

// applyRaw takes bytes that could not be framed.
func (t *Tracker) applyRaw(f *wire.Frame) {
	var g *group
	if c := t.conns[f.Conn]; c != nil {
		if g = t.groupAt(c.legacy); g == nil {
			g = t.groupAt(c.modern)
		}
	}
	t.whole = f.Data
	t.noise(g, f.Dir, "raw", -1)
}

// applyTap takes a fact about the tap itself.
func (t *Tracker) applyTap(f *wire.Frame) {
	r := t.newRow(RowTap, f.Dir)
	name, what := f.Kind.String(), ""
	if f.Kind == wire.KindEdit || f.Kind == wire.KindGate {
		if what = wire.Text(wire.Get(f.Data, "what")); what != "" {
			name = words.Clip(name+" "+what, 60)
		}
		if what == "host" && f.Conn != 0 {
			t.conn(f.Conn).host = words.Clip(wire.Text(wire.Get(f.Data, "now")), maxName)
		}
	}
	r.Name = t.names.internString(name)
	if f.Kind == wire.KindGap {
		r.Ending = Irregular
	}
	of := int32(-1)
	if f.Kind == wire.KindGate {
		of = t.touchedBy(f)
	}
	var g *group
	if f.Conn == 0 && f.X != 0 && f.Kind == wire.KindNote || f.Conn == 0 && f.Kind == wire.KindEdit { // of the process
		g = t.tapGroup(f)
	}
	t.emitOf(EventTap, g, -1, nil, f.Data)
	if f.Kind == wire.KindEdit && wire.IsHop(what) {
		return // every request through a forward proxy has some, and they change nothing
	}
	if of >= 0 {
		r.Parent = of
		t.addRow(r, t.groupAt(t.rows.row(int(of)).Session))
		return
	}
	if f.X == 0 || f.Conn == 0 {
		t.addRow(r, t.tapGroup(f))
		return
	}
	ex := t.exchange(f)
	if g := t.groupAt(ex.group); g != nil {
		r.Parent = ex.call()
		t.addRow(r, g)
		return
	}
	// An edit stands before the frame it speaks of: whose it is shows later.
	ex.taps = append(ex.taps, r)
}

func (t *Tracker) tapGroup(f *wire.Frame) *group {
	if c := t.conns[f.Conn]; c != nil {
		if g := t.groupAt(c.legacy); g != nil {
			return g
		}
		return t.groupAt(c.modern)
	}
	if t.process.primary >= 0 {
		return t.home()
	}
	return nil
}
