package rules

import (
	"cmp"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
)

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
