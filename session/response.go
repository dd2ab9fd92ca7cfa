package session

import (
	"strconv"
	"strings"

	"midwire/session/encoding"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// responseHead takes the head of a response.
func (t *Tracker) responseHead(ex *exchange, f *wire.Frame) {
	events, outCoding := ex.events, ex.outCoding
	status, id := t.readResponseHead(ex, f.Data)
	if status/100 == 1 && status != 101 {
		ex.events, ex.outCoding = events, outCoding // interim: the real one follows
		return
	}
	ex.status, ex.resp, ex.respT = status, t.src.frame, f.T
	ex.page = status >= 400 && wire.IsMediaType(wire.HeadValue(f.Data, "Content-Type"), "text/html")
	ex.facts.ResponseHead = ex.facts.response.keep(ex.facts.ResponseHead, t.watch != nil)
	if !ex.read && ex.httpRow < 0 && ex.in.src.frame == 0 && !ex.expects {
		t.plainRow(ex, nil)
	}
	if (status == 307 || status == 308) && ex.read {
		t.redirected(ex, wire.HeadValue(f.Data, "Location"))
	}
	ex.past = status/100 == 3 && ex.read && t.conn(ex.conn).leadsPast(wire.HeadValue(f.Data, "Location"))
	if len(id) > 0 {
		t.responseID(ex, id)
	} else {
		t.noResponseID(ex)
	}
	if ex.read || ex.httpRow >= 0 {
		t.applyStatus(ex)
	}
	g := t.groupAt(ex.group)
	if g != nil {
		t.touch(g)
	}
	t.emitOf(EventResponse, g, ex.call(), ex, nil)
}

// applyStatus gives the rows of an exchange the status of its response.
func (t *Tracker) applyStatus(ex *exchange) {
	for _, row := range ex.rows {
		r := t.rows.row(int(row))
		r.Status = ex.status
		if r.Kind == RowCall && r.First == 0 {
			r.First = ex.respT
		}
		if r.Kind != RowCall && ex.status >= 400 {
			t.deny(ex, r)
		}
		t.changed(row)
	}
	if ex.httpRow >= 0 {
		t.plainStatus(ex)
	}
	g := t.groupAt(ex.group)
	if g != nil && ex.place != ex.path && g.place == ex.place && ex.status < 300 {
		g.Endpoint = t.Name(ex.path) // where it was redirected to
	}
	if g == nil || g.Modern || ex.known != ex.group {
		return
	}
	switch {
	case ex.status == 404 && g.State != StateClosed && !t.unrouted(ex):
		// 2025-03-26 to 2025-11-25, basic/transports: Session Management 3
		g.State = StateLost
		g.life.closed = mark{uint64(ex.head), ex.respT}
		if len(ex.rows) > 0 {
			g.life.closed.frame = uint64(t.rows.row(int(ex.rows[0])).Request)
		}
	case ex.status < 300 && t.Name(ex.verb) == "DELETE":
		lost := 0
		for _, d := range g.detached {
			if t.rows.row(int(d.row)).Ending.Open() {
				t.settle(d.row, Unanswered)
				lost++
			}
		}
		g.detached = nil
		t.closeGroup(g, "DELETE", lost)
	}
}

// plainStatus completes the row of an exchange that is not JSON-RPC.
func (t *Tracker) plainStatus(ex *exchange) {
	r := t.rows.row(int(ex.httpRow))
	r.Status, r.Response, r.First = ex.status, ex.resp, max(ex.respT, 1)
	r.RLen = t.src.len
	r.Ending = Served
	if ex.status >= 400 {
		r.Ending = t.denied(ex)
	}
	// A server need not offer its own stream, nor accept a DELETE (basic/transports).
	if verb := t.Name(ex.verb); ex.status == 405 && (verb == "DELETE" || verb == "GET" && ex.stream) || t.unrouted(ex) {
		r.Ending = NoEnding
	}
	if ex.status == 404 && strings.HasPrefix(t.Name(ex.path), "/.well-known/") {
		r.Ending = NoEnding // asking is how a client finds out
	}
	if !ex.events {
		r.End = r.First
	}
	t.changed(ex.httpRow)
}

// responseBody takes the body of a response, or a part of it.
func (t *Tracker) responseBody(ex *exchange, f *wire.Frame) {
	if ex.httpRow >= 0 {
		r := t.rows.row(int(ex.httpRow))
		r.RLen += clampLen(f.Len)
		t.changed(ex.httpRow)
	}
	if g := t.groupAt(ex.group); g != nil {
		t.touch(g)
	}
	if ex.outCoding != encoding.None {
		t.codings[t.src.frame] = ex.outCoding
	}
	if ex.events {
		t.folded(ex, f)
		return
	}
	payload, whole := t.join(&ex.out, f)
	if !whole {
		return
	}
	payload = t.decode(ex.outCoding, payload)
	if ex.outCoding != encoding.None && t.budget.Refused() {
		t.unread(ex)
		return
	}
	n := 0
	t.whole, t.batched = payload, wire.IsArray(payload)
	if t.place(ex, payload) != nil {
		n = t.messages(payload, func(i int, m wire.Message) bool {
			t.src.batch = clampBatch(i)
			t.serverMessage(ex, &m)
			return true
		})
	}
	t.src.batch = 0
	if n == 0 && ex.status != 202 {
		t.unreadable(ex, len(payload) == 0)
	}
	t.emitOf(EventBody, t.group(ex), ex.call(), ex, payload)
}

// group is the session of an exchange, nil when it has none.
func (t *Tracker) group(ex *exchange) *group { return t.groupAt(ex.group) }

// unreadable ends the calls of an exchange whose response is not JSON-RPC.
func (t *Tracker) unreadable(ex *exchange, empty bool) {
	for _, row := range ex.rows {
		r := t.rows.row(int(row))
		if r.Response != 0 && r.Kind == RowCall {
			continue
		}
		t.responded(row, r)
		if !empty && ex.status != 307 && ex.status != 308 || ex.status >= 400 {
			t.settle(row, t.denied(ex))
		}
	}
	if g := t.group(ex); g != nil && ex.status < 300 && ex.httpRow < 0 && len(ex.rows) > 0 && !empty {
		g.Noise++
	}
}

// unread ends the calls of an exchange whose response was not read: what came is
// not known.
func (t *Tracker) unread(ex *exchange) {
	for _, row := range ex.rows {
		if r := t.rows.row(int(row)); r.Kind == RowCall && r.Ending.Open() {
			t.responded(row, r)
			t.settle(row, NoEnding)
		}
	}
}

// event takes one SSE event.
func (t *Tracker) event(ex *exchange, f *wire.Frame) {
	raw, whole := t.join(&ex.out, f)
	if whole {
		t.eventData(ex, raw)
	}
	if g := t.group(ex); g != nil {
		t.touch(g)
	}
}

func (t *Tracker) eventData(ex *exchange, raw []byte) {
	e := wire.ParseEvent(raw)
	if e.HasID && e.ID != "" {
		ex.primed, ex.eventID = true, e.ID
	}
	if len(e.Data) > 0 || e.HasID || e.Name != "" {
		if ex.facts.Events++; ex.facts.Events == 1 {
			ex.facts.FirstEventT = t.f.T
		}
	}
	if t.watch != nil {
		t.emitted.SSE = e
		t.emit(EventSSE, t.group(ex), ex.call(), ex, raw)
	}
	if len(e.Data) == 0 {
		return
	}
	if ex.httpRow >= 0 {
		t.countEvent(ex.httpRow)
	}
	if e.Name == "endpoint" && len(e.Data) <= maxEndpoint {
		t.endpoint(ex, e.Data)
		return
	}
	g := t.place(ex, e.Data)
	if g == nil {
		return
	}
	t.whole, t.batched = e.Data, wire.IsArray(e.Data)
	n := t.messages(e.Data, func(i int, m wire.Message) bool {
		if ex.fold != nil {
			i = t.keep(m.Raw)
		}
		t.src.batch = clampBatch(i)
		t.serverMessage(ex, &m)
		return true
	})
	if n == 0 {
		t.noise(g, wire.ToClient, "event", ex.call())
	}
}

// serverMessage takes one message that a server sent.
func (t *Tracker) serverMessage(ex *exchange, m *wire.Message) {
	t.begin()
	g := t.group(ex)
	switch m.Kind {
	case wire.MsgRequest:
		t.request(g, ex, wire.ToClient, m, &meta{})
	case wire.MsgNotification:
		mt := t.readMeta(m.Params)
		t.notification(g, ex, wire.ToClient, m, &mt)
	case wire.MsgResult, wire.MsgError:
		t.respondsTo(ex, g)
		t.response(g, ex, wire.ToClient, m)
	default:
		t.noise(g, wire.ToClient, "batch noise", ex.call())
	}
}

// farewell reads the payload of the end of an exchange. Most say what the last one said.
func (t *Tracker) farewell(data []byte) (by string, clean bool, left int64) {
	last := &t.lastEnd
	if string(data) == last.data {
		return last.by, last.clean, 0
	}
	wire.Members(data, func(name, value []byte) bool {
		switch string(name) {
		case "by":
			by = t.known(value)
		case "clean":
			clean = string(value) == "true"
		case "left":
			left, _ = strconv.ParseInt(string(value), 10, 64)
		}
		return true
	})
	if left == 0 {
		last.data, last.by, last.clean = string(data), by, clean
	}
	return by, clean, left
}

// closeExchange takes the end of an exchange.
func (t *Tracker) closeExchange(x uint32, f *wire.Frame) {
	ex := t.open[x]
	if ex == nil {
		return
	}
	by, clean, left := t.farewell(f.Data)
	if ex.fold != nil {
		ex.framer.Feed(ex.fold.feed(nil, true), func(raw []byte) { t.eventData(ex, raw) })
		if ex.fold.failed {
			t.unread(ex)
		}
	}
	if !ex.read && ex.httpRow < 0 && ex.head != 0 {
		t.plainRow(ex, nil)
		if ex.status != 0 {
			t.plainStatus(ex)
		}
	}
	t.closeRows(ex, by == wire.ByClient)
	t.tooLate(ex, left)
	g := t.group(ex)
	if g != nil {
		t.touch(g)
	}
	for _, r := range ex.taps {
		t.addRow(r, g)
	}
	t.emitted.By, t.emitted.Clean, t.emitted.Left = by, clean, left
	t.emitOf(EventEnd, g, ex.call(), ex, nil)
	if g != nil && g.Transport == TransportSSE && ex.httpRow >= 0 && t.isStream(ex, g) {
		t.closeGroup(g, "", t.loseAll(g))
	}
	t.forget(ex)
}

// waited is how long a client waits at least that leaves because nothing comes, and not
// because it ends its side of the connection behind every request.
const waited = 1e9

// tooLate looks at calls whose response came when the client had left.
func (t *Tracker) tooLate(ex *exchange, left int64) {
	for _, row := range ex.rows {
		r := t.rows.row(int(row))
		came := r.Kind == RowCall && r.Ending.Result() && r.End > left
		if came && left-r.T >= waited && !mcp.StaysOpen(t.Name(r.Name)) {
			if r.Ending.IsError() {
				t.groupAt(r.Session).Errors--
			}
			r.Ending = Late
			t.changed(row)
		}
	}
}

// isStream reports whether an exchange is the stream that an HTTP+SSE session
// lives by.
func (t *Tracker) isStream(ex *exchange, g *group) bool {
	return ex.events && g.life.begin.frame == uint64(ex.head)
}

// closeRows ends the rows of an exchange that had no response on it.
func (t *Tracker) closeRows(ex *exchange, byClient bool) {
	if ex.httpRow >= 0 {
		r := t.rows.row(int(ex.httpRow))
		if r.Ending.Open() {
			r.Ending = Unanswered
		}
		if r.End == 0 && ex.status != 0 {
			r.End = t.f.T
		}
		t.changed(ex.httpRow)
	}
	for _, row := range ex.rows {
		r := t.rows.row(int(row))
		if r.Kind == RowNotification && r.Response == 0 && ex.status != 0 {
			r.Response, r.End = ex.resp, max(ex.respT, 1)
			t.changed(row)
		}
		if r.Kind == RowCall && r.Ending.Open() {
			t.noResponse(ex, row, r, byClient)
		}
	}
	if len(ex.rows) == 0 && ex.httpRow < 0 && ex.status >= 400 {
		t.plainRow(ex, nil) // it carried responds to that were refused
		t.plainStatus(ex)
	}
}

// noResponse decides about a call whose exchange ended without its response.
func (t *Tracker) noResponse(ex *exchange, row int32, r *Row, byClient bool) {
	g := t.groupAt(r.Session)
	switch {
	case ex.past: // whoever follows it continues where we are not
		g.life.past = true
		t.settle(row, NoEnding)
	case ex.status >= 400:
		t.src = source{frame: ex.resp}
		t.responded(row, r)
		t.settle(row, t.denied(ex))
	case ex.status/100 == 2 && g.Transport == TransportSSE:
		// The response comes on the stream of the session. Some servers say 200.
	case ex.status != 0 && ex.primed && !r.Modern:
		// 2025-11-25: the client comes back for it with Last-Event-ID.
		if len(g.detached) >= maxRemembered {
			g.detached = append(g.detached[:0], g.detached[1:]...)
		}
		g.detached = append(g.detached, detached{ex.eventID, row})
	case r.Modern && byClient:
		// 2026-07-28: closing the stream is how a client cancels.
		t.settle(row, Withdrawn)
	default:
		t.settle(row, Unanswered)
	}
}
