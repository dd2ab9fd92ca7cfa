package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var modernResponsePosted = &diagnose.Rule{
	ID:       "modern-response-posted",
	Title:    "A client posts a response, which 2026-07-28 does not have",
	Brief:    "client posts a response",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	On:       diagnose.Replies,
	Check: func(c *diagnose.Case) {
		if c.Exchange == nil || c.Dir != wire.ToServer ||
			!mcp.Version(c.Exchange.Header(mcp.HeaderVersion)).IsModern() {
			return
		}
		c.Say("", c.Client()+" posted a response ("+frame(c.N)+", id "+string(c.Message.ID)+") under 2026-07-28, where only requests and notifications are posted.")
	},
}
