package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var modernProgressToken = &diagnose.Rule{
	ID:       "modern-progress-token",
	Title:    "Progress for a request that did not ask for it, or is over",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Era:      diagnose.Modern,
	Help: diagnose.Help{
		Means: "Progress must have the token of a running request. With another token, or after the response, the client cannot match it to a request and drops it.",
		Wire:  "notifications/progress whose progressToken is not that of a pending request; over HTTP, of the request on whose stream it arrives.",
		Cause: "The server invents a token, sends a numeric token as a string, or reports progress after it sent the response.",
		Fix:   "In the server: copy progressToken from params._meta of the request, with its JSON type. Send no progress for requests without a token, and stop before the response.",
		Spec:  "2026-07-28 basic/utilities/progress: Progress Flow",
		Example: `> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"index","_meta":{"progressToken":7,…}}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"7","progress":1}}`,
	},
	On:      diagnose.Notifications,
	Methods: []string{mcp.NotifyProgress},
	Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToClient || c.Blind() {
			return
		}
		token := string(c.Param("progressToken"))
		if token == "" { // the schema's business
			return
		}
		if c.Parent != nil && !c.Parent.Modern {
			return
		}
		switch {
		case c.Parent == nil:
			c.ReportAs("none", diagnose.Finding{
				Message: "Progress with the token " + token + " (" + frame(c.N) + ") belongs to no pending request.",
			})
		case c.Parent.Token == "":
			c.ReportAs("unasked", diagnose.Finding{
				Message: "Progress with the token " + token + " (" + frame(c.N) + ") came on the stream of " + quote(c.Parent.Method) + " (" + frame(c.Parent.N) + "), which has no token.",
				Frames:  []uint64{c.N, c.Parent.N},
			})
		case !sameToken(c.Parent.Token, token):
			c.ReportAs("other", diagnose.Finding{
				Message: "Progress with the token " + token + " (" + frame(c.N) + ") came on the stream of " + quote(c.Parent.Method) + " (" + frame(c.Parent.N) + "), whose token is " +
					c.Parent.Token + ".",
				Frames: []uint64{c.N, c.Parent.N},
			})
		}
	},
}

// sameToken compares two tokens, text with text and number with number.
func sameToken(a, b string) bool {
	return a == b || a[0] == '"' && b[0] == '"' && text([]byte(a)) == text([]byte(b))
}
