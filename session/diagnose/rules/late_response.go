package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var lateResponse = rule("late-response", diagnose.Results|diagnose.Errors|diagnose.Notifications, func(c *diagnose.Case) {
	limits := made(diagnose.State[map[int32]bool](c))
	if c.Kind == messageKind && c.Call == nil {
		if g, ok := gaveUp(c); ok && g.timed() && len(limits) < maxAbandoned {
			limits[g.Row] = true
		}
		return
	}
	if c.Call == nil || c.Call.Cancel == 0 || c.T-c.Call.CancelT < 1e9 || c.Call.Method == mcp.Listen {
		return
	}
	late := seconds(c.T - c.Call.CancelT)
	if !limits[c.Call.Row] {
		blameSender(c, "", "responded to "+about(c.Call)+" "+late+" after the cancellation ("+frame(c.Call.Cancel)+").",
			c.N, c.Call.Cancel, c.Call.N)
		return
	}
	asker := sideOf(c.Call.Dir)
	c.ReportAs("limit", diagnose.Finding{
		Side: asker, Confidence: diagnose.Likely,
		Message: c.Named(asker) + " gave up " + about(c.Call) + " after " + seconds(c.Call.CancelT-c.Call.T) + " (" + frame(c.Call.Cancel) +
			"), and the response came " + late + " later (" + frame(c.N) + "): its time limit is too short for this request.",
		Cause: "The time limit is shorter than the work takes, and no progress extended it: the request had no progress token, or nothing reported progress.",
		Remedies: fixes(
			inClient("raise the limit for slow tools, pass a progress handler so that the request has a token, and let progress reset the limit (resetTimeoutOnProgress)."),
			inServer("send progress during long calls, or respond with a task.")),
		Frames: []uint64{c.N, c.Call.Cancel, c.Call.N},
	})
})
