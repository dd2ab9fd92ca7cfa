package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// refusals are those of a session, kept until it is known what came of them.
type refusals struct {
	list []refusal
	said map[string]string // what is said of those with the same key, once
}

// refusal is a request that was refused.
type refusal struct {
	key           string
	why           reason // what is known of the cause
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
			Cause: one.why.cause, Remedies: one.why.fix, Side: one.why.side,
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
