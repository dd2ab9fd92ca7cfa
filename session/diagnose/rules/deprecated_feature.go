package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var deprecatedFeature = &diagnose.Rule{
	ID: "deprecated-feature", On: diagnose.Requests, Methods: []string{mcp.SamplingCreateMessage},
	Check: func(c *diagnose.Case) {
		if context := text(c.Param("includeContext")); context == "thisServer" || context == "allServers" {
			c.Say("", c.Server()+" asked the client to include context ("+frame(c.N)+"): includeContext "+quote(context)+" is deprecated.")
		}
	},
}
