package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var sessionHeaderMissing = rule("session-header-missing", diagnose.Refusals|diagnose.Finish,
	func(c *diagnose.Case) {
		x := c.Exchange
		pinged := diagnose.State[[]uint64](c) // frames of a ping that was refused for want of an id
		if c.N == 0 {
			if len(*pinged) > 0 && initOf(c) == nil {
				c.Say("", c.Client()+" sent ping ("+frame((*pinged)[0])+") without Mcp-Session-Id, was refused for it, and sent no initialize.", *pinged...)
			}
			return
		}
		if x != nil && c.Method() == mcp.Initialize && c.Call != nil && x.SessionID == "" && x.Status >= 400 &&
			blamesMissingID(c.Refusal) && !asksForSession(c.Refusal) {
			c.ReportAs("initialize", withAdvice("session before initialize", diagnose.Finding{
				Side:    diagnose.Server,
				Message: c.Server() + " refused initialize (" + frame(c.Call.N) + ") because it has no session id: " + said(c.Refusal) + ". The response to initialize is what would issue one.",
				Frames:  []uint64{c.Call.N, c.N},
			}))
			return
		}
		if x == nil || c.IsModern() || x.SessionID != "" || !blamesMissingID(c.Refusal) {
			return
		}
		if in := initOf(c); in != nil {
			neverIssued(c, in)
			return
		}
		if c.Call == nil || exempt[c.Call.Method] {
			if c.Call != nil && c.Call.Method == mcp.Ping && len(*pinged) < diagnose.MaxFrames {
				*pinged = append(*pinged, c.Call.N, c.N)
			}
			return
		}
		c.Say("", c.Client()+" sent "+c.Call.Method+" ("+frame(c.Call.N)+") without Mcp-Session-Id and without an initialize before it. The server refused: "+said(c.Refusal)+".",
			c.Call.N, c.N)
	})

// neverIssued looks at a server that misses the id of a session for which it issued none.
func neverIssued(c *diagnose.Case, in *diagnose.Init) {
	x := c.Exchange
	if !in.OK || c.Session.ID != "" || isSSE(c) || asksForSession(c.Refusal) || uint64(x.RequestN) < in.ResponseN {
		return
	}
	f := diagnose.Finding{Side: diagnose.Server, Frames: []uint64{c.N, uint64(x.RequestN), in.ResponseN}}
	issued := c.Server() + " issued no session id in its response to initialize (" + frame(in.ResponseN) + ")"
	if by := between(x); by != "" {
		f.Side = diagnose.Gateway
		issued = "The response of " + c.Server() + " to initialize came through " + quote(by) + " without a session id (" + frame(in.ResponseN) + ")"
	}
	f.Message = issued + ", and " + rowName(c) + " (" + frame(x.RequestN) + ") was refused because it has none: " + said(c.Refusal) + "."
	advise(&f, "session header dropped")
	c.ReportAs("never issued", f)
}
