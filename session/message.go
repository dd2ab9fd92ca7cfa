package session

import (
	"bytes"
	"cmp"
	"math"

	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// source is where the message in hand came from. It differs from the frame in
// hand when a payload came in several parts, or behind an HTTP head.
type source struct {
	frame uint32
	t     int64
	len   uint32
	batch uint16
}

func (t *Tracker) messageRow(kind RowKind, d wire.Dir) Row {
	r := t.newRow(kind, d)
	r.Request, r.T, r.Len, r.Batch = t.src.frame, t.src.t, t.src.len, t.src.batch
	return r
}

// clipID bounds what is kept of an id. Two ids of more than 512 bytes that
// begin alike are taken for one.
func clipID(raw []byte) []byte { return words.Clip(raw, maxName) }

// idName returns the name of a JSON-RPC id as it was written.
func (t *Tracker) idName(raw []byte) uint32 {
	if n, ok := smallInt(raw); ok {
		return n
	}
	switch {
	case len(raw) == 0:
		return 0
	case string(raw) == "null":
		return t.names.intern(raw)
	}
	return t.names.append(string(raw))
}

// request adds the row of a call.
func (t *Tracker) request(g *group, ex *exchange, d wire.Dir, m *wire.Message, mt *meta) {
	m.ID = clipID(m.ID)
	r := t.messageRow(RowCall, d)
	r.Ending, r.Modern = Waiting, mt.modern
	r.Name, r.ID = t.names.intern(m.Method), t.idName(m.ID)
	if d == wire.ToClient && ex != nil {
		r.Parent = ex.call()
	}
	if mt.modern {
		r.Parent = t.nextRound(g, m)
	}
	row := t.addRow(r, g)
	g.Messages++
	g.Calls++
	g.Pending++
	t.emitted.Twin = -1
	if old, ok := g.scope.find(d, m.ID); ok && !t.rows.row(int(old)).Ending.Open() {
		g.scope.remove(d, m.ID, old) // it was lost or cancelled; its id means this call now
		if ex != nil && ex.place != ex.path {
			t.follow(old, r.Name)
		}
	} else if ok {
		t.emitted.Twin = old
	}
	g.scope.add(d, m.ID, row)
	if mt.token != nil {
		g.scope.addToken(d, mt.token, row)
	}
	if ex != nil && d == wire.ToServer {
		ex.rows = append(ex.rows, row)
	}
	switch {
	case d == wire.ToClient:
	case g.Modern:
		t.modernRequest(g, ex, m, mt)
	case mt.modern && string(m.Method) != mcp.Discover:
		t.modernOnOld(g, mt)
	default:
		t.legacyRequest(g, row, m)
	}
	t.emitMessage(g, row, ex, d, m)
}

// follow takes a redirect of a call for neither success nor failure: the client repeats the
// call where it leads.
func (t *Tracker) follow(row int32, name uint32) {
	if r := t.rows.row(int(row)); r.Status/100 == 3 && r.Ending == Unanswered && r.Name == name {
		r.Ending = NoEnding
		t.changed(row)
	}
}

// notification adds the row of a notification and does what it says.
func (t *Tracker) notification(g *group, ex *exchange, d wire.Dir, m *wire.Message, mt *meta) {
	r := t.messageRow(RowNotification, d)
	r.Name = t.names.intern(m.Method)
	r.Parent = t.regards(g, ex, d, m, mt)
	row := t.addRow(r, g)
	g.Messages++
	if ex != nil && d == wire.ToServer {
		ex.rows = append(ex.rows, row)
	}
	if r.Parent >= 0 && string(m.Method) != mcp.NotifyCancelled {
		t.countEvent(r.Parent)
	}
	switch string(m.Method) {
	case mcp.NotifyCancelled:
		t.cancel(r.Parent)
	case mcp.NotifyInitialized:
		if d == wire.ToServer && !g.Modern {
			t.initialized(g)
		}
	}
	t.emitMessage(g, row, ex, d, m)
}

// regards finds the call a notification belongs to, -1 for none: the one it
// names, else the one on whose response stream it came.
func (t *Tracker) regards(g *group, ex *exchange, d wire.Dir, m *wire.Message, mt *meta) int32 {
	switch string(m.Method) {
	case mcp.NotifyCancelled:
		id := clipID(wire.Get(m.Params, "requestId"))
		if row, ok := g.scope.find(d, id); ok {
			return row
		}
		// A server of 2026-07-28 ends a subscription this way: the request is
		// the client's.
		if row, ok := g.scope.find(d.Opposite(), id); ok && t.rows.row(int(row)).Modern {
			return row
		}
		return -1
	case mcp.NotifyProgress:
		token := clipID(wire.Get(m.Params, "progressToken"))
		if ex != nil && d == wire.ToClient {
			for _, row := range ex.rows {
				if own, ok := g.scope.tokenOf[row]; ok && sameID(string(own), token) {
					return row
				}
			}
		}
		if row, ok := g.scope.tokens[side(d.Opposite())].get(token); ok {
			return row
		}
	}
	if mt.subscription != nil {
		if row, ok := g.scope.find(wire.ToServer, mt.subscription); ok {
			return row
		}
	}
	if ex != nil && d == wire.ToClient {
		return ex.call()
	}
	return -1
}

// countEvent notes that a call got something before its response.
func (t *Tracker) countEvent(row int32) {
	r := t.rows.row(int(row))
	if r.Count < math.MaxUint16 {
		r.Count++
	}
	r.First = cmp.Or(r.First, t.f.T)
	t.changed(row)
}

// cancel marks a pending call as cancelled. It stays known: its response may be
// on the way already.
func (t *Tracker) cancel(row int32) {
	if row < 0 {
		return
	}
	r := t.rows.row(int(row))
	if !r.Ending.Open() {
		return
	}
	t.settle(row, Withdrawn)
}

// settle ends a pending call without a response.
func (t *Tracker) settle(row int32, e Ending) {
	r := t.rows.row(int(row))
	if r.Kind != RowCall || !r.Ending.Open() {
		return
	}
	if e == Unanswered && t.Fate(r, r.Dir) == wire.GateDrop {
		e = Undelivered
	}
	r.Ending = e
	g := t.groupAt(r.Session)
	g.Pending--
	if e.IsError() {
		g.Errors++
		t.unpend(g, row, r)
	}
	if !e.GaveUp() {
		g.scope.dropToken(r.Dir, row)
	}
	t.changed(row)
	t.markDirty(g)
	if e.Failed() {
		t.callFailed(g, row, r, nil)
	}
	if t.watch != nil {
		t.emit(EventSettled, g, row, nil, nil)
	}
}

// response finds the call of a response and resolves it. g is where a response
// without a call belongs.
func (t *Tracker) response(g *group, ex *exchange, d wire.Dir, m *wire.Message) {
	m.ID = clipID(m.ID)
	row := int32(-1)
	if ex != nil && d == wire.ToClient {
		row = t.inExchange(ex, m)
	}
	if row < 0 && len(m.ID) > 0 && string(m.ID) != "null" {
		i, ok := g.scope.find(d.Opposite(), m.ID)
		if !ok { // clients take 1 for "1" and the reverse
			i, ok = g.scope.find(d.Opposite(), otherSpelling(m.ID))
		}
		if ok {
			row = i
		}
	}
	if row >= 0 {
		t.resolve(row, m)
	} else if row = t.ofRefusal(ex, d, m); row >= 0 {
		g.Messages++
	} else {
		row = t.stray(g, d, m)
	}
	t.emitMessage(g, row, ex, d, m)
}

// inExchange finds the call of a POST that a response on it belongs to: the one
// with its id. An error that could not say its id (servers send null, none, or
// one they invented, such as "server-error") responds to the only call there is.
func (t *Tracker) inExchange(ex *exchange, m *wire.Message) int32 {
	only := int32(-1)
	for _, row := range ex.rows {
		r := t.rows.row(int(row))
		if r.Kind != RowCall || r.Response != 0 {
			continue
		}
		if t.hasID(r, m.ID) {
			return row
		}
		if only < 0 {
			only = row
		}
	}
	if m.Kind == wire.MsgError && (ex.status >= 400 || len(m.ID) == 0 || string(m.ID) == "null") {
		return only
	}
	return -1
}

// stray adds the row of a response that responds nothing we saw, and returns it.
func (t *Tracker) stray(g *group, d wire.Dir, m *wire.Message) int32 {
	r := t.messageRow(RowResponse, d)
	r.ID = t.idName(m.ID)
	r.Ending = Irregular
	if m.Kind == wire.MsgError {
		r.Ending, r.Code = Refused, errorCode(m.Error)
	}
	g.Messages++
	return t.addRow(r, g)
}

// resolve completes a call with its response.
func (t *Tracker) resolve(row int32, m *wire.Message) {
	r := t.rows.row(int(row))
	g := t.groupAt(r.Session)
	g.Messages++
	t.responded(row, r)
	if t.unpend(g, row, r); r.ID == unnamed {
		g.scope.remove(r.Dir, clipID(m.ID), row)
	}
	g.scope.dropToken(r.Dir, row)
	switch {
	case r.Ending.GaveUp():
		if !mcp.StaysOpen(t.Name(r.Name)) { // that ends by being cancelled
			r.Ending = Late
		}
		return
	case r.Ending.Open():
		g.Pending--
	case r.Ending.IsError():
		g.Errors--
	}
	r.Ending = Served
	if m.Kind == wire.MsgError {
		r.Ending, r.Code = Refused, errorCode(m.Error)
	} else if t.toolFailed(r, m.Result) {
		r.Ending = ToolError
	}
	if r.Ending.IsError() {
		g.Errors++
	}
	if g.State == StateLost && r.Ending.Result() && r.T >= g.life.closed.t {
		// It was not the session that was not found.
		g.State, g.life.closed = StateOperating, mark{}
	}
	t.changed(row)
	t.touch(g)
	if r.Dir == wire.ToServer {
		t.callResponse(g, row, r, m)
	}
}

// hasID reports whether a call has that id, type included.
func (t *Tracker) hasID(r *Row, raw []byte) bool {
	if n, ok := smallInt(raw); ok || r.ID&inlineInt != 0 {
		return ok && n == r.ID
	}
	return sameID(t.Name(r.ID), raw)
}

// unpend forgets the id of a call that has its response.
func (t *Tracker) unpend(g *group, row int32, r *Row) {
	if r.ID&inlineInt != 0 {
		g.scope.removeInt(r.Dir, r.ID, row)
		return
	}
	g.scope.remove(r.Dir, []byte(t.Name(r.ID)), row)
}

// responded notes where the response of a row is.
func (t *Tracker) responded(row int32, r *Row) {
	r.Response, r.RBatch, r.RLen = t.src.frame, t.src.batch, t.src.len
	r.End = max(t.f.T, 1)
	r.First = cmp.Or(r.First, r.End)
	t.changed(row)
}

var (
	isErrorEnd  = []byte(`isError"`)
	isErrorPath = []string{"isError"}
)

// toolFailed reports whether a tool says of itself that it failed: that is a
// result and no JSON-RPC error (server/tools: Error Handling).
func (t *Tracker) toolFailed(r *Row, result []byte) bool {
	if t.ahead == nil && !bytes.Contains(result, isErrorEnd) {
		return false
	}
	switch t.Name(r.Name) {
	case mcp.ToolsCall, mcp.TasksResult:
		return string(t.emitted.result.get(result, isErrorPath)) == "true"
	case mcp.TasksGet:
		return string(wire.Get(result, "result", "isError")) == "true"
	}
	return false
}

func errorCode(raw []byte) int32 {
	n, _ := wire.Int(wire.Get(raw, "code"))
	return int32(min(max(n, math.MinInt32), math.MaxInt32))
}

// noise adds the row of bytes that are no JSON-RPC where JSON-RPC belongs.
func (t *Tracker) noise(g *group, d wire.Dir, name string, parent int32) int32 {
	r := t.messageRow(RowNoise, d)
	r.Ending, r.Parent = Irregular, parent
	r.Name = t.names.internString(name)
	if g != nil {
		g.Noise++
	}
	row := t.addRow(r, g)
	t.emitOf(EventNoise, g, row, t.open[t.f.X], t.whole)
	return row
}

// loseAll ends what is pending in a session, as its transport has ended, and
// returns how many calls got no response. A subscription is not lost: it ends
// with its transport (2026-07-28, basic/patterns: Subscriptions).
func (t *Tracker) loseAll(g *group) int {
	n := 0
	for _, row := range g.scope.pending() {
		r := t.rows.row(int(row))
		switch {
		case r.Session != int32(g.Index) || !r.Ending.Open():
		case mcp.StaysOpen(t.Name(r.Name)):
			t.settle(row, Withdrawn)
		default:
			t.settle(row, Unanswered)
			n++
		}
	}
	return n
}
