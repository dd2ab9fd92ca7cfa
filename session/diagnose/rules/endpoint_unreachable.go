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
	Fault:    diagnose.Server,
	Lint:     "F27",
	Help: diagnose.Help{
		Means: "In the transport of 2024-11-05 the server tells the client where to post its messages. The client did as it was told, and nothing answers at that path.",
		Wire:  "“event: endpoint” names a path; the POST to it is answered with 404, 405 or 502 although the stream is open.",
		Cause: "A reverse proxy serves the server below a prefix and takes that off on the way; the server does not know of it and announces a path without.",
		Fix:   "Tell the server its prefix (root_path, mount path, X-Forwarded-Prefix), or let the proxy route the announced path as well.",
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
		f.Message = "The client posted to " + quote(x.Path) + ", as the endpoint event had told it, and got " + httpStatus(int(x.Status)) + "."
		if prefix := c.Session.Endpoint[:max(strings.LastIndexByte(c.Session.Endpoint, '/'), 0)]; prefix != "" &&
			!strings.HasPrefix(x.Path, prefix+"/") {
			f.Fault, f.Confidence = diagnose.Gateway, diagnose.Likely
			f.Message += " The stream is at " + quote(c.Session.Endpoint) + ": the announced path lacks the prefix " + quote(prefix) + "."
		}
		c.ReportAs("", f)
	},
}
