package rules

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
)

var endpointUnreachable = rule("endpoint-unreachable", diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	if x == nil || c.Session == nil || c.Session.Transport != session.TransportSSE ||
		c.Session.IDSource != session.IDEndpoint ||
		x.Verb != "POST" || x.Messages == 0 || c.Facts.LastOK != 0 || c.Session.State == session.StateClosed {
		return
	}
	if x.Status != 404 && x.Status != 405 && x.Status != 502 || c.Refusal.RPC || aboutSession(c) {
		return
	}
	f := diagnose.Finding{Frames: headFrames(x)}
	f.Message = c.Client() + " posted to " + quote(x.Path) + ", as the endpoint event says, and got " + httpStatus(int(x.Status)) + "."
	if prefix := c.Session.Endpoint[:max(strings.LastIndexByte(c.Session.Endpoint, '/'), 0)]; prefix != "" &&
		!strings.HasPrefix(x.Path, prefix+"/") {
		f.Side = diagnose.Gateway
		f.Message += " The stream is at " + quote(c.Session.Endpoint) + ": the announced path lacks the prefix " + quote(prefix) + "."
	}
	c.ReportAs("", f)
})
