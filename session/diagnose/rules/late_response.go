package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var lateResponse = rule("late-response", diagnose.Results|diagnose.Errors, func(c *diagnose.Case) {
	if c.Call == nil || c.Call.Cancel == 0 || c.T-c.Call.CancelT < 1e9 || c.Call.Method == mcp.Listen {
		return
	}
	blameSender(c, "", "responded to "+about(c.Call)+" "+seconds(c.T-c.Call.CancelT)+" after the cancellation ("+frame(c.Call.Cancel)+").",
		c.N, c.Call.Cancel, c.Call.N)
})
