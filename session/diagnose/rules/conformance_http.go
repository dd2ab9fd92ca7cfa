package rules

import (
	"cmp"
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
		id: "wrong-http-method", on: diagnose.OtherRequests,
		wrong: func(c *diagnose.Case) (key, says string) {
			x := c.Exchange
			if x.Messages == 0 || x.Verb == "POST" || x.Verb == "" { // without its head nothing is known
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
			return "", quote(rowName(c)) + " (" + frame(x.RequestN) + ") is a request, and its POST got 202 instead of a response."
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
		id: "bad-version-accepted", on: diagnose.VersionResponses | diagnose.Refusals,
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
	{
		id: "response-length-wrong", on: diagnose.HTTPResponses | diagnose.Bodies | diagnose.Ends | diagnose.Noise,
		check: func(c *diagnose.Case) {
			s := diagnose.Memory[bodyEnds](c)
			x := c.Exchange
			switch {
			case c.Kind == noiseKind:
				if c.Frame.Kind == wire.KindRaw && c.Dir == wire.ToClient {
					s.surplus(c)
				}
			case c.Kind == responseKind:
				if x.Conn == s.last.conn {
					s.last = bodyEnd{}
				}
			case x.Verb != "POST" || x.Messages == 0 || x.IsStream:
			case c.Kind == bodyKind:
				if c.Frame.Part == wire.Cut {
					s.cut = bodyEnd{x: x.X, n: c.N, got: len(c.Frame.Data)}
				}
			case c.Clean:
				s.last = bodyEnd{
					x: x.X, conn: x.Conn, n: uint64(x.ResponseN), asked: uint64(x.RequestN),
					promised: x.ResponseHeader("Content-Length"), gateway: between(x) != "",
				}
			case (c.By == wire.ByServer || c.By == wire.ByClient && s.cut.x == x.X) && x.Status != 0 && x.Status < 400:
				s.brokeOff(c)
			}
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
				f.Confidence = diagnose.Likely
				if passedOn(x) {
					f.Side = diagnose.Gateway
				}
			}
			c.ReportAs(kind.what, f)
		},
	},
}

// bodyEnds is what is known of the ends of bodies: of the latest that was cut, and of
// the latest that was whole.
type bodyEnds struct{ cut, last bodyEnd }

type bodyEnd struct {
	x, conn  uint32
	n, asked uint64 // frames of the response and of the request
	got      int    // bytes that came
	promised string // Content-Length
	gateway  bool
}

// brokeOff looks at a response whose connection ended before its body did.
func (s *bodyEnds) brokeOff(c *diagnose.Case) {
	x := c.Exchange
	f := diagnose.Finding{Frames: append([]uint64{c.N}, headFrames(x)...)}
	if between(x) != "" || x.ResponseHeader("Via") != "" {
		f.Side = diagnose.Gateway
	}
	f.Message = "The response to " + quote(rowName(c)) + " (" + frame(x.RequestN) + ") broke off (" + frame(c.N) + "): "
	arrived := "nothing of it came"
	if s.cut.x == x.X && s.cut.got > 0 {
		f.Frames = append(f.Frames, s.cut.n)
		arrived = words.Count(s.cut.got, "byte") + " came (" + frame(s.cut.n) + ")"
	}
	switch length := x.ResponseHeader("Content-Length"); {
	case hasWord(x.ResponseHeader("Transfer-Encoding"), "chunked"):
		f.Message += "the chunk that ends a body never came, or the chunks are not of the size that they say; " + arrived
		advise(&f, "chunks that do not end")
	case length != "":
		f.Message += "its Content-Length is " + length + ", and " + arrived
	default:
		f.Message += arrived
	}
	if c.By == wire.ByClient {
		f.Confidence = diagnose.Likely
		f.Message += " before the client closed the connection, " + seconds(cmp.Or(c.Left, c.T)-x.RequestT) + " after its request."
	} else {
		f.Message += " before the connection was closed."
	}
	if r := rowOf(c); r != nil && r.Kind == session.RowCall && r.Ending == session.Served {
		f.Severity = diagnose.Warning
		f.Message += " The message in it is whole; many clients take the response for failed all the same."
	}
	c.ReportAs("short", f)
}

// surplus looks at bytes behind a response that seemed to be whole.
func (s *bodyEnds) surplus(c *diagnose.Case) {
	if s.last.conn != c.Frame.Conn || s.last.promised == "" || len(c.Data) == 0 {
		return
	}
	f := diagnose.Finding{Frames: []uint64{c.N, s.last.n, s.last.asked}}
	if s.last.gateway {
		f.Side = diagnose.Gateway
	}
	f.Message = "Behind the response " + frame(s.last.n) + ", whose Content-Length is " + s.last.promised + ", came " +
		words.Count(len(c.Data), "byte") + " that belong to no response: " + quote(string(words.Clip(c.Data, 100))) + "."
	c.ReportAs("long", f)
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
