package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var wrongContentType = &diagnose.Rule{
	ID:       "wrong-content-type",
	Title:    "The response to a request is neither JSON nor an event stream",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	On:       diagnose.HTTPResponses,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
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
		c.ReportAs(media, f)
	},
}
