package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var responseFromClient = &diagnose.Rule{
	ID:       "response-from-client",
	Title:    "The client sends a response, which 2026-07-28 does not have",
	Severity: diagnose.Error,
	Fault:    diagnose.Client,
	Era:      diagnose.Modern,
	Lint:     "S-08",
	Help: diagnose.Help{
		Means: "From 2026-07-28 servers send no requests, so there is nothing for a client to respond to. What a server needs to know belongs into inputResponses of the repeated call.",
		Wire:  "A message with a result or an error on stdin, in a conversation of 2026-07-28.",
		Cause: "The client answers inputRequests one by one, as it answered the server's requests in earlier revisions.",
		Fix:   "In the client: send the call again under a new id, with inputResponses and the requestState that was given.",
		Spec:  "2026-07-28 basic/transports/stdio: Sending Messages",
		Example: `< {"jsonrpc":"2.0","id":3,"result":{"resultType":"input_required","inputRequests":{"who":{…}}}}
> {"jsonrpc":"2.0","id":"who","result":{"action":"accept"}}`,
	},
	On: diagnose.Results | diagnose.Errors,
	Check: func(c *diagnose.Case) {
		if c.Dir == wire.ToServer && overStdio(c) && stray(c) && c.Facts.LastOK != 0 {
			c.ReportAs("", diagnose.Finding{Message: "The client sent a response (" + frame(c.N) + ") under the id " + raw(c.Message.ID) + " in a conversation of revision " + string(c.ProtocolVersion()) + "."})
		}
	},
}
