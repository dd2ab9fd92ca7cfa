package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
)

var handshakeSkipped = &diagnose.Rule{
	ID:       "handshake-skipped",
	Title:    "A request came before initialize, and was refused",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "The client started without the handshake. Up to protocol version 2025-11-25 a session begins with initialize, its response, and notifications/initialized. A server refuses everything before that.",
		Wire:  `The first message of the session is not initialize, and gets "Server not initialized" (TypeScript, -32000 and HTTP 400), "Invalid request parameters" (Python, -32602: the server did not look at the parameters), or "method … is invalid during session initialization" (Go).`,
		Cause: "The client, often a script or a hand-written one, does not send initialize; or it uses a session of another connection, or an invented session id.",
		Fix:   "In the client: send initialize, wait for its response, take the Mcp-Session-Id of that response, send notifications/initialized, and only then send other requests.",
		Spec:  "2025-11-25 basic/lifecycle: Initialization",
		Example: `> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< 400 {"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}`,
	},
	Right: &diagnose.Right{Step: "initialize", Does: "begin with initialize"},
	On:    diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Call.Modern || exempt[c.Call.Method] {
			return
		}
		if initOf(c) != nil || !blamesHandshake(c) {
			return
		}
		how := ""
		if c.Session.IDSource == session.IDForeign {
			how = " It had a session id of its own, " + quote(c.Session.ID) + ", that no server issued here."
		}
		c.ReportAs("", diagnose.Finding{
			Message: "The client sent " + quote(c.Call.Method) + " (" + frame(c.Call.N) + ") before any initialize, and the server refused: " + quote(c.Refusal.Text) + "." + how,
			Frames:  []uint64{c.Call.N, c.N},
		})
	},
}
