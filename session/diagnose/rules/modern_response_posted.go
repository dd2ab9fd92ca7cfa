package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var modernResponsePosted = &diagnose.Rule{
	ID:       "modern-response-posted",
	Title:    "A client posts a response, which 2026-07-28 does not have",
	Severity: diagnose.Error,
	Fault:    diagnose.Client,
	Lint:     "L-67",
	Help: diagnose.Help{
		Means: "In 2026-07-28 servers ask clients nothing. What a server needs it says in a result of the type input_required, and the client answers by asking again. A response from the client answers nothing.",
		Wire:  "A POST with MCP-Protocol-Version 2026-07-28 whose body is a JSON-RPC response.",
		Cause: "The client kept its code for sampling, roots or elicitation of older revisions, and a server or a gateway still sends such requests.",
		Fix:   "In the client: send the answers as inputResponses in a new request with the same method and parameters. If the server did send a request, that is its fault first.",
		Spec:  "2026-07-28 basic/transports/streamable-http: Sending Messages",
		Example: `> POST /mcp  MCP-Protocol-Version: 2026-07-28
  {"jsonrpc":"2.0","id":0,"result":{"action":"accept","content":{}}}`,
	},
	On: diagnose.Results | diagnose.Errors,
	Check: func(c *diagnose.Case) {
		if c.Exchange == nil || c.Dir != wire.ToServer ||
			!mcp.Version(c.Exchange.Header(mcp.HeaderVersion)).IsModern() {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Message: "The client posted a response (" + frame(c.N) + ", id " + string(c.Message.ID) + ") under 2026-07-28, where only requests and notifications are posted.",
		})
	},
}
