package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var sessionLeftovers = rule("session-leftovers", diagnose.HTTPResponses|diagnose.SSE, func(c *diagnose.Case) {
	x := c.Exchange
	if c.Facts == nil || !c.Facts.ServesModern || c.Row < 0 {
		return
	}
	if x.Calls == 0 {
		if c.Kind == session.EventResponse {
			plainLeftover(c)
		}
		return
	}
	if !c.Tracker().Row(int(c.Row)).Modern {
		return
	}
	what := ""
	switch {
	case c.SSE.HasID && c.SSE.ID != "" && x.Events > 0:
		what = "an event id, " + quote(c.SSE.ID)
	case c.SSE.Retry != "" && x.Events > 0:
		what = "retry, " + quote(c.SSE.Retry)
	case x.Events == 0 && x.Status < 300 && x.ResponseHeader(mcp.HeaderSessionID) != "":
		what = "a session id, " + quote(x.ResponseHeader(mcp.HeaderSessionID))
	default:
		return
	}
	c.Say(what[:8], "The response to the request of 2026-07-28 in "+frame(x.RequestN)+" has "+what+" ("+frame(c.N)+").",
		c.N, uint64(x.RequestN))
})

// plainLeftover looks at the response to a GET or DELETE of 2026-07-28.
func plainLeftover(c *diagnose.Case) {
	x := c.Exchange
	if x.Verb != "GET" && x.Verb != "DELETE" || !mcp.Version(x.Header(mcp.HeaderVersion)).IsModern() {
		return
	}
	switch {
	case x.Status == 405 || x.Status >= 500 || x.Status == 401 || x.Status == 403 || x.Status == 429:
		return
	}
	c.Say(x.Verb, c.Server()+" responded to a "+x.Verb+" of 2026-07-28 ("+frame(x.RequestN)+") with "+number(x.Status)+" instead of 405.",
		c.N, uint64(x.RequestN))
}
