package rules

import (
	"bytes"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var acceptIncomplete = &diagnose.Rule{
	ID:       "accept-incomplete",
	Title:    "The Accept header does not list the media types of MCP responses",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Help: diagnose.Help{
		Means: "Over Streamable HTTP the server chooses for every response between plain JSON and an event stream. The client must list both in its Accept header. Servers refuse requests of clients that do not.",
		Wire:  "A POST whose Accept header lacks application/json or text/event-stream, or a GET for a stream without text/event-stream. Servers often respond with 406 and “Not Acceptable: Client must accept both application/json and text/event-stream”; Go servers respond with 400.",
		Cause: "A script or a hand-written client sends “Accept: application/json” or nothing; or an HTTP library or a gateway replaces the client's Accept header with its own.",
		Fix:   "In the client: send “Accept: application/json, text/event-stream” with every POST, and “Accept: text/event-stream” with every GET. If the client does this already, find out what replaces the header between the client and midwire.",
		Spec:  "2025-11-25 basic/transports: Sending Messages to the Server",
		Example: `> POST /mcp, Accept: application/json
< 406 {"jsonrpc":"2.0","error":{"code":-32000,"message":"Not Acceptable: Client must accept both application/json and text/event-stream"},"id":null}`,
	},
	Header: "Accept",
	On:     diagnose.HTTPResponses | diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || (c.Refusal == nil) != (x.Status < 400) || isSSE(c) || x.Status == 202 && x.Calls > 0 {
			return
		}
		if c.Refusal == nil && bytes.Contains(x.RequestHead, usualAccept) {
			return
		}
		accept := headerValues(x.RequestHead, "Accept")
		missing := notAccepted(x, accept)
		refused := c.Refusal != nil && (x.Status == 406 || x.Status == 400 && c.Refusal.Says("accept"))
		if missing == "" || !refused && hasWord(accept, "/*") { // a wildcard is good enough for who takes it
			return
		}
		message := "The client sent " + target(x) + " without an Accept header"
		if accept != "" {
			message = "The client sent " + target(x) + " with Accept " + quote(accept) + ", which lacks " + missing
		}
		if refused {
			message += ", and the server refused it with " + httpStatus(int(x.Status))
		}
		c.ReportAs(x.Verb, diagnose.Finding{
			Message: message + ".",
			Frames:  []uint64{uint64(x.RequestN), uint64(x.ResponseN)},
		})
	},
}

// usualAccept is what the SDKs send: the rule runs for every request.
var usualAccept = []byte("application/json, text/event-stream")

// notAccepted names what the Accept header of an MCP request should list and
// does not, "" for nothing.
func notAccepted(x *session.Exchange, accept string) string {
	switch {
	case x.Verb == "POST" && x.Messages > 0:
		switch json, stream := listsToken(accept, mediaJSON), listsToken(accept, mediaStream); {
		case !json && !stream:
			return mediaJSON + " and " + mediaStream
		case !json:
			return mediaJSON
		case !stream:
			return mediaStream
		}
	case x.Verb == "GET" && x.Header(mcp.HeaderSessionID) != "" && !listsToken(accept, mediaStream):
		return mediaStream
	}
	return ""
}
