package rules

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/oauth"
	"midwire/session/wire"
	"midwire/session/words"
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

var hostRejected = rule("host-rejected", diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	form := x != nil && x.Verb == "POST" && x.Messages == 0 // of a login: it names other hosts
	if x == nil || form && x.Status != 421 || x.Status != 421 && x.Status != 403 && x.Status != 400 {
		return
	}
	if c.Refusal.Means(sdkwords.MidwireRejected) {
		refusedByUs(c)
		return
	}
	origin := blamesOrigin(c.Refusal)
	if !origin && x.Status != 421 && !c.Refusal.Means(sdkwords.HostRejected) {
		return
	}
	f := diagnose.Finding{Frames: headFrames(x)}
	if origin {
		f.Message = c.Server() + " rejects the Origin " + quote(x.Header("Origin"))
		f.Remedies = fixes(inServer("add this origin to the allowed origins, if the page is yours."))
	} else {
		f.Message = c.Server() + " rejects the Host " + quote(cmp.Or(x.Host, x.Header("Host"))) + hostStory(x, &f)
		if servesOthers(c) {
			f.Severity = diagnose.Note // it may have done its duty
			f.Cause = "The server responds to other names. Either this name is missing on its list, or the request is an attack that the check is meant to stop."
		}
	}
	f.Message += ", and responded to " + target(x) + " with " + httpStatus(int(x.Status)) + because(c) + "."
	c.ReportAs(x.Header("Host")+" "+x.Header("Origin"), f)
})

// servesOthers says whether the server has responded anybody at this endpoint.
func servesOthers(c *diagnose.Case) bool {
	return slices.ContainsFunc(c.Responded(), func(s *session.Session) bool { return s.Endpoint == c.Exchange.Path })
}

func blamesOrigin(r *diagnose.Refusal) bool {
	return r.Means(sdkwords.OriginRejected)
}

// hostStory says what midwire has to do with the Host that the server got, and
// who must act then.
func hostStory(x *session.Exchange, f *diagnose.Finding) string {
	host := x.Header("Host")
	_, port := words.HostName(host)
	_, upstream := words.HostName(x.Upstream)
	switch {
	case x.Host != "" && x.Host != host:
		advise(f, "Host replaced by midwire")
		return ", which replaced " + quote(host)
	case x.Upstream != "" && port != upstream && words.IsLoopback(host) && words.IsLoopback(x.Upstream):
		advise(f, "Host with the port of midwire")
		return ", which is midwire's address, not the server's (" + x.Upstream + ")"
	}
	return ""
}

// refusedByUs reports a request that midwire itself turned down.
func refusedByUs(c *diagnose.Case) {
	x := c.Exchange
	name := x.Header("Host")
	if origin := x.Header("Origin"); origin != "" &&
		strings.Contains(c.Refusal.Text, strings.TrimPrefix(strings.TrimPrefix(origin, "https://"), "http://")) {
		name = origin
	}
	c.ReportAs("us "+name, withAdvice("midwire before a remote server", diagnose.Finding{
		Side:    diagnose.Client,
		Frames:  headFrames(x),
		Message: "midwire refused " + target(x) + ", as " + quote(name) + " is not a local name and the target is a remote server.",
	}))
}

var mediaTypeRefused = rule("media-type-refused", diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	if x == nil || x.Verb != "POST" || (!posts(c) || x.Messages == 0) && !compressed(x) ||
		x.Status != 415 && (x.Status != 400 || !c.Refusal.Means(sdkwords.ContentType)) {
		return
	}
	sent, coding := wire.HeadValues(x.RequestHead, "Content-Type"), wire.HeadValues(x.RequestHead, "Content-Encoding")
	f := refusalOf(c)
	switch {
	case compressed(x):
		f.Message += ". Its body has the Content-Encoding " + quote(coding)
		advise(&f, "compressed request refused")
	case sent == "":
		f.Side = diagnose.Client
		f.Message += ". It has no Content-Type"
	case !wire.IsMediaType(sent, mediaJSON):
		f.Side = diagnose.Client
		f.Message += ". Its Content-Type is " + quote(sent)
	default:
		if f.Side == 0 {
			f.Side = diagnose.Server
		}
		f.Message += ", although its Content-Type is " + quote(sent)
		advise(&f, "media type compared too strictly")
		if !strings.EqualFold(strings.TrimSpace(sent), mediaJSON) {
			f.Remedies = append(f.Remedies, inClient("until then, leave the parameter out."))
		}
	}
	f.Message += "."
	c.ReportAs(sent+coding, f)
})

