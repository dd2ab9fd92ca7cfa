package rules

import (
	"strings"

	"midwire/session/diagnose"
)

var streamBufferingAllowed = rule("stream-buffering-allowed", diagnose.HTTPResponses, func(c *diagnose.Case) {
	x := c.Exchange
	if !x.IsStream || x.Verb != "POST" || x.Calls == 0 || x.Status != 200 || strings.EqualFold(x.ResponseHeader("X-Accel-Buffering"), "no") {
		return
	}
	if (x.Upstream == "" || isLoopback(x.Upstream)) && x.ResponseHeader("Via") == "" {
		return // nothing stands between that could buffer
	}
	c.Say("", "The stream that responds to "+quote(rowName(c))+" ("+frame(x.ResponseN)+") has no X-Accel-Buffering: no.",
		headFrames(x)...)
})
