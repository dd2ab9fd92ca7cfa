package rules

import (
	"midwire/session/diagnose"
	"midwire/session/words"
)

var notificationWrongStatus = rule("notification-wrong-status", diagnose.HTTPResponses|diagnose.Bodies,
	func(c *diagnose.Case) {
		x := c.Exchange
		if x.Calls > 0 || x.Messages == 0 || x.Verb != "POST" || x.Status < 200 || x.Status > 299 || !isSure(c) {
			return
		}
		if x.Status == 202 && (c.Kind == responseKind || len(c.Data) == 0) {
			return
		}
		name := "A response of the client"
		if method := rowName(c); method != "" {
			name = quote(method)
		}
		f := diagnose.Finding{
			Frames:  headFrames(x),
			Message: name + " (" + frame(x.RequestN) + ") got " + httpStatus(int(x.Status)),
		}
		switch {
		case c.Kind == responseKind && x.Status != 202:
			c.ReportAs(name+httpStatus(int(x.Status)), with(f, " instead of 202."))
		case c.Kind == bodyKind && x.Status == 202 && len(c.Data) > 0:
			c.ReportAs(name, with(f, " and a body of "+number(len(c.Data))+" bytes: "+quote(string(words.Clip(c.Data, 100)))+"."))
		}
	})

// with completes the message of a finding.
func with(f diagnose.Finding, end string) diagnose.Finding {
	f.Message += end
	return f
}
