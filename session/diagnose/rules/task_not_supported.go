package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var taskNotSupported = &diagnose.Rule{
	ID: "task-not-supported", On: diagnose.Requests, Methods: []string{mcp.ToolsCall},
	Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToServer || !c.Facts.Negotiated() {
			return
		}
		asTask := c.Param("task") != nil
		tool := c.Facts.Tools[c.Call.Target]
		if !asTask && (tool == nil || tool.Execution == nil) {
			return
		}
		able := diagnose.Capability(c.Facts.Init.ServerCaps, "tasks", "requests", "tools", "call")
		support := "forbidden"
		if tool != nil {
			if s := text(wire.Get(tool.Execution, "taskSupport")); s != "" {
				support = s
			}
		}
		f := diagnose.Finding{}
		switch {
		case asTask && !able:
			f.Message = c.Client() + " called " + quote(c.Call.Target) + " as a task (" + frame(c.N) + "), and the server did not declare tasks.requests.tools.call (" + frame(c.Facts.Init.ResponseN) + ")."
			f.Frames = []uint64{c.N, c.Facts.Init.ResponseN}
		case asTask && tool != nil && support == "forbidden":
			f.Message = c.Client() + " called " + quote(c.Call.Target) + " as a task (" + frame(c.N) + "), and the tool does not allow it (" + frame(tool.N) + ")."
			f.Frames = []uint64{c.N, tool.N}
		case !asTask && able && support == "required":
			f.Message = c.Client() + " called " + quote(c.Call.Target) + " without task (" + frame(c.N) + "), and the tool can only be called as one (" + frame(tool.N) + ")."
			f.Frames = []uint64{c.N, tool.N}
		default:
			return
		}
		c.ReportAs(c.Call.Target, f)
	},
}
