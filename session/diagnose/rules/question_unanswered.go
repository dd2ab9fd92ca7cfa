package rules

import (
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var questionUnanswered = rule("question-unanswered", onGivingUp|diagnose.FailedCalls|diagnose.Finish,
	func(c *diagnose.Case) {
		if c.N == 0 {
			leftOpen(c)
			return
		}
		if c.Kind == messageKind && c.Message.Kind != wire.MsgNotification {
			failedFor(c)
			return
		}
		g, ok := gaveUp(c)
		if !ok || g.Owes == wire.ToServer {
			return
		}
		q, ok := question(c, g.Row)
		// People may take their time, and may have enough of it: then a limit must have
		// been over.
		if !ok || !isOpen(&q) || !g.timed() && (q.Method != mcp.RootsList || g.waited < 3e9) {
			return
		}
		asked(c, &q, g.begin(c), c.N, g.N)
	})

// isOpen says that the client has not responded to a request of the server.
func isOpen(q *ledger.Debt) bool { return q.End.Open() }

// asked reports a call that waited for a question.
func asked(c *diagnose.Case, q *ledger.Debt, begin string, frames ...uint64) {
	f := diagnose.Finding{Frames: append(frames, q.N)}
	if q.For < 0 {
		f.Seen = true
	}
	f.Message = begin + " Meanwhile the server waited for the response to its own " + quote(q.Method) + " (" + frame(q.N) +
		"), and the client did not respond to it."
	c.ReportAs("", f)
}

// failedFor looks at a call that failed: the server may have waited in vain.
func failedFor(c *diagnose.Case) {
	if c.Call == nil || c.Dir != wire.ToClient || failure(c) == "" {
		return
	}
	switch q := openQuestion(c, c.Row); {
	case q == nil:
	case q.Method == mcp.RootsList && sdkwords.Program(failure(c)).Means(sdkwords.OutsideFolders):
		f := diagnose.Finding{Severity: diagnose.Warning, Side: diagnose.Server}
		f.Frames = []uint64{c.N, c.Call.N, q.N}
		f.Message = c.Server() + " refused " + about(c.Call) + " while it waited for the response to its own roots/list (" + frame(q.N) + "): " + quote(failure(c)) + "."
		advise(&f, "roots not known yet")
		c.ReportAs("roots", f)
	case c.T-q.T >= 3e9:
		asked(c, q, about(c.Call)+" failed ("+frame(c.N)+"): "+quote(failure(c))+".", c.N, c.Call.N)
	}
}

// leftOpen looks for questions that are open when the recording ends.
func leftOpen(c *diagnose.Case) {
	if c.Session.Pending == 0 || c.Blind() {
		return
	}
	end := c.Until()
	for _, d := range c.Ledger.Open(c.Session.Index) {
		if d.Kind != ledger.Response || d.Owes != wire.ToClient || end-d.T < 60e9 {
			continue
		}
		q, ok := question(c, d.Row)
		if !ok || !isOpen(&q) || end-q.T < 60e9 || q.Method == mcp.ElicitationCreate && end-q.T < 300e9 {
			continue
		}
		asked(c, &q, quote(d.Method)+" ("+frame(d.N)+") had no response for "+seconds(end-d.T)+", until the recording ends.", d.N)
		return
	}
}
