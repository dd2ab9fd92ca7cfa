package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var taskPayloadMissing = &diagnose.Rule{
	ID: "task-payload-missing", On: diagnose.Results, Methods: []string{mcp.TasksGet},
	Check: func(c *diagnose.Case) {
		need, status := "", text(c.Result("status"))
		switch status {
		case "completed":
			need = "result"
		case "failed":
			need = "error"
		case "input_required":
			need = "inputRequests"
		}
		if c.Call == nil || need == "" || c.Result(need) != nil {
			return
		}
		f := diagnose.Finding{Frames: []uint64{c.N, c.Call.N}}
		f.Message = "The task " + quote(c.Call.Target) + " is " + status + " (" + frame(c.N) + ") and has no " + need + "."
		if status == "failed" && string(c.Result("result", "isError")) == "true" {
			f.Message = "The task " + quote(c.Call.Target) + " is failed (" + frame(c.N) + ") because its tool reported isError. It should be completed."
		}
		c.ReportAs(status, f)
	},
}
