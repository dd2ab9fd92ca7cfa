package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var modernResponsePosted = rule("modern-response-posted", diagnose.Replies, func(c *diagnose.Case) {
	if c.Exchange == nil || c.Dir != wire.ToServer ||
		!mcp.Version(c.Exchange.Header(mcp.HeaderVersion)).IsModern() {
		return
	}
	c.Say("", c.Client()+" posted a response ("+frame(c.N)+", id "+string(c.Message.ID)+") under 2026-07-28, where only requests and notifications are posted.")
})
