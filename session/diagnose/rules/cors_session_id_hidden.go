package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var corsSessionIDHidden = &diagnose.Rule{
	ID: "cors-session-id-hidden", On: diagnose.PageResponses, Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Verb != "POST" || x.Status > 299 || x.Calls == 0 || !hasOrigin(x) ||
			x.ResponseHeader(mcp.HeaderSessionID) == "" {
			return
		}
		if !isPage(x) || !allowsOrigin(x) || allows(x, "Access-Control-Expose-Headers", mcp.HeaderSessionID) {
			return
		}
		c.Say("", "The response to initialize ("+frame(x.ResponseN)+") carries "+mcp.HeaderSessionID+", which the page of "+quote(x.Header("Origin"))+" cannot read: Access-Control-Expose-Headers does not name it.",
			headFrames(x)...)
	},
}