// compressed says whether the body of a request is JSON in a coding.
func compressed(x *session.Exchange) bool {
	coding := x.Header("Content-Encoding")
	return coding != "" && !strings.EqualFold(coding, "identity") && wire.IsMediaType(x.Header("Content-Type"), mediaJSON)
}

var messageRefused = rule("message-refused", diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	unread := x != nil && c.Refusal.RPC && c.Refusal.Code == mcp.CodeParseError && noID(c)
	if call := cmp.Or(c.Call, c.Pending(c.Row)); call != nil && len(call.Params) > 0 && call.Params[0] != '{' {
		return // that is what is wrong with it
	}
	if !posts(c) && !unread || x.Messages != 1 || asksForSession(c.Refusal) || x.Header("Content-Encoding") != "" {
		return
	}
	f := refusalOf(c)
	if unread {
		f.Frames = append(f.Frames, c.N)
	}
	switch {
	case c.Refusal.Means(sdkwords.BodyConsumed):
		f.Side = diagnose.Server
		advise(&f, "body read twice")
	case unread && hasWord(x.Header("Transfer-Encoding"), "chunked"):
		f.Message += ". Its body came in chunks (Transfer-Encoding: chunked), and the message in it is valid"
		advise(&f, "chunked body not read")
	case x.Status == 422:
		advise(&f, "schema of another service")
		if where := missingField(c.Refusal.Text); where != "" {
			f.Message += "; it misses " + quote(where)
		}
	case unread || x.Status == 400 && c.Refusal.Code == mcp.CodeParseError,
		x.Status == 400 && c.Refusal.Means(sdkwords.Unreadable):
		advise(&f, "body changed on the way")
	default:
		return
	}
	f.Message += "."
	c.ReportAs(number(x.Status), f)
})

// missingField is the place that a validator such as FastAPI's misses in a request,
// "" for none.
func missingField(body string) string {
	where := ""
	wire.Items(wire.Get([]byte(body), "detail"), func(_ int, fault []byte) bool {
		var path []string
		wire.Items(wire.Get(fault, "loc"), func(_ int, v []byte) bool {
			path = append(path, text(v))
			return len(path) < 8
		})
		where = strings.Trim(strings.Join(path, "."), ".")
		return where == ""
	})
	return where
}

var rateLimited = rule("rate-limited", diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	if !posts(c) || x.Status != 429 && !limited(c) {
		return
	}
	all := made(diagnose.Memory[map[string]pause](c))
	who := x.Header("Authorization") + " " + x.Path
	last, again := all[who]
	f := refusalOf(c)
	by := f.Side
	f.Side = diagnose.Client
	after := strings.TrimSpace(x.ResponseHeader("Retry-After"))
	wait, err := strconv.Atoi(after)
	switch early := again && last.wait > 0 && x.RequestT > last.t && x.RequestT < last.t+int64(last.wait)*1e9; {
	case early:
		f.Severity = diagnose.Error
		f.Message += ". The client was told to wait " + number(last.wait) + " s (" + frame(last.n) + ") and asked again after " + seconds(x.RequestT-last.t)
		advise(&f, "Retry-After not heeded")
		f.Frames = append(f.Frames, last.n)
	case after == "":
		f.Side = max(by, diagnose.Server)
		f.Message += ". It does not say when to try again (no Retry-After)"
		const raise = "send Retry-After, or raise the limit for this client."
		f.Remedies = fixes(inServer(raise), inGateway(raise), inClient("send fewer requests at a time, and wait longer after each 429."))
	default:
		f.Severity = diagnose.Note
		f.Message += ", with Retry-After " + quote(after)
	}
	f.Message += "."
	if err != nil || wait < 0 || wait > 1e6 {
		wait = 0
	}
	if again || len(all) < 1024 {
		all[who] = pause{c.T, uint64(x.ResponseN), wait}
	}
	c.ReportAs(f.Severity.String(), f)
})

