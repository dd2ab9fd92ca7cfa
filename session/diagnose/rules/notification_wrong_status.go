package rules

import (
	"strconv"

	"midwire/session/diagnose"
)

var notificationWrongStatus = &diagnose.Rule{
	ID:       "notification-wrong-status",
	Title:    "A notification did not get an empty 202",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "A notification or a client's response gets no JSON-RPC response, and over HTTP exactly 202 without a body. Tolerant clients accept other statuses; strict ones fail when they read a body that should not be there.",
		Wire:  "A POST that has no request gets 200 or 204, or 202 with a body.",
		Cause: "The server responds to every POST in the same way, often with 200 and {} or null; or a framework adds a body to 202.",
		Fix:   "In the server: respond to POSTs without a request with 202 and Content-Length 0.",
		Spec:  "2025-11-25 basic/transports: Sending Messages to the Server",
		Example: `> POST /mcp {"jsonrpc":"2.0","method":"notifications/initialized"}
< 200 {}`,
	},
	On: diagnose.HTTPResponses | diagnose.Bodies,
	Check: func(c *diagnose.Case) {
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
			Message: name + " (" + frame(uint64(x.RequestN)) + ") got " + httpStatus(int(x.Status)),
		}
		switch {
		case c.Kind == responseKind && x.Status != 202:
			c.ReportAs(name+httpStatus(int(x.Status)), with(f, " instead of 202."))
		case c.Kind == bodyKind && x.Status == 202 && len(c.Data) > 0:
			c.ReportAs(name, with(f, " and a body of "+strconv.Itoa(len(c.Data))+" bytes: "+quote(string(c.Data[:min(len(c.Data), 100)]))+"."))
		}
	},
}

// with completes the message of a finding.
func with(f diagnose.Finding, end string) diagnose.Finding {
	f.Message += end
	return f
}
