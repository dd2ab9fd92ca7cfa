package rules

import "midwire/session/diagnose"

var resultReadsFailed = rule("result-reads-failed", diagnose.Finish, func(c *diagnose.Case) {
	if c.Session == nil {
		return
	}
	a := c.Operations().Of(c.Session.Index)
	if a == nil {
		return
	}
	for _, o := range a.Odd() {
		c.ReportAs(o.Target, diagnose.Finding{
			Message: "The result of " + quote(o.Target) + " (" + frame(o.Response) + ") reads like a failure, without isError: " + quoteLong(o.Words) + ".",
			Frames:  []uint64{o.N, o.Response},
		})
	}
})
