package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var wrongContentType = rule("wrong-content-type", diagnose.HTTPResponses, func(c *diagnose.Case) {
	x := c.Exchange
	if isStreamGet(x) {
		notAStream(c)
		return
	}
	if x.Calls == 0 || x.IsStream || x.Verb != "POST" || x.Status < 200 || x.Status > 299 || x.Status == 202 || isSSE(c) {
		return
	}
	media := x.ResponseHeader("Content-Type")
	if wire.IsMediaType(media, mediaJSON) {
		return
	}
	f := diagnose.Finding{
		Frames:  headFrames(x),
		Message: quote(rowName(c)) + " (" + frame(x.RequestN) + ") got " + httpStatus(int(x.Status)),
	}
	if media == "" {
		f.Message += " and no Content-Type."
	} else {
		f.Message += " and Content-Type " + quote(media) + "."
	}
	if wire.IsMediaType(media, mediaHTML) {
		f.Side = diagnose.Gateway
		f.Cause = "What answered is a page for browsers: of a tunnel, a login or a protection before the server, or of a web application at the wrong URL."
		f.Remedies = fixes(inClient("in its configuration, use the URL of the MCP endpoint."), inGateway("let programs pass without its page."))
	}
	c.ReportAs(media, f)
})

// notAStream looks at a GET for the stream of a session that got something else.
func notAStream(c *diagnose.Case) {
	x := c.Exchange
	if x.Status != 200 || x.IsStream || !isMCP(c) || isSSE(c) || c.Facts.LastOK == 0 {
		return // where nothing worked yet, wrong-url says so
	}
	media := x.ResponseHeader("Content-Type")
	what := "no Content-Type"
	if media != "" {
		what = "Content-Type " + quote(media)
	}
	c.ReportAs("stream "+media, diagnose.Finding{
		Severity: diagnose.Warning, Frames: headFrames(x),
		Message:  target(x) + " (" + frame(x.RequestN) + ") asks for an event stream, and got HTTP 200 and " + what + ".",
		Cause:    "A handler for other requests answers every GET at this path, such as a page about the server, a check of its health or a catch-all of the gateway.",
		Remedies: fixes(inServer("respond to GET with text/event-stream, or with 405 when it offers no stream of its own. Clients take anything else for a failure, and may try again and again.")),
	})
}
