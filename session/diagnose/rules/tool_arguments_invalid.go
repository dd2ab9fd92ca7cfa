package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var toolArgumentsInvalid = &diagnose.Rule{
	ID: "tool-arguments-invalid", On: diagnose.Requests, Methods: []string{mcp.ToolsCall},
	Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToServer || c.Facts == nil || c.Call.Params == nil {
			return
		}
		t := c.Facts.Tools[c.Call.Target]
		if t == nil || len(t.Input) == 0 || t.Input[0] != '{' {
			return
		}
		args := c.Param("arguments")
		if args == nil {
			args = []byte("{}")
		}
		if args[0] != '{' { // the schema of the message says so
			return
		}
		faults := diagnose.Memory[validators](c).check(t, t.Input, args, true)
		if len(faults) == 0 {
			return
		}
		f := &faults[0]
		c.ReportAs(t.Name+anyIndex(f.Path)+f.Keyword, diagnose.Finding{
			Message: "The call of " + quote(t.Name) + " (" + frame(c.N) + ") does not fit its inputSchema (" + frame(t.N) + "): " + placed("arguments", f) + ".",
			Frames:  []uint64{c.N, t.N},
			Place:   place("/params/arguments", f),
		})
	},
}
