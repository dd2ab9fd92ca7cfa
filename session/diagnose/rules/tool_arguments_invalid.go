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
	Fault:    diagnose.Client,
	Lint:     "server/tools",
	Help: diagnose.Help{
		Means: "The server said in inputSchema which arguments the tool takes, and the call does not keep to it. Servers should refuse such a call; one that does not may do something else than was meant.",
		Wire:  "A tools/call whose arguments lack a member that is required, have one of the wrong type, or one that is not allowed.",
		Cause: "Most often the model made the arguments up from the description; the client passed them on without a check. Or the client wraps the arguments, sends numbers as text, or knows an older definition.",
		Fix:   "In the client: check arguments against inputSchema before the call, and tell the model what is wrong. In the server: if the model keeps failing here, say in the descriptions of tool and arguments what is expected.",
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
		})
	},
}