// limited says whether a 403 is one for too many requests.
func limited(c *diagnose.Case) bool {
	x := c.Exchange
	return x.Status == 403 && (c.Refusal.Means(sdkwords.RateLimited) || x.ResponseHeader("X-RateLimit-Remaining") == "0")
}

// pause is a time to wait, in seconds, that a server asked for.
type pause struct {
	t    int64
	n    uint64
	wait int
}

var requestForbidden = rule("request-forbidden", diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	if !posts(c) || x.Status != 403 && !ofPolicy(c) || blamesOrigin(c.Refusal) || blamesSession(c.Refusal) ||
		limited(c) || c.Refusal.Means(sdkwords.HostRejected, sdkwords.ScopeMissing) ||
		oauth.ChallengeParam(wire.HeadValues(x.ResponseHead, "WWW-Authenticate"), "error") == "insufficient_scope" ||
		c.Refusal.RPC && c.IsModern() {
		return
	}
	f := refusalOf(c)
	switch {
	case f.Side == diagnose.Gateway:
		advise(&f, "forbidden by the gateway")
	case c.Refusal.Means(sdkwords.SessionForeign):
		advise(&f, "session of another user")
	case x.Status != 403:
		advise(&f, "account not served")
	case c.Refusal.Says("csrf"):
		advise(&f, "protection of forms")
	case x.Header("Authorization") == "":
		f.Seen = true
		f.Message += ", and it carried no Authorization header"
		advise(&f, "403 without a credential")
	case c.Refusal.Says("token", "api key", "api_key", "apikey", "credential", "expired", "signature"):
		advise(&f, "403 for a bad credential")
	default:
		f.Seen = true
		advise(&f, "no right to it")
	}
	f.Message += "."
	c.ReportAs(x.Verb+between(x)+cmp.Or(x.Header("Authorization"), "none"), f)
})

// ofPolicy says whether a refusal with another status than 403 says in its text that the
// client or its account may not.
func ofPolicy(c *diagnose.Case) bool {
	switch x := c.Exchange; x.Status {
	case 402, 451:
		return true
	case 400, 404, 406, 409, 422, 423:
		return c.Refusal.Means(sdkwords.Forbidden) || !c.Refusal.RPC && c.Refusal.Says("not enabled", "is disabled", "not permitted", "not authorized to", "no permission", "not subscribed", "subscription",
			"suspended", "payment", "billing", "quota", "allowlist", "whitelist", "terms of")
	}
	return false
}

var requestTooLarge = rule("request-too-large", diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	if !posts(c) {
		return
	}
	f, ofHead := refusalOf(c), c.Refusal.Means(sdkwords.HeadTooLarge)
	switch {
	case x.Status == 413 || x.Status == 400 && !c.Refusal.RPC && !ofHead && c.Refusal.Means(sdkwords.TooLarge):
		if size := x.Header("Content-Length"); size != "" {
			f.Message += ". Its body has " + size + " bytes"
		}
	case x.Status == 414 || x.Status == 431 ||
		x.Status == 400 && !c.Refusal.RPC && ofHead:
		f.Side = max(f.Side, diagnose.Server)
		if !strings.Contains(string(x.RequestHead), "redacted:") { // else it was longer than it is here
			f.Message += ". Its head has " + number(len(x.RequestHead)) + " bytes"
		}
		advise(&f, "head too large")
	default:
		return
	}
	f.Message += "."
	c.ReportAs(number(x.Status), f)
})
