package rules

import (
	"bytes"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var taskNotSupported = &diagnose.Rule{
	ID:       "task-not-supported",
	Title:    "A tool is called as a task although it cannot, or the reverse",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	From:     mcp.V20251125,
	To:       mcp.V20251125,
	Help: diagnose.Help{
		Means: "execution.taskSupport of a tool says whether it may be called as a task: forbidden (the default), optional or required. In other cases the server refuses the call, or ignores the task parameter, and the client waits for a task that does not exist.",
		Wire:  "tools/call with a task parameter for a tool that does not allow it, or from a server without the capability tasks.requests.tools.call; or without it for a tool that requires it.",
		Cause: "The client asks for tasks whenever it supports them.",
		Fix:   "In the client: check the server's capability tasks.requests.tools.call and the tool's execution.taskSupport, and add task only where both allow it.",
		Spec:  "2025-11-25 basic/utilities/tasks: Tool-Level Negotiation",
		Example: `< {"name":"echo","inputSchema":{…}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","task":{"ttl":60000}}}`,
	},
	On:      diagnose.Requests,
	Methods: []string{mcp.ToolsCall},
	Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToServer || !c.Facts.Negotiated() {
			return
		}
		asTask := c.Param("task") != nil
		tool := c.Facts.Tools[c.Call.Target]
		if !asTask && (tool == nil || !bytes.Contains(tool.Raw, []byte(`"taskSupport"`))) {
			return
		}
		able := diagnose.Capability(c.Facts.Init.ServerCaps, "tasks", "requests", "tools", "call")
		support := "forbidden"
		if tool != nil {
			if s := text(wire.Get(tool.Raw, "execution", "taskSupport")); s != "" {
				support = s
			}
		}
		f := diagnose.Finding{}
		switch {
		case asTask && !able:
			f.Message = "The client called " + quote(c.Call.Target) + " as a task (" + frame(c.N) + "), and the server did not declare tasks.requests.tools.call (" + frame(c.Facts.Init.ResponseN) + ")."
			f.Frames = []uint64{c.N, c.Facts.Init.ResponseN}
		case asTask && tool != nil && support == "forbidden":
			f.Message = "The client called " + quote(c.Call.Target) + " as a task (" + frame(c.N) + "), and the tool does not allow it (" + frame(tool.N) + ")."
			f.Frames = []uint64{c.N, tool.N}
		case !asTask && able && support == "required":
			f.Message = "The client called " + quote(c.Call.Target) + " without task (" + frame(c.N) + "), and the tool can only be called as one (" + frame(tool.N) + ")."
			f.Frames = []uint64{c.N, tool.N}
		default:
			return
		}
		c.ReportAs(c.Call.Target, f)
	},
}
