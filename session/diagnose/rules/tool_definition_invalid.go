package rules

import (
	"strconv"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var toolDefinitionInvalid = &diagnose.Rule{
	ID: "tool-definition-invalid", On: diagnose.Results, Methods: []string{mcp.ToolsList},
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
					Severity: f.severity, Items: []string{name},
					Message: "The tool " + quote(name) + " (" + frame(c.N) + ") " + f.text + ".",
					Frames:  []uint64{c.N, c.Call.N},
					Place:   "/result/tools/" + strconv.Itoa(i) + f.place,
				})
			}
			return true
		})
	},
}
