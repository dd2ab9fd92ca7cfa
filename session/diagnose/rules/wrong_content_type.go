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
	Help: diagnose.Help{
		Means: "From the Content-Type a client knows whether the response is one JSON message or a stream. With another type, or none, SDK clients refuse the response unread, even when it is correct.",
		Wire:  "A request gets 2xx and a Content-Type other than application/json and text/event-stream: text/plain, text/html, or none.",
		Cause: "The server does not set the header and its framework sends text/plain; a gateway drops the header; or the URL does not belong to an MCP server.",
		Fix:   "In the server: set Content-Type: application/json for a single response, text/event-stream for a stream.",
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
			Message: quote(rowName(c)) + " (" + frame(uint64(x.RequestN)) + ") got " + httpStatus(int(x.Status)),
		}
		if media == "" {
			f.Message += " and no Content-Type."
		} else {
			f.Message += " and Content-Type " + quote(media) + "."
		}
		c.ReportAs(media, f)
	},
}
