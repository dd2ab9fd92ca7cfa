package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var toolArgumentsInvalid = &diagnose.Rule{
	ID:       "tool-arguments-invalid",
	Title:    "A tool is called with arguments that its schema does not allow",
	Severity: diagnose.Warning,
	Side:     diagnose.Client,
	Help: diagnose.Help{
		Means: "inputSchema defines the arguments of the tool, and the call does not follow it. Servers should refuse such a call; otherwise the tool may do something else than intended.",
		Wire:  "A tools/call whose arguments lack a required member, or have a member with the wrong type or one that is not allowed.",
		Cause: "Mostly the model invented the arguments from the description, and the client passed them on without validation. Or the client wraps the arguments, sends numbers as text, or has an older definition.",
		Fix:   "In the client: validate arguments against inputSchema before the call, and report the fault to the model. In the server: if the model keeps failing here, describe the expected arguments in the descriptions of tool and arguments.",
		Spec:  "2025-11-25 server/tools: Security Considerations",
		Example: `  inputSchema: {"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read","arguments":{"file":"a.txt"}}}`,
	},
	On:      diagnose.Requests,
	Methods: []string{mcp.ToolsCall},
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
