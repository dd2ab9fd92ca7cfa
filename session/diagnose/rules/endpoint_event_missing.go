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
	Help: diagnose.Help{
		Means: "In the transport of 2024-11-05 the first event tells the client the URL for its messages. Without it the client waits forever.",
		Wire:  "A GET outside of any session opens an event stream, and its first event is a message, not “event: endpoint”.",
		Cause: "The server sends notifications before the endpoint event, or sends the endpoint without its event name; or the stream belongs to another transport.",
		Fix:   "In the server: send “event: endpoint” with the URL for messages as the first event.",
		Spec:  "2024-11-05 basic/transports: HTTP with SSE",
		Example: `> GET /sse, Accept: text/event-stream
< data: {"jsonrpc":"2.0","method":"notifications/message",…}`,
	},
	On: diagnose.SSE,
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
		c.ReportAs("", diagnose.Finding{
			Message: "The first event of the stream that " + target(x) + " opened (" + frame(uint64(x.RequestN)) + ") is a message; the client does not know yet where to post its own.",
			Frames:  []uint64{c.N, uint64(x.RequestN)},
		})
	},
}
