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

var httpConformance = []*diagnose.Rule{
	{ID: "not-acceptable", On: diagnose.Refusals, Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || x.Status != 406 || isSSE(c) || !isMCP(c) ||
			notAccepted(x, wire.HeadValues(x.RequestHead, "Accept")) != "" {
			return
		}
		c.Found("", x.Verb, fill{"said": said(c.Refusal)})
	}},
	{ID: "allow-header-missing", On: diagnose.OddResponses, Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Status == 405 && isMCP(c) && wire.HeadValues(x.ResponseHead, "Allow") == "" {
			c.Found("", x.Verb, nil)
		}
	}},
	{ID: "token-over-plain-http", On: diagnose.HTTPRequests, Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Proto != "" || x.Upstream == "" || words.IsLoopback(x.Upstream) || x.Header("Authorization") == "" {
			return
		}
		c.Found("", x.Upstream, fill{"upstream": x.Upstream})
	}},
	{ID: "request-only-accepted", On: diagnose.OddResponses, Check: func(c *diagnose.Case) {
		x := c.Exchange
		accepted := x.Status == 202 && x.Calls > 0 && x.Verb == "POST"
		if accepted && isSure(c) && c.Session.State != session.StateClosed {
			c.Found("", "", nil)
		}
	}},
	{ID: "stream-asked-in-modern", On: diagnose.OtherRequests, Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Verb == "GET" && mcp.Version(x.Header(mcp.HeaderVersion)).IsModern() && isMCP(c) {
			c.Found("", "", nil)
		}
	}},
	{ID: "stream-buffering-allowed", On: diagnose.HTTPResponses, Check: func(c *diagnose.Case) {
		x := c.Exchange
		if !x.IsStream || x.Verb != "POST" || x.Calls == 0 || x.Status != 200 {
			return
		}
		// What stands between could buffer.
		passed := x.Upstream != "" && !words.IsLoopback(x.Upstream) || x.ResponseHeader("Via") != ""
		if passed && !strings.EqualFold(x.ResponseHeader("X-Accel-Buffering"), "no") {
			c.Found("", "", nil)
		}
	}},
	{ID: "session-id-changed", On: diagnose.OtherIDs, Check: func(c *diagnose.Case) {
		x := c.Exchange
		if c.Session == nil || c.Session.ID == "" || c.Session.Transport != session.TransportHTTP ||
			x.Status > 299 || rowName(c) == mcp.Initialize || x.Header(mcp.HeaderSessionID) != c.Session.ID {
			return
		}
		id := x.ResponseHeader(mcp.HeaderSessionID)
		if id == "" || id == c.Session.ID {
			return
		}
		c.Found("", "", fill{"was": c.Session.ID, "now": id})
	}},
	{ID: "cors-session-id-hidden", On: diagnose.PageResponses, Methods: []string{mcp.Initialize}, Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Verb != "POST" || x.Status > 299 || x.Calls == 0 || !hasOrigin(x) || x.ResponseHeader(mcp.HeaderSessionID) == "" ||
			!isPage(x) || !allowsOrigin(x) || allows(x, "Access-Control-Expose-Headers", mcp.HeaderSessionID) {
			return
		}
		c.Found("", "", fill{"origin": x.Header("Origin")})
	}},
	{ID: "request-not-jsonrpc", On: diagnose.OtherRequests, Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Verb != "POST" || x.Messages > 0 || !meantForMCP(c) {
			return
		}
		kind := classifyBody(c.Data)
		f := diagnose.Finding{Frames: []uint64{uint64(x.RequestN)}, With: fill{"what": kind.what}}
		advise(&f, kind.why)
		if c.N != uint64(x.RequestN) {
			f.Frames = append(f.Frames, c.N)
		}
		if magic(c.Data) == "" {
			f.With["body"] = strings.Join(strings.Fields(string(words.Clip(c.Data, 100))), " ")
		}
		if kind.half && passedOn(x) {
			f.Side = diagnose.Gateway
		}
		c.ReportAs(kind.what, f)
	}},
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
