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
	Side:     diagnose.Client,
	Help: diagnose.Help{
		Means: "In 2026-07-28 servers send no requests to clients. A server that needs input returns a result of the type input_required, and the client sends the request again with that input. A posted JSON-RPC response belongs to no request.",
		Wire:  "A POST with MCP-Protocol-Version 2026-07-28 whose body is a JSON-RPC response.",
		Cause: "The client still has its code for sampling, roots or elicitation of older protocol versions, and a server or a gateway still sends such requests.",
		Fix:   "In the client: send the input as inputResponses in a new request with the same method and parameters. If the server did send a request, fix the server first.",
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
