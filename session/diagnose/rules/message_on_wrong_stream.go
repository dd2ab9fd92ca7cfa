package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var messageOnWrongStream = &diagnose.Rule{
	ID:       "message-on-wrong-stream",
	Title:    "Progress arrives on the stream of another request",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	From:     mcp.V20250326,
	Help: diagnose.Help{
		Means: "The messages on the response stream of a request must belong to that request. This message belongs to another request: clients and gateways that use the stream show it in the wrong place, or drop it.",
		Wire:  "notifications/progress on the stream of one POST, with the progressToken of another.",
		Cause: "The server keeps one “current” stream for all requests of a session.",
		Fix:   "In the server: send notifications through the context of the request that they are about.",
		Spec:  "2025-11-25 basic/transports: Sending Messages to the Server; 2026-07-28 basic/transports/streamable-http: Receiving Messages",
		Example: `> POST /mcp {"id":1,"method":"tools/call","params":{"_meta":{"progressToken":"a"},…}}
> POST /mcp {"id":2,"method":"tools/call",…}
< on the stream of 2: {"method":"notifications/progress","params":{"progressToken":"a",…}}`,
	},
	On:      diagnose.Notifications,
	Methods: []string{mcp.NotifyProgress},
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || c.Dir != wire.ToClient || x.Verb != "POST" || !x.IsStream ||
			c.Session.Transport != session.TransportHTTP {
			return
		}
		parent := rowOf(c).Parent
		if parent < 0 {
			return
		}
		about := c.Tracker().Row(int(parent))
		if about.Kind != session.RowCall || about.Dir != wire.ToServer || about.X == x.X {
			return
		}
		f := diagnose.Finding{
			Message: "Progress (" + frame(c.N) + ") of the call " + frame(uint64(about.Request)) + " came on the stream of " + frame(uint64(x.RequestN)) + ".",
			Frames:  []uint64{c.N, uint64(x.RequestN), uint64(about.Request)},
		}
		if c.Session.Modern {
			f.Severity = diagnose.Error
		}
		c.ReportAs("", f)
	},
}
