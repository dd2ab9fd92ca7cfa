package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var taskPayloadMissing = &diagnose.Rule{
	ID:       "task-payload-missing",
	Title:    "A task lacks the member that belongs to its status",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Era:      diagnose.Modern,
	Help: diagnose.Help{
		Means:   "From 2026-07-28 tasks/get returns the outcome itself: the result of a completed task, the error of a failed one, the questions of one that needs input. Without it the client cannot get the outcome. A task whose tool reports isError is completed, not failed.",
		Wire:    "The response to tasks/get has a status without the matching result, error or inputRequests.",
		Cause:   "The server still expects a tasks/result, as in 2025-11-25, or confuses tool failures with protocol errors.",
		Fix:     "In the server: add result to completed, error to failed and inputRequests to input_required; use completed with result.isError for a tool that failed.",
		Spec:    "SEP-2663: tasks/get",
		Example: `< {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","taskId":"t1","status":"completed"}}`,
	},
	On:      diagnose.Results,
	Methods: []string{mcp.TasksGet},
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
