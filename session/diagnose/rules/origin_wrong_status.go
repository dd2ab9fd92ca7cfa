package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var originWrongStatus = &diagnose.Rule{
	ID:       "origin-wrong-status",
	Title:    "An invalid Origin was not refused with 403",
	Brief:    "bad Origin without 403",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	From:     mcp.V20251125,
	On:       diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || x.Status == 403 || x.Status < 400 || !isMCP(c) || x.Header("Origin") == "" || !blamesOrigin(c.Refusal) {
			return
		}
		c.Say(httpStatus(int(x.Status)), "The Origin "+quote(x.Header("Origin"))+" of "+target(x)+" ("+frame(x.RequestN)+") was refused with "+
			httpStatus(int(x.Status))+" instead of 403: "+said(c.Refusal)+".",
			headFrames(x)...)
	},
}
