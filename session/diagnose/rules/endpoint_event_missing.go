package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var endpointEventMissing = &diagnose.Rule{
	ID:       "endpoint-event-missing",
	Title:    "The stream of HTTP+SSE does not begin with the endpoint event",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	On:       diagnose.SSE,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Events != 1 || x.Verb != "GET" || c.SSE.Name == "endpoint" || len(c.SSE.Data) == 0 ||
			c.Session != nil && (c.Session.Modern || c.Facts.Init != nil) ||
			x.Header(mcp.HeaderSessionID) != "" || x.Header(mcp.HeaderVersion) != "" ||
			x.Header(mcp.HeaderLastEventID) != "" {
			return
		}
		if _, ok := wire.ScanMessage(c.SSE.Data); !ok {
			return
		}
		c.Say("", "The first event of the stream that "+target(x)+" opened ("+frame(x.RequestN)+") is a message; the client does not know yet where to post its own.",
			c.N, uint64(x.RequestN))
	},
}
