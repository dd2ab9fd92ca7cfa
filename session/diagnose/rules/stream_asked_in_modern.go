package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var streamAskedInModern = rule("stream-asked-in-modern", diagnose.OtherRequests, func(c *diagnose.Case) {
	x := c.Exchange
	if x.Verb != "GET" || !mcp.Version(x.Header(mcp.HeaderVersion)).IsModern() || !isMCP(c) {
		return
	}
	c.Say("", c.Client()+" of protocol version "+string(c.Session.ProtocolVersion)+" sent "+target(x)+" for an event stream ("+frame(x.RequestN)+").",
		uint64(x.RequestN))
})
