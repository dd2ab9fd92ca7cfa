package rules

import (
	"strconv"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var toolDefinitionInvalid = &diagnose.Rule{
	ID:       "tool-definition-invalid",
	Title:    "The definition of a tool is invalid, and clients drop it or all tools",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "The list of tools arrives and no tool is ever called: clients and models validate each definition, and many drop the whole list because of a single invalid one. No message reports this.",
		Wire:  "A tools/list result with an inputSchema that is missing, null, not of the type object at its root, or not a valid JSON Schema (required null, an unknown type, a dangling $ref); the same for outputSchema. As a note: valid schemas that model interfaces refuse, such as a list without items.",
		Cause: "The definition was written by hand, or generated from types by a library whose edge cases (no arguments, optional values, free-form lists) are not valid JSON Schema.",
		Fix:   `In the server: correct the place that the finding names. A tool without arguments has "inputSchema":{"type":"object"}. Omit unused members; do not write null.`,
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
		wire.Items(c.Result("tools"), func(i int, tool []byte) bool {
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
					Place:    "/result/tools/" + strconv.Itoa(i) + f.place,
				})
			}
			return true
		})
	},
}
