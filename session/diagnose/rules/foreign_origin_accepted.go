package rules

import "midwire/session/diagnose"

var foreignOriginAccepted = rule("foreign-origin-accepted", diagnose.PageResponses, func(c *diagnose.Case) {
	x := c.Exchange
	if x.Messages == 0 || x.Status > 299 || !hasOrigin(x) {
		return
	}
	origin := x.Header("Origin")
	if origin == "" || !isLoopback(x.Header("Host")) || x.ResponseHeader("Access-Control-Allow-Origin") == origin {
		return
	}
	u := parseURL(origin)
	if u == nil || u.Scheme != "http" && u.Scheme != "https" || isInternal(u.Host) {
		return // an extension or a local page
	}
	c.Say(origin, "A page of "+quote(origin)+" sent "+quote(rowName(c))+" ("+frame(x.RequestN)+") to the server on this machine, and got "+
		httpStatus(int(x.Status))+".",
		headFrames(x)...)
})
