package ledger

import (
	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Rows of the table about calls: their responses, and what the other side asks meanwhile.

// requests opens the debt of the response to the requests that go one way.
func requests(sent wire.Dir) func(*Ledger, *session.Event) *Debt {
	return func(l *Ledger, e *session.Event) *Debt {
		if e.Dir != sent || e.Kind != session.EventMessage || e.Message.Kind != wire.MsgRequest {
			return nil
		}
		d := l.begin(Response, e.Row, e.Dir.Opposite(), e.N, e.T)
		if e.Exchange != nil {
			d.T = l.t.Row(int(e.Row)).T
		}
		if e.Dir == wire.ToClient {
			l.asked(e, d)
		}
		if d.Session < 0 {
			return nil
		}
		return d
	}
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
	if s := l.slot(d.For, Response); s != nil {
		s.Question, s.Heard = d.Row, d.N
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

// mayAsk reports whether a server may ask something back to respond to a method.
func mayAsk(method string) bool {
	return method != mcp.Ping && !mcp.StaysOpen(method) && method != mcp.Initialize
}

// responded is the end of a call, in either direction.
func responded(l *Ledger, e *session.Event) (int32, session.Ending) {
	r := l.call(e)
	switch {
	case r == nil || e.Kind != session.EventSettled && !isResponse(e):
		return 0, 0
	case r.Ending == session.NoEnding: // redirected: what came of it is another call
		return e.Row, session.Withdrawn
	}
	return e.Row, r.Ending
}

func isResponse(e *session.Event) bool {
	return e.Kind == session.EventMessage && (e.Message.Kind == wire.MsgResult || e.Message.Kind == wire.MsgError)
}

// signs notes the notifications that belong to a call.
func signs(l *Ledger, e *session.Event) {
	if e.Kind != session.EventMessage || e.Message.Kind != wire.MsgNotification || e.Row < 0 {
		return
	}
	if s := l.slot(l.t.Row(int(e.Row)).Parent, Response); s != nil {
		s.heard(e)
	}
}

// result reports whether an event is a result of the server in a session, and of which
// method.
func (l *Ledger) result(e *session.Event) (method string, ok bool) {
	r := l.call(e)
	if r == nil || r.Dir != wire.ToServer || e.Message.Kind != wire.MsgResult || e.Session == nil {
		return "", false
	}
	return l.t.Name(r.Name), true
}

// request reports whether an event is a request of the client in a session, and of which
// method.
func (l *Ledger) request(e *session.Event) (method string, ok bool) {
	if e.Kind != session.EventMessage || e.Message.Kind != wire.MsgRequest ||
		e.Dir != wire.ToServer || e.Session == nil {
		return "", false
	}
	return l.t.Name(l.t.Row(int(e.Row)).Name), true
}

// notification is the method of a notification, "" for anything else.
func notification(e *session.Event) string {
	if e.Kind != session.EventMessage || e.Message.Kind != wire.MsgNotification {
		return ""
	}
	return string(e.Message.Method)
}

// of is the account of the session of an event.
func (l *Ledger) of(e *session.Event) *account { return l.account(e.Session.Index) }

// subscribed opens the debt of the acknowledgement.
func subscribed(l *Ledger, e *session.Event) *Debt {
	if method, ok := l.request(e); !ok || method != mcp.Listen || !e.Modern {
		return nil
	}
	d := l.begin(Acknowledgement, e.Row, wire.ToClient, e.N, e.T)
	if e.Exchange == nil {
		d.id = hash(e.Message.ID)
	}
	return d
}

// subscription is the subscription without acknowledgement that a notification is of, by
// its stream, or on stdio by the id that it names.
func (l *Ledger) subscription(e *session.Event) *slot {
	if notification(e) == "" || e.Dir != wire.ToClient || e.Row < 0 {
		return nil
	}
	if s := l.slot(l.t.Row(int(e.Row)).Parent, Acknowledgement); s != nil {
		return s
	}
	if e.Exchange != nil {
		return nil
	}
	return l.about(Acknowledgement, hash(e.Param("_meta", mcp.MetaSubscriptionID)))
}

func acknowledged(l *Ledger, e *session.Event) (int32, session.Ending) {
	if s := l.subscription(e); s != nil && notification(e) == mcp.NotifyAcknowledged {
		return s.Row, session.Served
	}
	r := l.call(e)
	switch {
	case r == nil, e.Kind == session.EventMessage && !isResponse(e):
		return 0, 0
	case r.Ending.Result() || r.Ending.Lost() || r.Ending.GaveUp():
		return e.Row, session.Unanswered
	}
	return e.Row, session.Withdrawn
}

// unacknowledged notes what comes before the acknowledgement.
func unacknowledged(l *Ledger, e *session.Event) {
	if method := notification(e); method != mcp.NotifyAcknowledged && method != mcp.NotifyCancelled {
		if s := l.subscription(e); s != nil {
			s.went(e.Row)
		}
	}
}
