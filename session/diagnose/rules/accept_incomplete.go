package rules

import (
	"bytes"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var acceptIncomplete = rule("accept-incomplete", diagnose.HTTPResponses|diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	if x == nil || (c.Refusal == nil) != (x.Status < 400) || isSSE(c) || x.Status == 202 && x.Calls > 0 {
		return
	}
	if c.Refusal == nil && bytes.Contains(x.RequestHead, usualAccept) {
		return
	}
	accept := wire.HeadValues(x.RequestHead, "Accept")
	missing := notAccepted(x, accept)
	refused := c.Refusal != nil && (x.Status == 406 || x.Status == 400 && c.Refusal.Means(sdkwords.NotAcceptable))
	if missing == "" || !refused && hasWord(accept, "/*") { // a wildcard is good enough for who takes it
		return
	}
	message := c.Client() + " sent " + target(x) + " without an Accept header"
	if accept != "" {
		message = c.Client() + " sent " + target(x) + " with Accept " + quote(accept) + ", which lacks " + missing
	}
	if refused {
		message += ", and the server refused it with " + httpStatus(int(x.Status))
	}
	c.Say(x.Verb, message+".", uint64(x.RequestN), uint64(x.ResponseN))
})

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
	case strings.Contains(x.Path, "/.well-known/"):
	case x.Verb == "GET" && x.Header(mcp.HeaderSessionID) != "" && !listsToken(accept, mediaStream):
		return mediaStream
	}
	return ""
}
