package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var scopeChallengeIncomplete = &diagnose.Rule{
	ID:       "scope-challenge-incomplete",
	Title:    "403 for a missing scope does not name the scope",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	From:     mcp.V20251125,
	Help: diagnose.Help{
		Means: "The client's token lacks a permission. The client can request more permissions if the server names them; this response does not.",
		Wire:  `403 for insufficient scope whose WWW-Authenticate header lacks error="insufficient_scope", scope or resource_metadata.`,
		Cause: "The server checks scopes in the handler of a tool and responds with a plain 403.",
		Fix:   `In the server: respond with 403 and WWW-Authenticate: Bearer error="insufficient_scope", scope="…", resource_metadata="…".`,
		Spec:  "2025-11-25 basic/authorization: Runtime Insufficient Scope Errors",
		Example: `> POST /mcp {"jsonrpc":"2.0","id":4,"method":"tools/call",…}
< 403 {"error":"insufficient_scope"}`,
	},
	On: diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || x.Status != 403 || !isMCP(c) {
			return
		}
		challenge := headerValues(x.ResponseHead, "WWW-Authenticate")
		named := challengeParam(challenge, "error") == "insufficient_scope"
		if !named && !c.Refusal.Says("insufficient_scope", "insufficient scope") {
			return
		}
		var missing []string
		if !named {
			missing = append(missing, `error="insufficient_scope"`)
		}
		for _, name := range []string{"scope", "resource_metadata"} {
			if challengeParam(challenge, name) == "" {
				missing = append(missing, name)
			}
		}
		if len(missing) == 0 {
			return
		}
		c.ReportAs(strings.Join(missing, " "), diagnose.Finding{
			Message: "The server refused " + target(x) + " (" + frame(uint64(x.RequestN)) + ") because of a missing scope, and its WWW-Authenticate header lacks " + strings.Join(missing, ", ") + ".",
			Frames:  headFrames(x),
		})
	},
}
