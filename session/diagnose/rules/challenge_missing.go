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
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "The server requires a credential and does not say which kind. An MCP client uses the WWW-Authenticate header to find the login. Without the header it must guess, or gives up.",
		Wire:  "A request gets 401 without WWW-Authenticate; or, in protocol version 2025-06-18, with a WWW-Authenticate that lacks resource_metadata.",
		Cause: "A server or gateway checks an API key, or uses the default 401 of a framework that does not support OAuth.",
		Fix:   `In the server: respond with 401 and WWW-Authenticate: Bearer resource_metadata="https://HOST/.well-known/oauth-protected-resource/PATH". If the server uses a fixed key, add the key to the client's configuration as a header.`,
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
		f.Message = "The server responded to " + target(x) + " (" + frame(uint64(x.RequestN)) + ") with 401"
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
