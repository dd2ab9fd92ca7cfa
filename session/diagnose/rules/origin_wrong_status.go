package rules

import (
	"midwire/session/diagnose"
)

var originWrongStatus = rule("origin-wrong-status", diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	if x == nil || x.Status == 403 || x.Status < 400 || !isMCP(c) || x.Header("Origin") == "" || !blamesOrigin(c.Refusal) {
		return
	}
	c.Say(httpStatus(int(x.Status)), "The Origin "+quote(x.Header("Origin"))+" of "+target(x)+" ("+frame(x.RequestN)+") was refused with "+
		httpStatus(int(x.Status))+" instead of 403: "+said(c.Refusal)+".",
		headFrames(x)...)
})
