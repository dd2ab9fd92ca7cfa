package rules

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
)

var endpointUnreachable = &diagnose.Rule{
	ID:       "endpoint-unreachable",
	Title:    "The endpoint that the server announced does not exist",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "In the transport of 2024-11-05 the server sends the URL for messages. The client posted to it, and there is nothing at that path.",
		Wire:  "“event: endpoint” names a path. The POST to it gets 404, 405 or 502 although the stream is open.",
		Cause: "A reverse proxy serves the server below a prefix and removes the prefix from requests; the server does not know the prefix and announces a path without it.",
		Fix:   "Configure the prefix in the server (root_path, mount path, X-Forwarded-Prefix), or let the proxy route the announced path too.",
		Spec:  "2024-11-05 basic/transports: HTTP with SSE",
		Example: `> GET /tools/sse
< event: endpoint, data: /messages?session_id=5f2c
> POST /messages?session_id=5f2c
< 404`,
	},
	On: diagnose.Refusals,
	Check: func(c *diagnose.Case) {
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
		f.Message = "The client posted to " + quote(x.Path) + ", as the endpoint event says, and got " + httpStatus(int(x.Status)) + "."
		if prefix := c.Session.Endpoint[:max(strings.LastIndexByte(c.Session.Endpoint, '/'), 0)]; prefix != "" &&
			!strings.HasPrefix(x.Path, prefix+"/") {
			f.Side, f.Confidence = diagnose.Gateway, diagnose.Likely
			f.Message += " The stream is at " + quote(c.Session.Endpoint) + ": the announced path lacks the prefix " + quote(prefix) + "."
		}
		c.ReportAs("", f)
	},
}
