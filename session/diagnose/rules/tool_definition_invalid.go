package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var toolDefinitionInvalid = &diagnose.Rule{
	ID:       "tool-definition-invalid",
	Title:    "A tool is defined so that clients leave it out, or all tools with it",
	Severity: diagnose.Error,
	Fault:    diagnose.Server,
	Lint:     "F20",
	Help: diagnose.Help{
		Means: "The list of tools arrives and nobody ever calls one: clients and models check each definition, and many throw away the whole list when a single one is wrong. Nothing on the wire says so.",
		Wire:  "A tools/list result with an inputSchema that is missing, null, not of the type object at its root, or no valid JSON Schema (required null, an unknown type, a $ref to nowhere); the same for outputSchema. As a note: what is valid and refused by model interfaces all the same, such as a list without items.",
		Cause: "The definition was written by hand, or made from types by a library whose edge cases (no arguments, optional values, free-form lists) do not come out as JSON Schema.",
		Fix:   `In the server: correct the place that the finding names. A tool without arguments has "inputSchema":{"type":"object"}. Leave out what is not needed; do not write null.`,
		Spec:  "2025-11-25 server/tools: Tool",
		Example: `< {"tools":[{"name":"now","inputSchema":{"type":"object","properties":{},"required":null}}]}
  correct: "inputSchema":{"type":"object","properties":{}}`,
	},
	On:      diagnose.Results,
	Methods: []string{mcp.ToolsList},
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Call.Dir != wire.ToServer {
			return
		}
		d := diagnose.Memory[definitions](c)
		version := c.ProtocolVersion()
		wire.Items(c.Result("tools"), func(_ int, tool []byte) bool {
			if tool[0] != '{' {
				return true
			}
			flaws := d.of(tool, version)
			if len(flaws) == 0 {
				return true
			}
			name := text(wire.Get(tool, "name"))
			for _, f := range flaws {
				c.ReportAs(name+f.key+f.text, diagnose.Finding{
					Severity: f.severity,
					Message:  "The tool " + quote(name) + " (" + frame(c.N) + ") " + f.text + ".",
					Frames:   []uint64{c.N, c.Call.N},
				})
			}
			return true
		})
	},
}
