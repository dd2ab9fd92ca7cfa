package rules

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// httpConformance are those of HTTP.
var httpConformance = []formal{
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
		id: "wrong-http-method", on: diagnose.OtherRequests,
		wrong: func(c *diagnose.Case) (key, says string) {
			x := c.Exchange
			if x.Messages == 0 || x.Verb == "POST" {
				return
			}
			return x.Verb, quote(rowName(c)) + " (" + frame(x.RequestN) + ") was sent with " + x.Verb + "."
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
			return "", quote(rowName(c)) + " (" + frame(x.RequestN) + ") is a request, and got only 202."
		},
	},
	{
		id: "origin-wrong-status", on: diagnose.Refusals,
		wrong: func(c *diagnose.Case) (key, says string) {
			x := c.Exchange
			if x == nil || x.Status == 403 || x.Status < 400 || !isMCP(c) || x.Header("Origin") == "" ||
				!blamesOrigin(c.Refusal) {
				return
			}
			return httpStatus(int(x.Status)), "The Origin " + quote(x.Header("Origin")) + " of " + target(x) + " (" + frame(x.RequestN) + ") was refused with " +
				httpStatus(int(x.Status)) + " instead of 403: " + said(c.Refusal) + "."
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
		id: "token-in-query", on: diagnose.HTTPRequests, check: deviates,
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
		id: "foreign-origin-accepted", on: diagnose.PageResponses,
		wrong: func(c *diagnose.Case) (key, says string) {
			x := c.Exchange
			if x.Messages == 0 || x.Status > 299 || !hasOrigin(x) {
				return
			}
			origin := x.Header("Origin")
			if origin == "" || !words.IsLoopback(x.Header("Host")) || x.ResponseHeader("Access-Control-Allow-Origin") == origin {
				return
			}
			u := words.ParseURL(origin)
			if u == nil || u.Scheme != "http" && u.Scheme != "https" || words.IsInternal(u.Host) {
				return // an extension or a local page
			}
			return origin, "A page of " + quote(origin) + " sent " + quote(rowName(c)) + " (" + frame(x.RequestN) + ") to the server on this machine, and got " +
				httpStatus(int(x.Status)) + "."
		},
	},
	{
		id: "session-id-changed", on: diagnose.HTTPResponses,
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
		id: "missing-id-wrong-status", on: diagnose.Refusals,
		wrong: func(c *diagnose.Case) (key, says string) {
			x := c.Exchange
			if x == nil || x.Status == 400 || c.Session == nil || c.Session.Transport != session.TransportHTTP ||
				c.Session.ID == "" ||
				c.Session.IDSource != session.IDServer && c.Session.IDSource != session.IDReplaced ||
				c.Method() == mcp.Initialize {
				return
			}
			if x.Header(mcp.HeaderSessionID) != "" || !isMCP(c) || !c.Refusal.Says("session") {
				return
			}
			return httpStatus(int(x.Status)), target(x) + " (" + frame(x.RequestN) + ") lacks the session id and got " + httpStatus(int(x.Status)) + " instead of 400: " +
				said(c.Refusal) + "."
		},
	},
	{
		id: "bad-version-accepted", on: diagnose.HTTPResponses | diagnose.Refusals,
		wrong: func(c *diagnose.Case) (key, says string) {
			x := c.Exchange
			if x == nil || x.Status == 400 || (c.Refusal == nil) != (x.Status < 300) || c.Session == nil ||
				c.Session.Transport != session.TransportHTTP || !isMCP(c) || saysVersion(x, c.Session.ProtocolVersion) {
				return
			}
			sent := wire.HeadValues(x.RequestHead, mcp.HeaderVersion)
			if v := mcp.Version(sent); v == "" || v.IsPublished() || v > mcp.Latest && v.IsDate() {
				return // from a later protocol version that this program does not know of
			}
			if c.Refusal != nil && !blamesVersion(c.Refusal) {
				return
			}
			return sent, target(x) + " (" + frame(x.RequestN) + ") says " + mcp.HeaderVersion + " " + quote(sent) + ", which is no protocol version of MCP, and got " +
				httpStatus(int(x.Status)) + " instead of 400."
		},
	},
}
