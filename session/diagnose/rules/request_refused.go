package rules

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// What was refused is certain; whether that is right is not known.
var requestRefused = rule("request-refused", diagnose.Refusals|diagnose.Finish|diagnose.Overall,
	func(c *diagnose.Case) {
		r := diagnose.State[refusals](c)
		switch {
		case c.Refusal == nil:
			r.report(c)
		case c.Refusal.RPC:
			r.refusedByRPC(c)
		default:
			r.refusedByHTTP(c)
		}
	})

func (r *refusals) refusedByRPC(c *diagnose.Case) {
	if c.Call == nil || c.Call.Dir != wire.ToServer || c.Call.Cancel != 0 ||
		diagnose.Optional(c.Call.Method, c.Refusal.Code) {
		return
	}
	one := refusal{
		frames: []uint64{c.N, c.Call.N}, n: c.N,
		excused: asksFirst(c.Call.Method) || aboutSession(c), usual: tellsSender(c.Refusal.Code),
	}
	if c.Exchange != nil {
		one.about = headFrames(c.Exchange)
	}
	key := c.Call.Method + " " + number(c.Refusal.Code)
	r.add(key, one, func() string {
		s := about(c.Call) + " was refused with the error " + number(c.Refusal.Code) + " (" + frame(c.N) + ")"
		if c.Refusal.Text != "" {
			s += ": " + quote(plain(c.Refusal.Text))
		}
		if sent := sentParams(c.Call, c.Refusal.Text); sent != "" {
			return s + ". Sent was " + sent + "."
		}
		return s + "."
	})
}

// refusedByHTTP takes a status of 400 or more.
func (r *refusals) refusedByHTTP(c *diagnose.Case) {
	x := c.Exchange
	if x == nil || refusedByDesign(c, x) {
		return
	}
	one := refusal{frames: headFrames(x), n: uint64(x.RequestN), excused: tellsHow(c, x)}
	one.challenged = one.excused && x.Status == 401
	if c.Call != nil {
		one.about = []uint64{c.N, c.Call.N}
	}
	key := rowName(c) + " " + target(x) + " " + number(x.Status)
	r.add(key, one, func() string {
		s := target(x)
		if name := rowName(c); x.Messages > 0 && name != "" {
			s += " with " + name
		}
		s += " (" + frame(x.RequestN) + ") was refused with " + httpStatus(int(x.Status))
		if said := strings.Join(strings.Fields(plain(c.Refusal.Text)), " "); said != "" {
			s += ": " + quote(said)
		}
		return s + ". Sent was " + sentHeaders(c, x) + "."
	})
}

// refusedByDesign says whether a refusal is how a server says that it has none
// of what is optional.
func refusedByDesign(c *diagnose.Case, x *session.Exchange) bool {
	switch {
	case x.Status == 403 && strings.Contains(x.ResponseHeader("WWW-Authenticate"), "insufficient_scope"):
		return true
	case x.ResponseHeader("DPoP-Nonce") != "" && x.Status <= 401: // RFC 9449 8 and 9: the client asks again with it
		return true
	case x.Verb == "DELETE":
		return x.Status == 405 || x.Status == 404
	case x.Verb == "POST": // a form belongs to a login, where refusals are part of waiting
		return listsToken(x.Header("Content-Type"), "application/x-www-form-urlencoded")
	case isStreamGet(x):
		return x.Status == 405
	}
	// What else there is to GET: a path may be judged in any way by a server that
	// has nothing there.
	return x.Status == 404 || x.Status == 405 || x.Status < 500 && strings.Contains(x.Path, "/.well-known/")
}

// tellsHow says whether a client learns from a refusal what to do instead.
func tellsHow(c *diagnose.Case, x *session.Exchange) bool {
	if asksFirst(rowName(c)) {
		return true
	}
	switch x.Status {
	case 401, 403:
		return x.ResponseHeader("WWW-Authenticate") != ""
	case 400, 404, 405, 406:
		return x.SessionID != "" || x.Verb == "GET"
	}
	return false
}

// sentHeaders shows the headers of a request that a refusal speaks of or that
// its status is about.
func sentHeaders(c *diagnose.Case, x *session.Exchange) string {
	var parts []string
	for _, h := range [...]struct {
		name   string
		status []int
	}{
		{"Content-Type", []int{415, 422}},
		{"Accept", []int{406}},
		{"Authorization", []int{401, 403}},
		{"Origin", []int{403}},
		{"Host", []int{403, 421}},
		{mcp.HeaderVersion, []int{400}},
		{mcp.HeaderSessionID, []int{400, 404}},
		{"Content-Length", []int{411, 413}},
	} {
		speaks := words.Contains(c.Refusal.Text, h.name)
		for _, status := range h.status {
			speaks = speaks || int(x.Status) == status
		}
		value := x.Header(h.name)
		switch {
		case !speaks:
		case value == "":
			parts = append(parts, "no "+h.name)
		default:
			parts = append(parts, h.name+" "+quote(value))
		}
	}
	if len(parts) == 0 {
		return "Content-Type " + quote(x.Header("Content-Type")) + ", Accept " + quote(x.Header("Accept"))
	}
	return strings.Join(parts, ", ")
}

// tellsSender says whether an error is one by which the protocol tells the sender
// what to do better.
func tellsSender(code int64) bool {
	switch code {
	case mcp.CodeInvalidParams, mcp.CodeMethodNotFound, mcp.CodeResourceNotFound, mcp.CodeURLElicitation,
		mcp.CodeHeaderMismatch, mcp.CodeMissingCapability, mcp.CodeUnsupportedVersion:
		return true
	}
	return false
}

// refusals are those of a session, kept until it is known what came of them.
type refusals struct {
	list []refusal
	said map[string]string // what is said of those with the same key, once
}

// refusal is a request that was refused.
type refusal struct {
	key           string
	frames, about []uint64
	n             uint64 // of the request
	excused       bool   // it counts for nothing when the client was served afterwards
	challenged    bool   // or asked how to get authorization
	usual         bool   // it counts for nothing when the client is served at all
}

// maxRefusals bounds how many are kept of a session.
const maxRefusals = 1 << 16

func (r *refusals) add(key string, one refusal, say func() string) {
	if len(r.list) >= maxRefusals {
		return
	}
	if said := made(&r.said); said[key] == "" {
		said[key] = say()
	}
	one.key = key
	r.list = append(r.list, one)
}

// report reports what nothing has come of.
func (r *refusals) report(c *diagnose.Case) {
	for _, one := range r.list {
		if one.excused && (c.ServedSince(one.n) || one.challenged && c.AskedSince(one.n)) || one.usual && c.Served() {
			continue
		}
		c.ReportAs(one.key, diagnose.Finding{
			Message: r.said[one.key], Frames: one.frames, About: one.about,
		})
	}
	r.list = nil
}

// asksFirst are requests by which a client finds out how to talk to a server: a
// refusal is an answer, if it goes on.
func asksFirst(method string) bool { return method == mcp.Initialize || method == mcp.Discover }

// sentParams shows the members of the parameters that a text speaks of, else
// what the request is for.
func sentParams(call *diagnose.Call, text string) string {
	var parts []string
	wire.Each(call.Params, func(key, value []byte) bool {
		if name := string(key); name != "_meta" && len(name) > 2 && words.Contains(text, name) {
			parts = append(parts, name+" "+quoteJSON(value))
		}
		return len(parts) < 3
	})
	if len(parts) == 0 && call.Target != "" {
		parts = append(parts, mcp.Target(call.Method)+" "+quote(call.Target))
	}
	return strings.Join(parts, ", ")
}
