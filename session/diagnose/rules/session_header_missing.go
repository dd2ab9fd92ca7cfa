package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var sessionHeaderMissing = &diagnose.Rule{
	ID:       "session-header-missing",
	Title:    "A request without a session id was refused, and no session was open",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "The server requires a session id, and the client has none because it never opened a session: the response to initialize has the id.",
		Wire:  `A request without Mcp-Session-Id gets "Mcp-Session-Id header is required", "Missing session ID" or a similar error, and this client sent no initialize before.`,
		Cause: "A gateway or script treats a server with sessions as stateless: it lists tools for a catalogue, or checks whether the server is alive, without a handshake.",
		Fix:   "In the client or gateway: send initialize first (without a session id, or with a temporary one), take the Mcp-Session-Id of the response, and send it with every further request. If the end client has a session of its own, use that one.",
		Spec:  "2025-11-25 basic/transports: Session Management",
		Example: `> {"id":1,"method":"tools/list"}           (no Mcp-Session-Id, no initialize before)
< 400 {"error":{"code":-32000,"message":"Bad Request: Mcp-Session-Id header is required"}}`,
	},
	Header: mcp.HeaderSessionID,
	On:     diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || c.Call == nil || c.Call.Modern || exempt[c.Call.Method] || initOf(c) != nil ||
			x.SessionID != "" || !blamesMissingID(c.Refusal) {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Message: "The client sent " + c.Call.Method + " (" + frame(c.Call.N) + ") without Mcp-Session-Id and without an initialize before it. The server refused: " + quote(c.Refusal.Text) + ".",
			Frames:  []uint64{c.Call.N, c.N},
		})
	},
}
