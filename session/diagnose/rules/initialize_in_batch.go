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
		Means:   "Nothing else can be done before the handshake, and only the handshake settles whether batches may be sent at all. So initialize must come alone.",
		Wire:    "A JSON array holds an initialize request.",
		Cause:   "The client collects all its first requests to save a round trip.",
		Fix:     "In the client: send initialize alone, wait for its response, and batch afterwards, if the protocol version is 2025-03-26.",
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
