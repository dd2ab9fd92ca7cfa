package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var responseFromClient = &diagnose.Rule{
	ID:       "response-from-client",
	Title:    "The client sends a response, which 2026-07-28 does not have",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Modern,
	Help: diagnose.Help{
		Means: "From 2026-07-28 servers send no requests, so a client has nothing to respond to. The input that a server needs belongs in inputResponses of the repeated call.",
		Wire:  "A message with a result or an error on stdin, in a conversation of 2026-07-28.",
		Cause: "The client responds to inputRequests one by one, as it responded to the server's requests in earlier protocol versions.",
		Fix:   "In the client: send the call again with a new id, inputResponses and the requestState of the result.",
		Spec:  "2026-07-28 basic/transports/stdio: Sending Messages",
		Example: `< {"jsonrpc":"2.0","id":3,"result":{"resultType":"input_required","inputRequests":{"who":{…}}}}
> {"jsonrpc":"2.0","id":"who","result":{"action":"accept"}}`,
	},
	On: diagnose.Results | diagnose.Errors,
	Check: func(c *diagnose.Case) {
		if c.Dir == wire.ToServer && overStdio(c) && stray(c) && c.Facts.LastOK != 0 {
			c.ReportAs("", diagnose.Finding{Message: "The client sent a response (" + frame(c.N) + ") under the id " + raw(c.Message.ID) + " in a conversation of protocol version " +
				string(c.ProtocolVersion()) + "."})
		}
	},
}
