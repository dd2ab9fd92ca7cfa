package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var streamAskedInModern = &diagnose.Rule{
	ID:       "stream-asked-in-modern",
	Title:    "A client of 2026-07-28 requests a stream with GET",
	Severity: diagnose.Note,
	Side:     diagnose.Client,
	Era:      diagnose.Modern,
	Help: diagnose.Help{
		Means: "Protocol version 2026-07-28 has no GET stream: a client that wants notifications posts subscriptions/listen. The server responds with 405, and this does no harm.",
		Wire:  "GET with Accept text/event-stream and MCP-Protocol-Version 2026-07-28.",
		Cause: "The client opens the stream as in older protocol versions.",
		Fix:   "In the client: use subscriptions/listen instead.",
		Spec:  "2026-07-28 basic/transports/streamable-http: Backward Compatibility",
		Example: `> GET /mcp, MCP-Protocol-Version: 2026-07-28, Accept: text/event-stream
< 405, Allow: POST`,
	},
	On: diagnose.HTTPRequests,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Verb != "GET" || !mcp.Version(x.Header(mcp.HeaderVersion)).IsModern() || !isMCP(c) {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Message: "The client of protocol version " + string(c.Session.ProtocolVersion) + " sent " + target(x) + " for an event stream (" + frame(uint64(x.RequestN)) + ").",
			Frames:  []uint64{uint64(x.RequestN)},
		})
	},
}
