package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
)

var sessionNotRenewed = rule("session-not-renewed", diagnose.Refusals|diagnose.Finish, checkNotRenewed)

// stubborn is how long a client uses an id that is over, and how often, that does not
// begin again by itself.
const (
	stubborn   = 5e9
	maxDeadUse = 3
	fresh      = 60e9 // a session is not yet idle
)

func checkNotRenewed(c *diagnose.Case) {
	if c.Session == nil || c.Refusal == nil && c.N != 0 {
		return
	}
	lost, ok := c.Ledger.Latest(ledger.Renewal, c.Session.Index)
	if !ok || c.Facts.LastOK == 0 && c.Session.IDSource == session.IDForeign {
		return
	}
	if c.Facts.LastOK > lost.T { // another answer of the session says that it lives
		return
	}
	was := c.Tracker().Row(int(lost.Row))
	told := diagnose.State[int](c) // uses of the id that were reported
	switch {
	case c.N != 0 && (c.Refusal.Status != 404 || lost.Times < maxDeadUse || c.T-lost.T <= stubborn):
		return
	case c.N == 0 && lost.Signs == 0 && c.Session.State == session.StateLost:
		f := diagnose.Finding{Severity: diagnose.Warning}
		f.Frames = []uint64{uint64(was.Request), lost.N}
		f.Message = c.Server() + " forgot session " + quote(lost.Name) + " (" + frame(lost.N) + "), and the client sent no further message and no new initialize."
		if since := lost.T - c.Facts.LastOK; c.Facts.LastOK != 0 && since < fresh {
			f.Side = diagnose.Server
			f.Message += " The session had been served " + seconds(since) + " before."
			f.Cause = "The session is too young to have expired: another instance got the request (replicas without affinity), the server keeps no sessions, or its process was restarted just then. After the 404 the client did not begin again, as many do not."
		}
		lostWith(c, &f, &lost)
		c.ReportAs("gave up", f)
	}
	for ; *told < lost.Times; *told++ {
		use := c.Tracker().Row(int(lost.Went[min(*told, len(lost.Went)-1)]))
		c.Say("", c.Server()+" forgot session "+quote(lost.Name)+" (404 in "+frame(lost.N)+"), and the client kept using it ("+frame(use.Request)+") instead of sending initialize.",
			uint64(use.Request), uint64(use.Response), uint64(was.Request), lost.N)
	}
}

// lostWith looks for a call that was lost before the session was: that is what failed.
func lostWith(c *diagnose.Case, f *diagnose.Finding, lost *ledger.Debt) {
	call := latest(c, func(r *session.Row) bool {
		return r.Kind == session.RowCall && r.Ending.Lost() && uint64(r.Request) < lost.N
	})
	if call == nil {
		return
	}
	f.Side, f.Frames = diagnose.Server, append(f.Frames, uint64(call.Request))
	f.Message += " Before that, " + c.Tracker().Name(call.Name) + " (" + frame(call.Request) + ") got no response: the connection broke in the middle of it."
	advise(f, "lost in a call")
}
