package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var requestFromServer = &diagnose.Rule{
	ID:       "request-from-server",
	Title:    "The server sends a request, which 2026-07-28 does not have",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Era:      diagnose.Modern,
	Help: diagnose.Help{
		Means:   "From 2026-07-28 only clients send requests. A server that needs input responds to the call with resultType input_required; its own request gets no response, and the call hangs.",
		Wire:    "A message with method and id on stdout, in a conversation of 2026-07-28.",
		Cause:   "The server still asks for sampling, elicitation or roots as in earlier protocol versions, or sends pings to check whether the client is alive.",
		Fix:     `In the server: respond with {"resultType":"input_required","inputRequests":{…}} and take the input from the repeated call.`,
		Spec:    "2026-07-28 basic/transports/stdio: Receiving Messages",
		Example: `< {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{…}}`,
	},
	On: diagnose.Requests,
	Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToClient || !overStdio(c) || c.Facts.LastOK == 0 {
			return
		}
		c.ReportAs(c.Call.Method,
			diagnose.Finding{Message: "The server sent the request " + quote(c.Call.Method) + " (" + frame(c.N) + ") in a conversation of protocol version " + string(c.ProtocolVersion()) + "."})
	},
}
