package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// onGivingUp is when gaveUp can say something.
const onGivingUp = diagnose.Notifications | diagnose.ClientEnds | diagnose.Processes

// givenUp is a request that the side that sent it no longer waits for.
type givenUp struct {
	ledger.Debt
	call   *diagnose.Call // nil when the end of its transport says it
	waited int64
	limit  int64  // the usual time limit that it comes close to, in seconds; 0 for none
	reason string // of the cancellation
	how    string // "cancelled it (#6)"
}

// gaveUp is the request that the case in hand gives up: by a cancellation, by the end
// of its HTTP exchange, by the end of stdin, or by that of the process.
func gaveUp(c *diagnose.Case) (g givenUp, ok bool) {
	row := c.Row
	switch {
	case c.Facts == nil:
		return g, false
	case c.Kind == messageKind:
		if string(c.Message.Method) != mcp.NotifyCancelled || c.Parent == nil || c.Parent.Dir != c.Dir {
			return g, false
		}
		row, g.call = c.Parent.Row, c.Parent
		g.reason, g.how = text(c.Param("reason")), "cancelled it ("
	case c.Kind == endKind && c.Exchange.Verb == "GET" && c.Exchange.IsStream && isSSE(c):
		if c.By != wire.ByClient {
			return g, false
		}
		if row = oldest(c); row < 0 {
			return g, false
		}
		g.how = "closed the stream ("
	case c.Kind == endKind:
		r := rowOf(c)
		gone := c.By == wire.ByClient || c.Left != 0
		if !gone || r == nil || r.Kind != session.RowCall || r.Dir != wire.ToServer ||
			r.Response != 0 && r.Ending != session.Late {
			return g, false
		}
		g.how = "closed the connection ("
	case c.Frame.Kind == wire.KindExit:
		if row = oldest(c); row < 0 || !ended(c) {
			return g, false
		}
		g.how = "ended the process of the server ("
	default:
		if c.Frame.Kind != wire.KindClose || c.Dir != wire.ToServer || text(wire.Get(c.Data, "by")) != wire.ByClient {
			return g, false
		}
		if row = oldest(c); row < 0 {
			return g, false
		}
		g.how = "closed stdin ("
	}
	if g.Debt, ok = c.Ledger.Of(int(row)); !ok || mcp.StaysOpen(g.Method) {
		return g, false
	}
	g.waited, g.how = c.T-g.T, g.how+frame(c.N)+")"
	if c.Kind == endKind && c.Left != 0 {
		g.waited = c.Left - g.T
	}
	g.limit = limitAt(g.waited)
	return g, true
}

// ended says whether a signal asked the process in hand to end while its stdin was open.
func ended(c *diagnose.Case) bool {
	end, over := exitOf(c)
	return over && end.asked() && !end.killed(c) && c.Ledger.Pipes().Stdin == 0
}

// oldest is the oldest call of the client in the session in hand that waits for its
// response, -1 for none.
func oldest(c *diagnose.Case) int32 {
	for _, d := range c.Ledger.Open(c.Session.Index) {
		if d.Kind == ledger.Response && d.Owes == wire.ToClient && !mcp.StaysOpen(d.Method) {
			return d.Row
		}
	}
	return -1
}

// timed says that a time limit was over, and that nobody had just enough of it.
func (g *givenUp) timed() bool {
	return g.limit != 0 || hasWord(g.reason, "timed out", "timeout", "deadline exceeded")
}

// limitAt returns the usual time limit, in seconds, that a time in nanoseconds
// comes close to; 0 for none.
func limitAt(ns int64) int64 {
	for _, s := range [...]int64{10, 30, 60, 120, 300} {
		if diff := ns - s*1e9; diff < s*1e7 && diff > -s*1e7 {
			return s
		}
	}
	return 0
}
