package session

import "midwire/session/wire"

// ofRefusal is the row that an error is about which came with a status of 400 or more and
// names no request: the only notification of its exchange, or one without a message, such as
// a GET. It is -1 for none.
func (t *Tracker) ofRefusal(ex *exchange, d wire.Dir, m *wire.Message) int32 {
	if ex == nil || d != wire.ToClient || m.Kind != wire.MsgError || ex.status < 400 {
		return -1
	}
	row := ex.httpRow
	switch {
	case len(ex.rows) == 1:
		row = ex.rows[0]
	case len(ex.rows) > 1 || row < 0:
		return -1
	}
	r := t.rows.row(int(row))
	if r.Kind == RowCall || r.Kind == RowNotification && r.Response != 0 {
		return -1
	}
	if r.Code = errorCode(m.Error); r.Kind == RowNotification {
		t.responded(row, r)
	}
	return row
}

// deny ends the row of what is no call, whose exchange is refused. A notification counts.
func (t *Tracker) deny(ex *exchange, r *Row) {
	g := t.groupAt(r.Session)
	if g != nil && r.Kind == RowNotification && !r.Ending.IsError() {
		if g.Errors++; uint64(r.Request) == g.life.initialized.frame {
			g.life.refusedWith = ex.status
		}
	}
	r.Ending = t.denied(ex)
}

// unrouted reports whether a stream or the end of a session was refused with 404 and a web page: a
// framework says so that it serves POST only, and the session is as it was.
func (t *Tracker) unrouted(ex *exchange) bool {
	verb := t.Name(ex.verb)
	return ex.status == 404 && (verb == "DELETE" || verb == "GET" && ex.stream) && len(ex.rows) == 0 &&
		ex.page
}
