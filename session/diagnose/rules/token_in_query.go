package rules

import (
	"strings"

	"midwire/session/diagnose"
)

var tokenInQuery = &diagnose.Rule{
	ID:       "token-in-query",
	Title:    "An access token is in the URL",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Help: diagnose.Help{
		Means: "Servers, gateways and browsers log URLs, and the token with them. MCP forbids access tokens in the query.",
		Wire:  "A request whose query has access_token.",
		Cause: "The URL with the token was pasted into the configuration, or the client cannot set headers.",
		Fix:   "Send the token as Authorization: Bearer, and revoke the one that was in the URL.",
		Spec:  "2025-03-26 basic/authorization: Access Token Usage",
		Example: `> POST /mcp?access_token=…
< 200`,
	},
	On: diagnose.HTTPRequests,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Query == "" || x.Messages == 0 && !isMCP(c) || !strings.Contains("&"+x.Query, "&access_token=") {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Message: target(x) + " (" + frame(uint64(x.RequestN)) + ") has access_token in its query.",
			Frames:  []uint64{uint64(x.RequestN)},
		})
	},
}
