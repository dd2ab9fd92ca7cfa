package ledger

import (
	"strconv"

	"midwire/session"
	"midwire/session/wire"
)

const maxChain = 8

// Chain is what the call of a row waits for, or waited for when it ended without a
// response: its own debt, then what that stands on, and so on. There is none for a
// row that is no call.
func (l *Ledger) Chain(row int) []Debt {
	d, ok := l.Of(row)
	if !ok {
		return nil
	}
	chain := []Debt{d}
	for len(chain) < maxChain {
		next, ok := l.under(&chain[len(chain)-1])
		if !ok {
			break
		}
		chain = append(chain, next)
	}
	return chain
}

// under is what a debt stands on.
func (l *Ledger) under(d *Debt) (Debt, bool) {
	switch {
	case d.Kind != Response:
		return Debt{}, false
	case d.End.Result():
		return l.follows(d)
	case d.End.IsError() || d.Owes == wire.ToServer:
		return Debt{}, false
	}
	if r, ok := l.find(keyOf(d.Row, Resume)); ok && r.End != session.Served {
		return r, true
	}
	if d.Question >= 0 {
		if q, ok := l.Of(int(d.Question)); ok && (q.End.Open() || q.Sure) {
			return q, true
		}
	}
	if q, ok := l.question(d); ok {
		return q, true
	}
	if d.Question >= 0 {
		return l.Of(int(d.Question))
	}
	return Debt{}, false
}

// follows is what a response left to the client.
func (l *Ledger) follows(d *Debt) (Debt, bool) {
	root := d.Row
	if p := l.t.Row(int(d.Row)).Parent; p >= 0 && d.Owes == wire.ToClient {
		root = p
	}
	if i, ok := l.open[keyOf(root, Input)]; ok {
		return l.slots[i].Debt, true
	}
	for _, kind := range [...]Kind{Handshake, Task, Page} {
		if i, ok := l.open[keyOf(d.Row, kind)]; ok {
			return l.slots[i].Debt, true
		}
	}
	return Debt{}, false
}

// question is the latest open request of the server in the session of a call that is
// of no other call: the server may be waiting for it.
func (l *Ledger) question(d *Debt) (Debt, bool) {
	a := l.accounts[d.Session]
	if a == nil || !mayAsk(d.Method) {
		return Debt{}, false
	}
	for i, n := a.last, 0; i >= 0 && n < maxLook; i, n = l.slots[i].prev, n+1 {
		q := &l.slots[i]
		if q.Kind == Response && q.Owes == wire.ToServer && mayAsk(q.Method) && (q.For < 0 || q.For == d.Row) {
			return q.Debt, true
		}
	}
	return Debt{}, false
}

// Words says in a sentence without its full stop what the first debt of a chain
// waits for. It holds methods from the wire: make it safe before it is shown.
func Words(chain []Debt) string {
	if len(chain) == 0 {
		return ""
	}
	d := &chain[0]
	if len(chain) == 1 {
		return d.alone()
	}
	w := d.name()
	switch next := &chain[1]; next.Kind {
	case Response:
		w += next.asked()
	case Resume:
		w += " waits for the rest of its stream, which ended in " + frame(next.N) +
			": the client has not requested it with Last-Event-ID"
	case Handshake:
		w += " got its response in " + frame(next.N) + ", and the client has not sent notifications/initialized"
	case Input:
		w += " needs input since " + frame(next.N) + ", and the client has not sent the next round"
	case Task:
		w += " became a task in " + frame(next.N) + ", which has not ended"
		if next.Heard != 0 {
			w += "; the client last asked for it in " + frame(next.Heard)
		} else {
			w += "; the client has not asked for it"
		}
	case Page:
		w += " has a further page since " + frame(next.N) + ", which the client has not requested"
	}
	if len(chain) > 2 {
		w += "; " + Words(chain[1:])
	}
	return w
}

// asked says how the request that a call stands on stands itself.
func (d *Debt) asked() string {
	w := " waits for the " + side(d.Owes.Opposite())
	switch {
	case d.End.Open() && d.Sure:
		return " waits for " + d.name() + ", which the " + d.Debtor() + " received and did not respond to"
	case d.End.Open():
		return w + ", which seems to wait for " + d.name() + ": the " + d.Debtor() + " received it and did not respond to it"
	case d.End.Result() || d.End.IsError():
		return w + ", which got the response to its " + d.name() + " in " + frame(d.EndN) + " and did not continue"
	case d.End == session.Undelivered:
		return w + ", which refused the response to its " + d.name() + " in " + frame(d.EndN)
	case d.End.GaveUp():
		return w + ", whose " + d.name() + " was cancelled in " + frame(d.EndN)
	}
	return w + ", whose " + d.name() + " got no response"
}

// alone says how a debt stands that stands on nothing.
func (d *Debt) alone() string {
	w := d.name()
	switch {
	case d.End.Open():
		w += " waits for the response of the " + d.Debtor()
		if d.Heard != 0 {
			w += ", of which " + frame(d.Heard) + " was the latest sign"
		}
		return w
	case d.EndN == 0:
		return w + " has ended"
	case d.End.GaveUp():
		w += " was cancelled"
	case d.End.Lost():
		w += " lost its transport"
	case d.End.Denied():
		w += " was refused"
	default:
		w += " got its response"
	}
	return w + " in " + frame(d.EndN)
}

// name is the method of a debt with its frame: "tools/call (#12)".
func (d *Debt) name() string {
	return d.Method + " (" + frame(d.N) + ")"
}

func frame(n uint64) string { return "#" + strconv.FormatUint(n, 10) }
