package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var challengeMissing = &diagnose.Rule{
	ID:       "challenge-missing",
	Title:    "401 without a usable WWW-Authenticate header",
	Severity: diagnose.Warning,
	Fault:    diagnose.Server,
	Lint:     "F15 A-01",
	Help: diagnose.Help{
		Means: "The server wants a credential and does not say which. An MCP client finds the way to a login by the WWW-Authenticate header; without it the client has to guess, or gives up.",
		Wire:  "A request is answered with 401 and no WWW-Authenticate; or, in revision 2025-06-18, with one that lacks resource_metadata.",
		Cause: "A server or gateway that checks an API key, or a framework whose 401 knows nothing of OAuth.",
		Fix:   "In the server: answer 401 with WWW-Authenticate: Bearer resource_metadata=\"https://HOST/.well-known/oauth-protected-resource/PATH\". If it takes a fixed key, put that into the client's configuration as a header.",
		Spec:  "2025-06-18 basic/authorization: Authorization Server Location; 2025-11-25 basic/authorization: Protected Resource Metadata Discovery Requirements; RFC 9110 15.5.2",
		Example: `> POST /mcp {"jsonrpc":"2.0","id":0,"method":"initialize",…}
< 401 {"error":"unauthorized"}`,
	},
	On: diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || x.Status != 401 || !isMCP(c) || aboutSession(c) {
			return
		}
		rev := c.ProtocolVersion()
		if rev == "" && c.Facts != nil && c.Facts.Init != nil {
			rev = c.Facts.Init.Requested
		}
		challenge := headerValues(x.ResponseHead, "WWW-Authenticate")
		f := diagnose.Finding{Frames: headFrames(x)}
		f.Message = "The server answered " + target(x) + " (" + frame(uint64(x.RequestN)) + ") with 401"
		switch {
		case challenge == "":
			f.Message += " and no WWW-Authenticate header."
		case rev == mcp.V20250618 && hasWord(challenge, "bearer") && !hasWord(challenge, "resource_metadata"):
			f.Message += " and WWW-Authenticate " + quote(challenge) + ", which does not say where its metadata is."
		default:
			return
		}
		if rev == mcp.V20250618 {
			f.Severity = diagnose.Error
		}
		c.ReportAs(strings.ToLower(challenge), f)
	},
}
