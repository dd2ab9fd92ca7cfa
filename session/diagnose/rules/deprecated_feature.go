package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var deprecatedFeature = &diagnose.Rule{
	ID:       "deprecated-feature",
	Title:    "Something is in use that will go away",
	Severity: diagnose.Note,
	Side:     diagnose.Server,
	From:     mcp.V20251125,
	Help: diagnose.Help{
		Means:   "It works today. A later protocol version has announced that it will not have it any more, and newer peers may not offer it.",
		Wire:    "A sampling/createMessage request with includeContext thisServer or allServers.",
		Cause:   "The server or the client was written for an earlier protocol version.",
		Fix:     "In the server: leave includeContext out, and put what the model has to know into the messages.",
		Spec:    "2025-11-25 client/sampling",
		Example: `< {"id":1,"method":"sampling/createMessage","params":{"includeContext":"thisServer",…}}`,
	},
	On:      diagnose.Requests,
	Methods: []string{mcp.SamplingCreateMessage},
	Check: func(c *diagnose.Case) {
		if context := text(c.Param("includeContext")); context == "thisServer" || context == "allServers" {
			c.ReportAs("", diagnose.Finding{Message: "The server asked the client to include context (" + frame(c.N) + "): includeContext " + quote(context) + " is deprecated."})
		}
	},
}
