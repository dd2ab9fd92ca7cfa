package rules

import "midwire/session/diagnose"

var sessionHeaderMissing = &diagnose.Rule{
	ID:       "session-header-missing",
	Title:    "A request without a session id was refused, and no session had been opened",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "The server demands a session id, and the client has none, because it never opened a session: ids come with the response to initialize.",
		Wire:  `A request without Mcp-Session-Id gets "Mcp-Session-Id header is required", "Missing session ID" or the like, and no initialize came before it from this client.`,
		Cause: "A gateway or script asks a server with sessions as if it had none: it lists tools for a catalogue, or checks whether the server is alive, without a handshake.",
		Fix:   "In the client or gateway: send initialize first (without a session id, or with a temporary one), take the Mcp-Session-Id of the response, send it with every further request. Where the end client has a session of its own, that one takes precedence.",
		Spec:  "2025-11-25 basic/transports: Session Management",
		Example: `> {"id":1,"method":"tools/list"}           (no Mcp-Session-Id, no initialize before)
< 400 {"error":{"code":-32000,"message":"Bad Request: Mcp-Session-Id header is required"}}`,
	},
	On: diagnose.Refusals,
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
