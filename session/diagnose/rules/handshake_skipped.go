package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
)

var handshakeSkipped = &diagnose.Rule{
	ID:       "handshake-skipped",
	Title:    "A request came before any initialize, and was refused",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "The client began to work without the handshake. Up to protocol version 2025-11-25 a session begins with initialize, its response, and notifications/initialized; a server refuses whatever comes before.",
		Wire:  `The first message of the session is not initialize, and gets "Server not initialized" (TypeScript, -32000 and HTTP 400), "Invalid request parameters" (Python, -32602: the parameters were never looked at), or "method … is invalid during session initialization" (Go).`,
		Cause: "The client, often a script or a hand-written one, does not send initialize; or it believes that a session made elsewhere, or an id it made up itself, will do.",
		Fix:   "In the client: send initialize, wait for its response, take over the Mcp-Session-Id of that response, send notifications/initialized, and only then ask for anything.",
		Spec:  "2025-11-25 basic/lifecycle: Initialization",
		Example: `> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< 400 {"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}`,
	},
	On: diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Call.Modern || exempt[c.Call.Method] {
			return
		}
		if initOf(c) != nil || !blamesHandshake(c) {
			return
		}
		how := ""
		if c.Session.IDSource == session.IDForeign {
			how = " It carried a session id of its own, " + quote(c.Session.ID) + ", that no server had issued here."
		}
		c.ReportAs("", diagnose.Finding{
			Message: "The client sent " + quote(c.Call.Method) + " (" + frame(c.Call.N) + ") before any initialize, and the server refused: " + quote(c.Refusal.Text) + "." + how,
			Frames:  []uint64{c.Call.N, c.N},
		})
	},
}
