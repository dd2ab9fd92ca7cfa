package rules

import "midwire/session/diagnose"

var corsResponseHidden = rule("cors-response-hidden", diagnose.PageResponses, func(c *diagnose.Case) {
	x := c.Exchange
	refused := x.Status == 403 || x.Status == 421 // such an origin is meant to read nothing
	if x.Verb == "OPTIONS" || x.Messages == 0 && x.Verb == "POST" || !hasOrigin(x) || refused || allowsOrigin(x) || !isPage(x) {
		return
	}
	f := diagnose.Finding{Frames: headFrames(x)}
	f.Message = target(x) + " (" + frame(x.RequestN) + ") of the page " + quote(x.Header("Origin")) + " got " + httpStatus(int(x.Status))
	if other := x.ResponseHeader("Access-Control-Allow-Origin"); other != "" {
		f.Message += ", readable only for " + quote(other) + "."
	} else {
		f.Message += ", without Access-Control-Allow-Origin."
	}
	c.ReportAs(x.Verb+httpStatus(int(x.Status)), f)
})
