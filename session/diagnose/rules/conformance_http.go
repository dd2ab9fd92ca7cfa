package rules

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var httpConformance = []formal{
	{
		id: "not-acceptable", on: diagnose.Refusals,
		wrong: func(c *diagnose.Case) (key, says string) {
			x := c.Exchange
			if x == nil || x.Status != 406 || isSSE(c) || !isMCP(c) ||
				notAccepted(x, wire.HeadValues(x.RequestHead, "Accept")) != "" {
				return
			}
			return x.Verb, target(x) + " (" + frame(x.RequestN) + ") has a correct Accept header, and was refused with 406: " + said(c.Refusal) + "."
		},
	},
	{
		id: "allow-header-missing", on: diagnose.OddResponses,
		wrong: func(c *diagnose.Case) (key, says string) {
			x := c.Exchange
			if x.Status != 405 || !isMCP(c) || wire.HeadValues(x.ResponseHead, "Allow") != "" {
				return
			}
			return x.Verb, target(x) + " (" + frame(x.RequestN) + ") got 405 without an Allow header."
		},
	},
	{
		id: "token-over-plain-http", on: diagnose.HTTPRequests,
		wrong: func(c *diagnose.Case) (key, says string) {
			x := c.Exchange
			if x.Proto != "" || x.Upstream == "" || words.IsLoopback(x.Upstream) || x.Header("Authorization") == "" {
				return
			}
			return x.Upstream, target(x) + " (" + frame(x.RequestN) + ") sends a credential to " + x.Upstream + " without TLS."
		},
	},
	{
		id: "request-only-accepted", on: diagnose.OddResponses,
		wrong: func(c *diagnose.Case) (key, says string) {
			x := c.Exchange
			if x.Status != 202 || x.Calls == 0 || x.Verb != "POST" || !isSure(c) || c.Session.State == session.StateClosed {
				return
			}
			return "", quote(rowName(c)) + " (" + frame(x.RequestN) + ") is a request, and its POST got 202 instead of a response."
		},
	},
	{
		id: "stream-asked-in-modern", on: diagnose.OtherRequests,
		wrong: func(c *diagnose.Case) (key, says string) {
			x := c.Exchange
			if x.Verb != "GET" || !mcp.Version(x.Header(mcp.HeaderVersion)).IsModern() || !isMCP(c) {
				return
			}
			return "", c.Client() + " of protocol version " + string(c.Session.ProtocolVersion) + " sent " + target(x) + " for an event stream (" + frame(x.RequestN) + ")."
		},
	},
	{
		id: "stream-buffering-allowed", on: diagnose.HTTPResponses,
		wrong: func(c *diagnose.Case) (key, says string) {
			x := c.Exchange
			if !x.IsStream || x.Verb != "POST" || x.Calls == 0 || x.Status != 200 || strings.EqualFold(x.ResponseHeader("X-Accel-Buffering"), "no") {
				return
			}
			if (x.Upstream == "" || words.IsLoopback(x.Upstream)) && x.ResponseHeader("Via") == "" {
				return // nothing stands between that could buffer
			}
			return "", "The stream that responds to " + quote(rowName(c)) + " (" + frame(x.ResponseN) + ") has no X-Accel-Buffering: no."
		},
	},
	{
		id: "session-id-changed", on: diagnose.OtherIDs,
		wrong: func(c *diagnose.Case) (key, says string) {
			x := c.Exchange
			if c.Session == nil || c.Session.ID == "" || c.Session.Transport != session.TransportHTTP ||
				x.Status > 299 || rowName(c) == mcp.Initialize {
				return
			}
			id := x.ResponseHeader(mcp.HeaderSessionID)
			if id == "" || id == c.Session.ID || x.Header(mcp.HeaderSessionID) != c.Session.ID {
				return
			}
			return "", "In the session " + quote(c.Session.ID) + " the response to " + target(x) + " (" + frame(x.ResponseN) + ") has the session id " + quote(id) + "."
		},
	},
	{
		id: "cors-session-id-hidden", on: diagnose.PageResponses, methods: []string{mcp.Initialize},
		wrong: func(c *diagnose.Case) (key, says string) {
			x := c.Exchange
			if x.Verb != "POST" || x.Status > 299 || x.Calls == 0 || !hasOrigin(x) ||
				x.ResponseHeader(mcp.HeaderSessionID) == "" {
				return
			}
			if !isPage(x) || !allowsOrigin(x) || allows(x, "Access-Control-Expose-Headers", mcp.HeaderSessionID) {
				return
			}
			return "", "The response to initialize (" + frame(x.ResponseN) + ") carries " + mcp.HeaderSessionID + ", which the page of " + quote(x.Header("Origin")) + " cannot read: Access-Control-Expose-Headers does not name it."
		},
	},
	{
		id: "request-not-jsonrpc", on: diagnose.OtherRequests,
		check: func(c *diagnose.Case) {
			x := c.Exchange
			if x.Verb != "POST" || x.Messages > 0 || !meantForMCP(c) {
				return
			}
			kind := classifyBody(c.Data)
			f := diagnose.Finding{Frames: []uint64{uint64(x.RequestN)}}
			advise(&f, kind.why)
			if c.N != uint64(x.RequestN) {
				f.Frames = append(f.Frames, c.N)
			}
			f.Message = c.Client() + " sent " + target(x) + " (" + frame(x.RequestN) + ") with a body that is " + kind.what
			if len(c.Data) > 0 && magic(c.Data) == "" {
				f.Message += ": " + quote(strings.Join(strings.Fields(string(words.Clip(c.Data, 100))), " "))
			}
			f.Message += "."
			if kind.half {
				if passedOn(x) {
					f.Side = diagnose.Gateway
				}
			}
			c.ReportAs(kind.what, f)
		},
	},
}

// meantForMCP says whether a POST was to be a message: it asks for what MCP responds
// with, goes where messages went before, or looks like one.
func meantForMCP(c *diagnose.Case) bool {
	x := c.Exchange
	if len(c.Data) == 0 || x.Header("Content-Encoding") != "" || wire.IsArray(c.Data) && wire.Valid(c.Data) ||
		!wire.IsMediaType(x.Header("Content-Type"), mediaJSON) || wire.Get(c.Data, "redirect_uris") != nil {
		return false // the last is the registration of a login
	}
	accept := wire.HeadValues(x.RequestHead, "Accept")
	r := rowOf(c)
	return r != nil && r.Kind == session.RowNoise || wire.Get(c.Data, "jsonrpc") != nil ||
		listsToken(accept, mediaJSON) && listsToken(accept, mediaStream)
}

// passedOn says whether a request came through a gateway, as its head shows.
func passedOn(x *session.Exchange) bool {
	has := func(name string) bool { return x.Header(name) != "" }
	return slices.ContainsFunc([]string{"Via", "X-Forwarded-For", "Forwarded", "X-Request-Id", "X-Real-Ip", "X-Amzn-Trace-Id"}, has)
}
