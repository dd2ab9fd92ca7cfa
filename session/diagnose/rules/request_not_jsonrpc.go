package rules

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/session/words"
)

var requestNotJSONRPC = rule("request-not-jsonrpc", diagnose.OtherRequests, func(c *diagnose.Case) {
	x := c.Exchange
	if x.Verb != "POST" || x.Messages > 0 || !meantForMCP(c) {
		return
	}
	kind := classifyBody(c.Data)
	f := diagnose.Finding{Frames: []uint64{uint64(x.RequestN)}, Cause: kind.cause, Remedies: kind.fix}
	if c.N != uint64(x.RequestN) {
		f.Frames = append(f.Frames, c.N)
	}
	f.Message = c.Client() + " sent " + target(x) + " (" + frame(x.RequestN) + ") with a body that is " + kind.what
	if len(c.Data) > 0 && magic(c.Data) == "" {
		f.Message += ": " + quote(strings.Join(strings.Fields(string(words.Clip(c.Data, 100))), " "))
	}
	f.Message += "."
	if kind.half {
		f.Confidence = diagnose.Likely
		if passedOn(x) {
			f.Side = diagnose.Gateway
		}
	}
	c.ReportAs(kind.what, f)
})

// meantForMCP says whether a POST was to be a message: it asks for what MCP responds
// with, goes where messages went before, or looks like one.
func meantForMCP(c *diagnose.Case) bool {
	x := c.Exchange
	if len(c.Data) == 0 || x.Header("Content-Encoding") != "" || wire.IsArray(c.Data) && wire.Valid(c.Data) ||
		!wire.IsMediaType(x.Header("Content-Type"), mediaJSON) {
		return false
	}
	accept := wire.HeadValues(x.RequestHead, "Accept")
	r := rowOf(c)
	return r != nil && r.Kind == session.RowNoise || wire.Get(c.Data, "jsonrpc") != nil ||
		listsToken(accept, mediaJSON) && listsToken(accept, mediaStream)
}

// passedOn says whether a request came through a gateway, as its head shows.
func passedOn(x *session.Exchange) bool {
	for _, name := range []string{"Via", "X-Forwarded-For", "Forwarded", "X-Request-Id", "X-Real-Ip", "X-Amzn-Trace-Id"} {
		if x.Header(name) != "" {
			return true
		}
	}
	return false
}
