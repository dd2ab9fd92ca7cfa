package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var deprecatedFeature = &diagnose.Rule{
	ID:       "deprecated-feature",
	Title:    "A deprecated feature is in use",
	Severity: diagnose.Note,
	Side:     diagnose.Server,
	From:     mcp.V20251125,
	Help: diagnose.Help{
		Means:   "The feature works today. A later protocol version has announced its removal, and newer peers may not support it.",
		Wire:    "A sampling/createMessage request with includeContext thisServer or allServers.",
		Cause:   "The server or the client was written for an earlier protocol version.",
		Fix:     "In the server: omit includeContext, and put the context that the model needs into the messages.",
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
