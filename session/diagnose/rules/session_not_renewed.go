package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var sessionNotRenewed = rule("session-not-renewed", diagnose.Refusals|diagnose.Finish|diagnose.Requests,
	checkNotRenewed)

type lostSession struct {
	n       uint64 // frame of the 404
	t       int64  // when, nanoseconds
	conn    uint32
	calls   int   // refused calls, the first included
	renewed int64 // when the client began again, 0 for not
	served  int64 // when a request was served last, 0 for none
	frames  []uint64
	uses    []deadUse // of its id since, by a client that could know
}

// deadUse is a request with the id of a session that is over.
type deadUse struct {
	request, refused uint64
	t                int64
}

// A client that begins again has some time to stop what it does under the old id. One
// that used it so often for so long does not begin again by itself.
const (
	settling   = 1e9
	stubborn   = 5e9
	maxDeadUse = 3
	fresh      = 60e9 // a session is not yet idle
)

func checkNotRenewed(c *diagnose.Case) {
	lost := diagnose.State[lostSession](c)
	switch {
	case c.N == 0: // the recording is over
		lost.report(c)
		if lost.n != 0 && lost.calls == 1 && lost.renewed == 0 && c.Session.State == session.StateLost {
			f := diagnose.Finding{Severity: diagnose.Warning, Confidence: diagnose.Likely, Frames: lost.frames}
			f.Message = c.Server() + " no longer knew session " + quote(c.Session.ID) + " (" + frame(lost.n) + "), and the client sent no further message and no new initialize."
			if since := lost.t - lost.served; lost.served != 0 && since < fresh {
				f.Side = diagnose.Server
				f.Message += " The session had been served " + seconds(since) + " before."
			}
			c.ReportAs("gave up", f)
		}
	case c.Refusal == nil:
		if lost.n == 0 {
			lost.served = c.T
		}
		if c.Call.Method == mcp.Initialize && (c.Exchange == nil || c.Exchange.Header(mcp.HeaderSessionID) == "") {
			renewed(c)
		}
	default:
		sessionGone(c, lost)
	}
}

// report reports that the id was used, when it is clear that no initialize follows.
func (l *lostSession) report(c *diagnose.Case) {
	for _, u := range l.uses {
		c.Say("", c.Server()+" no longer knew session "+quote(c.Session.ID)+" (404 in "+frame(l.n)+"), and the client continued to use it ("+frame(u.request)+") instead of sending initialize.",
			append([]uint64{u.request, u.refused}, l.frames...)...)
	}
	l.uses = l.uses[:0]
}

// sessionGone follows a 404 to a request with the id of a session that was
// opened here.
func sessionGone(c *diagnose.Case, lost *lostSession) {
	x := c.Exchange
	if x == nil || c.Refusal.Status != 404 || c.Session == nil ||
		c.Session.Transport != session.TransportHTTP || x.Verb == "DELETE" ||
		c.Session.ID == "" || c.Session.State == session.StateClosed || c.IsModern() || x.SessionID != c.Session.ID ||
		c.Facts.LastOK == 0 && c.Session.IDSource == session.IDForeign {
		return
	}
	request := uint64(x.RequestN)
	if lost.n == 0 {
		*lost = lostSession{n: c.N, t: c.T, served: lost.served, conn: x.Conn, calls: 1, frames: []uint64{request, c.N}}
		known := diagnose.Memory[[]*lostSession](c)
		if len(*known) < 1024 {
			*known = append(*known, lost)
		}
		return
	}
	lost.calls++
	// What was on its way when the 404 came is no fault: a request counts when
	// the client had read the 404 on the same connection, or long enough ago.
	if request < lost.n || x.Conn != lost.conn && x.RequestT < lost.t+200e6 && lost.calls <= 3 ||
		lost.renewed != 0 && x.RequestT < lost.renewed+settling {
		return
	}
	lost.uses = append(lost.uses, deadUse{request, c.N, c.T})
	if len(lost.uses) >= maxDeadUse && c.T-lost.t > stubborn {
		lost.report(c)
	}
}

// renewed notes that the client began again: every loss before it is fixed, and what it
// sent meanwhile was on its way. It may be another client; then nothing is said of one
// that gave up.
func renewed(c *diagnose.Case) {
	if c.Dir != wire.ToServer {
		return
	}
	known := diagnose.Memory[[]*lostSession](c)
	for _, l := range *known {
		l.renewed, l.uses = c.T, l.uses[:0]
	}
	*known = (*known)[:0]
}
