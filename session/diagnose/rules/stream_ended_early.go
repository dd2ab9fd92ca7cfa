package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var streamEndedEarly = rule("stream-ended-early", diagnose.StreamEnds, func(c *diagnose.Case) {
	x := c.Exchange
	if x.Verb != "POST" || x.Calls == 0 || !x.IsStream || isSSE(c) || c.Session == nil {
		return
	}
	r := rowOf(c)
	if r == nil || r.Kind != session.RowCall || c.By != wire.ByServer ||
		c.Session.State == session.StateClosed || rowName(c) == mcp.Listen {
		return
	}
	resumable := r.Ending.Open() // the events had ids
	if !resumable && !r.Ending.Lost() {
		return
	}
	f := diagnose.Finding{Frames: append([]uint64{c.N}, headFrames(x)...)}
	f.Message = c.Server() + " ended the stream of " + quote(rowName(c)) + " (" + frame(x.RequestN) + ") without its response"
	how := ""
	switch {
	case !c.Clean && resumable:
		return // connections break, and this one can be resumed
	case !c.Clean:
		f.Severity, f.Side, f.Confidence = diagnose.Note, diagnose.Network, diagnose.Likely
		f.Message = "The stream of " + quote(rowName(c)) + " (" + frame(x.RequestN) + ") broke off without its response."
		how = "broken"
	case !resumable:
		f.Message += "; the client cannot request the rest, because no event had an id."
		how = "no ids"
	case isAsked(c):
		return
	default:
		f.Message += " and without retry, which says when to reconnect."
	}
	c.ReportAs(how, f)
})

// isAsked says whether the server said when to come back for the stream that ended.
func isAsked(c *diagnose.Case) bool {
	r, ok := c.Ledger.Other(ledger.Resume, int(c.Row))
	return ok && r.Due != 0
}
