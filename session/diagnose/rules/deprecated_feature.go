package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var deprecatedFeature = &diagnose.Rule{
	ID:       "deprecated-feature",
	Title:    "Something is in use that will go away",
	Severity: diagnose.Note,
	Fault:    diagnose.Server,
	From:     "2025-03-26",
	Lint:     "L-92",
	Help: diagnose.Help{
		Means: "It works today. A later revision has announced that it will not have it any more, and newer peers may not offer it.",
		Wire:  "The HTTP+SSE transport in a session of 2025-03-26 or later; includeContext with thisServer or allServers from 2025-11-25.",
		Cause: "The server or the client was written for an earlier revision.",
		Fix:   "Move from HTTP+SSE to Streamable HTTP, and leave includeContext out.",
		Spec:  "2025-11-25 basic/transports: Backwards Compatibility; client/sampling",
		Example: `> GET /sse
< event: endpoint`,
	},
	On:      diagnose.Results | diagnose.Requests,
	Methods: []string{"initialize", "sampling/createMessage"},
	Check: func(c *diagnose.Case) {
		switch {
		case c.Call == nil:
		case c.Message.Kind == wire.MsgResult && c.Call.Method == "initialize" && c.Session.Transport == session.TransportSSE:
			c.ReportAs("sse", diagnose.Finding{Message: "The session of revision " + c.Revision() + " runs over HTTP+SSE. From 2025-03-26 on Streamable HTTP takes its place."})
		case c.Message.Kind == wire.MsgRequest && c.Revision() >= "2025-11-25":
			if context := text(c.Param("includeContext")); context == "thisServer" || context == "allServers" {
				c.ReportAs("context", diagnose.Finding{Message: "The server asked the client to include context (" + frame(c.N) + "): includeContext " + quote(context) + " is deprecated."})
			}
		}
	},
}
