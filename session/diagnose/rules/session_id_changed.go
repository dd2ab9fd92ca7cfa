package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var sessionIDChanged = rule("session-id-changed", diagnose.HTTPResponses, func(c *diagnose.Case) {
	x := c.Exchange
	if c.Session == nil || c.Session.ID == "" || c.Session.Transport != session.TransportHTTP ||
		x.Status > 299 || rowName(c) == mcp.Initialize {
		return
	}
	id := x.ResponseHeader(mcp.HeaderSessionID)
	if id == "" || id == c.Session.ID || x.Header(mcp.HeaderSessionID) != c.Session.ID {
		return
	}
	c.Say("", "In the session "+quote(c.Session.ID)+" the response to "+target(x)+" ("+frame(x.ResponseN)+") has the session id "+quote(id)+".",
		headFrames(x)...)
})
