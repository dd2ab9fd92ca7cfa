package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var wrongContentType = &diagnose.Rule{
	ID:       "wrong-content-type",
	Title:    "The answer to a request is neither JSON nor an event stream",
	Severity: diagnose.Error,
	Fault:    diagnose.Server,
	Lint:     "L-52 F26",
	Help: diagnose.Help{
		Means: "A client knows by the Content-Type whether it gets one JSON answer or a stream. With another one, or none, SDK clients refuse the answer unread, even when it is right.",
		Wire:  "A request is answered with 2xx and a Content-Type other than application/json and text/event-stream: text/plain, text/html, or none.",
		Cause: "The server writes its answer without setting the header and its framework says text/plain; or a gateway drops it; or the URL is none of an MCP server.",
		Fix:   "In the server: set Content-Type: application/json for a single answer, text/event-stream for a stream.",
		Spec:  "2025-11-25 basic/transports: Sending Messages to the Server",
		Example: `> POST /mcp {"jsonrpc":"2.0","id":0,"method":"initialize",…}
< 200 text/plain {"jsonrpc":"2.0","id":0,"result":{…}}`,
	},
	On: diagnose.HTTPResponses,
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
			Message: quote(rowName(c)) + " (" + frame(uint64(x.RequestN)) + ") was answered with " + httpStatus(int(x.Status)),
		}
		if media == "" {
			f.Message += " and no Content-Type."
		} else {
			f.Message += " and Content-Type " + quote(media) + "."
		}
		c.ReportAs(media, f)
	},
}
