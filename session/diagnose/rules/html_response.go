package rules

import (
	"midwire/session/diagnose"
	"midwire/session/oauth"
	"midwire/session/wire"
)

var htmlResponse = rule("html-response", diagnose.OtherMedia, func(c *diagnose.Case) {
	x := c.Exchange
	if x.Messages == 0 || x.IsStream || x.Status >= 300 && x.Status < 400 || x.Status == 404 || x.Status == 405 ||
		!wire.IsMediaType(x.ResponseHeader("Content-Type"), "text/html") {
		return
	}
	password := x.Status == 401 && oauth.OtherScheme(wire.HeadValues(x.ResponseHead, "WWW-Authenticate"))
	if password || x.Status >= 500 || x.Status == 403 || x.Status == 413 || x.Status == 429 {
		return // the status says more than the page
	}
	if x.Status != 401 && (c.Facts == nil || c.Facts.LastOK == 0) {
		return // no MCP here at all: wrong-url says so
	}
	f := diagnose.Finding{Frames: headFrames(x)}
	f.Message = target(x) + " with " + quote(rowName(c)) + " (" + frame(x.RequestN) + ") got " + httpStatus(int(x.Status)) + " and a web page"
	if by := x.ResponseHeader("Server"); by != "" {
		f.Message += " by " + quote(by)
	}
	f.Message += "."
	if x.ResponseHeader("X-Powered-By") != "" {
		f.Side = diagnose.Server // a framework's own page
	}
	c.ReportAs(httpStatus(int(x.Status)), f)
})
