package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var initializeInBatch = &diagnose.Rule{
	ID:       "initialize-in-batch",
	Title:    "initialize is part of a batch",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means:   "No other message is allowed before the handshake, and only the handshake decides whether batches are allowed. Therefore initialize must be sent alone.",
		Wire:    "A JSON array contains an initialize request.",
		Cause:   "The client collects its first requests to save a round trip.",
		Fix:     "In the client: send initialize alone, wait for its response, and send batches only afterwards and only with protocol version 2025-03-26.",
		Spec:    "2025-03-26 basic/lifecycle: Initialization",
		Example: `> [{"jsonrpc":"2.0","id":0,"method":"initialize",…},{"jsonrpc":"2.0","id":1,"method":"tools/list"}]`,
	},
	On:      diagnose.Requests,
	Methods: []string{mcp.Initialize},
	Covers:  []string{"batch-not-allowed"},
	Check: func(c *diagnose.Case) {
		if c.Batched {
			c.ReportAs("", diagnose.Finding{Message: "The client sent initialize (" + frame(c.N) + ") within a batch."})
		}
	},
}
