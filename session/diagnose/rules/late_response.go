package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var lateResponse = &diagnose.Rule{
	ID:       "late-response",
	Title:    "A cancelled request got a response long after the cancellation",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "The side that sent the request has given up on it. The work continued anyway, and the response is dropped.",
		Wire:  "A response more than a second after the notifications/cancelled of its request.",
		Cause: "The responding side ignores cancellations, or checks for them only between two steps.",
		Fix:   "In the side that responds: stop the work when it is cancelled (AbortSignal, context), and send no response.",
		Spec:  "2025-11-25 basic/utilities/cancellation: Behavior Requirements",
		Example: `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}
< {"jsonrpc":"2.0","id":5,"result":{"content":[…]}}   20 s later`,
	},
	On: diagnose.Results | diagnose.Errors,
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Call.Cancel == 0 || c.T-c.Call.CancelT < 1e9 || c.Call.Method == mcp.Listen {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Message: the(sender(c)) + " responded to " + about(c.Call) + " " + seconds(c.T-c.Call.CancelT) + " after the cancellation (" + frame(c.Call.Cancel) + ").",
			Frames:  []uint64{c.N, c.Call.Cancel, c.Call.N},
			Side:    sender(c),
		})
	},
}
