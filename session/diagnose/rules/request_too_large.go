package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
)

var requestTooLarge = rule("request-too-large", diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	if !posts(c) {
		return
	}
	f, ofHead := refusalOf(c), c.Refusal.Means(sdkwords.HeadTooLarge)
	switch {
	case x.Status == 413 || x.Status == 400 && !c.Refusal.RPC && !ofHead && c.Refusal.Means(sdkwords.TooLarge):
		if size := x.Header("Content-Length"); size != "" {
			f.Message += ". Its body has " + size + " bytes"
		}
	case x.Status == 414 || x.Status == 431 ||
		x.Status == 400 && !c.Refusal.RPC && ofHead:
		f.Side = max(f.Side, diagnose.Server)
		if !strings.Contains(string(x.RequestHead), "redacted:") { // else it was longer than it is here
			f.Message += ". Its head has " + number(len(x.RequestHead)) + " bytes"
		}
		advise(&f, "head too large")
	default:
		return
	}
	f.Message += "."
	c.ReportAs(number(x.Status), f)
})
