package rules

import (
	"midwire/session/diagnose"
)

var headerMismatchAccepted = &diagnose.Rule{
	ID:       "header-mismatch-accepted",
	Title:    "A server executes a request whose headers contradict its body",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "A server of 2026-07-28 must refuse a request whose headers are missing or differ from its body. Otherwise a client can bypass a gateway that decides by the headers: the header names one tool and the body calls another.",
		Wire:  "A POST whose Mcp-Method, Mcp-Name or MCP-Protocol-Version is missing or differs from the body, and which gets a result instead of 400 and code -32020.",
		Cause: "The server reads only the body. Hand-written servers and libraries from before 2026-07-28 often do this.",
		Fix:   "In the server: compare the headers with the body before the method runs, and respond with 400 and code -32020 (HeaderMismatch) when they differ or are missing.",
		Spec:  "2026-07-28 basic/transports/streamable-http: Server Validation",
		Example: `> POST /mcp  Mcp-Method: tools/list
  {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"delete_all",…}}
< 200 {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[…]}}`,
	},
	On: diagnose.Results,
	Check: func(c *diagnose.Case) {
		if !modernResponse(c) || c.Exchange == nil || !c.Exchange.Contradicts || c.Exchange.Status >= 300 ||
			c.Exchange.X != c.Call.X {
			return
		}
		what := ""
		mirrors(c.Call, func(w wanted) {
			if what == "" && c.Exchange.Header(w.name) == "" {
				what = "lacks the header " + w.name
			}
		})
		if name, has, want := disagreement(c.Exchange.Header, c.Call); what == "" && name != "" {
			what = "says " + quote(has) + " in the header " + name + " and " + quote(want) + " in its body"
		}
		if what == "" {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Message: "The request " + frame(c.Call.N) + " " + what + ", and the server executed it (" + frame(c.N) + ").",
			Frames:  []uint64{c.N, c.Call.N},
		})
	},
}
