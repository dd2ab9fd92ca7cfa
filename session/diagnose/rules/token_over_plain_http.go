package rules

import "midwire/session/diagnose"

var tokenOverPlainHTTP = &diagnose.Rule{
	ID:       "token-over-plain-http",
	Title:    "A credential goes over the network unencrypted",
	Severity: diagnose.Warning,
	Side:     diagnose.Client,
	Help: diagnose.Help{
		Means: "The request sends a credential to another machine over plain http. Everyone on the network path can read and use it.",
		Wire:  "Authorization in a request without TLS to a server that is not on this machine.",
		Cause: "The URL in the configuration begins with http, or TLS ends at a gateway before midwire.",
		Fix:   "In the client's configuration: use the https URL of the server.",
		Spec:  "2025-06-18 basic/authorization: Communication Security; OAuth 2.1 1.5",
		Example: `> POST /mcp, Host: tools.example.com, Authorization: Bearer …
over http to 203.0.113.7:80`,
	},
	On: diagnose.HTTPRequests,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Proto != "" || x.Upstream == "" || isLoopback(x.Upstream) || x.Header("Authorization") == "" {
			return
		}
		c.ReportAs(x.Upstream, diagnose.Finding{
			Message: target(x) + " (" + frame(uint64(x.RequestN)) + ") sends a credential to " + x.Upstream + " without TLS.",
			Frames:  []uint64{uint64(x.RequestN)},
		})
	},
}
