package rules

import (
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/wire"
)

var serverStuck = rule("server-stuck", onGivingUp|diagnose.Finish, func(c *diagnose.Case) {
	if c.N == 0 {
		stuckAtLast(c)
		return
	}
	g, ok := gaveUp(c)
	if !ok || g.Owes == wire.ToServer || !g.timed() {
		return
	}
	q, ok := question(c, g.Row)
	if !ok || !isStuck(c, &q) {
		return
	}
	c.Say("", g.begin(c)+" The server had asked "+quote(q.Method)+" ("+frame(q.N)+") for it, the client had responded ("+frame(q.EndN)+"), and nothing came of it for "+
		seconds(c.T-q.EndT)+".",
		c.N, g.N, q.EndN, q.N)
})

// isStuck says that a server has had the response to its question for a while.
func isStuck(c *diagnose.Case, q *ledger.Debt) bool {
	r, ok := c.Ledger.Other(ledger.Reaction, int(q.Row))
	return ok && r.Missing() && (c.N == 0 || c.T-r.T > 5e9)
}

// stuckAtLast looks for such a call when the recording ends.
func stuckAtLast(c *diagnose.Case) {
	if c.Session.Pending == 0 || c.Blind() {
		return
	}
	end := c.Until()
	for _, d := range c.Ledger.Open(c.Session.Index) {
		if q, ok := question(c, d.Row); ok && d.Kind == ledger.Response && d.Owes == wire.ToClient &&
			isStuck(c, &q) && end-q.EndT > 60e9 {
			c.Say("", quote(d.Method)+" ("+frame(d.N)+") had no response until the recording ends. The server had asked "+quote(q.Method)+" ("+frame(q.N)+") for it, the client had responded ("+
				frame(q.EndN)+"), and nothing came of it for "+seconds(end-q.EndT)+".",
				d.N, q.EndN, q.N)
			return
		}
	}
}
