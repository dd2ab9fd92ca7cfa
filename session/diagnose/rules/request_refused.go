package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/operation"
	"midwire/session/wire"
)

// What was refused is certain; whether that is right is not known.
var requestRefused = rule("request-refused", diagnose.Finish|diagnose.Overall, func(c *diagnose.Case) {
	for _, o := range badOf(c) {
		if o.Came != operation.Refused || o.Dir != wire.ToServer || byDesign(o) || excused(c, o) {
			continue
		}
		with := diagnose.Values{"call": o.Method, "target": o.Target, "said": plain(o.Words), "how": httpStatus(o.Status)}
		if o.Event {
			with["how"] = "the error " + number(o.Code)
		}
		eachMember(c, o, func(f diagnose.Finding) {
			with["request"], with["response"] = f.Frames[len(f.Frames)-1], f.Frames[0]
			f.With = with
			c.ReportAs(o.Method+" "+number(o.Code)+" "+number(int64(o.Status)), f)
		})
	}
})

// badOf is what was not served in the session in hand, or in none.
func badOf(c *diagnose.Case) []*operation.Operation {
	at := -1
	if c.Session != nil {
		at = c.Session.Index
	}
	if a := c.Operations().Of(at); a != nil {
		return a.Bad
	}
	return nil
}

// eachMember calls do with a finding for each of equal operations: its response and its request,
// and the heads of its exchange.
func eachMember(c *diagnose.Case, o *operation.Operation, do func(diagnose.Finding)) {
	for i, m := range o.Members {
		f := diagnose.Finding{Frames: distinct([]uint64{m.Response, m.N})}
		if m.Row >= 0 {
			f.About = append(f.About, c.Heads(c.Tracker().Row(m.Row).X)...)
		}
		if i == len(o.Members)-1 {
			f.Count = o.Count - i
		}
		do(f)
	}
}

// byDesign reports whether a refusal is how a server says that it has none of what is optional.
func byDesign(o *operation.Operation) bool {
	verb, path, _ := strings.Cut(o.Method, " ")
	refused := sdkwords.Find(o.Code, o.Words, o.Data)
	switch {
	case refused.Means(sdkwords.MidwireRejected), o.Ending.GaveUp():
		return true
	case o.Kind == operation.Call || o.Kind == operation.Handshake:
		return diagnose.Optional(o.Method, o.Code) || o.Status == 403 && hasScope(o)
	case wire.HeadValue([]byte(o.Got), "DPoP-Nonce") != "" && o.Status <= 401: // RFC 9449 8 and 9: it is asked again with it
		return true
	case o.Kind == operation.Notice:
		return false
	case verb == "DELETE":
		return o.Status == 405 || o.Status == 404
	case verb == "POST": // a form belongs to a login, where refusals are part of waiting
		return listsToken(wire.HeadValue(o.Head, "Content-Type"), "application/x-www-form-urlencoded")
	case o.Kind == operation.Stream:
		return o.Status == 405
	}
	// What else there is to GET: a path may be judged in any way by a server that has nothing there.
	return o.Status < 400 || o.Status == 404 || o.Status == 405 || o.Status < 500 && strings.Contains(path, "/.well-known/")
}

func hasScope(o *operation.Operation) bool {
	return strings.Contains(wire.HeadValue([]byte(o.Got), "WWW-Authenticate"), "insufficient_scope")
}

// excused reports whether nothing came of a refusal: the client was served afterwards, or asked
// how to get authorization.
func excused(c *diagnose.Case, o *operation.Operation) bool {
	last := o.Last().N
	if o.Event && tellsSender(o.Code) && c.Served() {
		return true
	}
	challenge := wire.HeadValue([]byte(o.Got), "WWW-Authenticate") != ""
	learns := asksFirst(o.Method) || o.Event && hasWord(o.Words, "session", "not initialized", "initialization")
	switch {
	case o.Event:
	case o.Status == 401 || o.Status == 403:
		learns = learns || challenge
	case o.Status == 400 || o.Status == 404 || o.Status == 405 || o.Status == 406:
		get := o.Kind == operation.Stream || o.Kind == operation.Exchange
		learns = learns || get || wire.HeadValue(o.Head, mcp.HeaderSessionID) != ""
	}
	return learns && (c.ServedSince(last) || o.Status == 401 && challenge && c.AskedSince(last))
}

// tellsSender reports whether an error is one by which the protocol tells the sender what to do
// better.
func tellsSender(code int64) bool {
	switch code {
	case mcp.CodeInvalidParams, mcp.CodeMethodNotFound, mcp.CodeResourceNotFound, mcp.CodeURLElicitation,
		mcp.CodeHeaderMismatch, mcp.CodeMissingCapability, mcp.CodeUnsupportedVersion:
		return true
	}
	return false
}

// asksFirst are requests by which a client finds out how to talk to a server: a refusal is an
// answer, if it goes on.
func asksFirst(method string) bool { return method == mcp.Initialize || method == mcp.Discover }
