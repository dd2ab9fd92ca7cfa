package rules

import (
	"strings"

	"midwire/session/diagnose"
)

var tokenInQuery = &diagnose.Rule{
	ID:       "token-in-query",
	Title:    "An access token stands in the URL",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Help: diagnose.Help{
		Means: "URLs end up in the logs of servers, gateways and browsers, and with them the token. MCP forbids access tokens in the query.",
		Wire:  "A request whose query holds access_token.",
		Cause: "The URL with the token was pasted into the configuration, or the client cannot set headers.",
		Fix:   "Send the token as Authorization: Bearer, and replace the one that was in the URL.",
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
			Message: target(x) + " (" + frame(uint64(x.RequestN)) + ") carries access_token in its query.",
			Frames:  []uint64{uint64(x.RequestN)},
		})
	},
}
