package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var streamAskedInModern = &diagnose.Rule{
	ID:       "stream-asked-in-modern",
	Title:    "A client of 2026-07-28 asks for a stream with GET",
	Severity: diagnose.Note,
	Fault:    diagnose.Client,
	Era:      diagnose.Modern,
	Lint:     "H-01",
	Help: diagnose.Help{
		Means: "Revision 2026-07-28 has no stream to GET: a client that wants notifications posts subscriptions/listen. The server answers 405, and no harm is done.",
		Wire:  "GET with Accept text/event-stream and MCP-Protocol-Version 2026-07-28.",
		Cause: "A client that opens the stream of the older revisions out of habit.",
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
			Message: "The client of revision " + string(c.Session.ProtocolVersion) + " sent " + target(x) + " for an event stream (" + frame(uint64(x.RequestN)) + ").",
			Frames:  []uint64{uint64(x.RequestN)},
		})
	},
}
