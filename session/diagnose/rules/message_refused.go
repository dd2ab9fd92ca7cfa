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
		f.Side, f.Confidence = diagnose.Server, diagnose.Certain
		f.Cause = "The body was read twice: the web framework's own parser of JSON had read it before the transport of MCP did."
		f.Remedies = fixes(inServer("do not put a parser such as express.json() before the MCP route, or hand the parsed body on: transport.handleRequest(req, res, req.body), handlePostMessage(req, res, req.body)."))
	case unread && hasWord(x.Header("Transfer-Encoding"), "chunked"):
		f.Message += ". Its body came in chunks (Transfer-Encoding: chunked), and the message in it is valid"
		f.Cause = "The server reads bodies by Content-Length alone. HTTP/1.1 lets clients send a body in chunks, without saying its length first."
		f.Remedies = fixes(inServer("read bodies with Transfer-Encoding: chunked, which HTTP libraries do."), inGateway("collect the body and set Content-Length."), inClient("until then, send Content-Length."))
	case x.Status == 422:
		f.Cause = "What stands at this URL checks the body against a schema of its own, before or in place of MCP: an interface of another kind (REST), or a handler that declares the body as a parameter."
		f.Remedies = fixes(anyone("Check that the URL is the MCP endpoint."), inServer("mount the transport of MCP there as it is, without a model of the body."))
		if where := missingField(c.Refusal.Text); where != "" {
			f.Message += "; it misses " + quote(where)
		}
	case unread || x.Status == 400 && c.Refusal.Code == mcp.CodeParseError,
		x.Status == 400 && c.Refusal.Means(sdkwords.Unreadable):
		f.Cause = "The message is valid JSON here. What the server read was something else: the body had been read or replaced before by its web framework, or changed on the way."
		f.Remedies = fixes(inServer("hand the parsed body to the transport, or let nothing read it before. Compare what arrives with what was sent: record behind the gateway as well."))
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
