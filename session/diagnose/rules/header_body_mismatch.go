package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var headerBodyMismatch = &diagnose.Rule{
	ID:       "header-body-mismatch",
	Title:    "A header and the body of a request contradict each other",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Help: diagnose.Help{
		Means: "MCP-Protocol-Version, Mcp-Method and Mcp-Name must repeat values of the body. If they differ, a gateway decides about another request than the one that the server executes. Servers must therefore refuse the request.",
		Wire:  "A POST of 2026-07-28 whose MCP-Protocol-Version is not the one in params._meta, whose Mcp-Method is not its method, or whose Mcp-Name, decoded, is not its name, uri or taskId. It gets 400 and code -32020.",
		Cause: "The client sets headers once for a connection and keeps them for later requests; or it changes the spelling, for example by URL encoding; or a gateway rewrites only the body or only the headers.",
		Fix:   "In the client: create the headers from the message that is sent. Values are compared byte for byte; a value that a header cannot hold is written as =?base64?…?=. In a gateway that changes the body: change the headers too.",
		Spec:  "2026-07-28 basic/transports/streamable-http: Server Validation",
		Example: `> POST /mcp  Mcp-Method: tools/list
  {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read",…}}
< 400 {"jsonrpc":"2.0","id":2,"error":{"code":-32020,"message":"header mismatch"}}`,
	},
	On: diagnose.Requests,
	Check: func(c *diagnose.Case) {
		if !modernPost(c) || !c.Exchange.Contradicts {
			return
		}
		if name, has, want := disagreement(c.Exchange.Header, c.Call); name != "" {
			c.ReportAs(name+c.Call.Method, diagnose.Finding{
				Message: "The header " + name + " of " + frame(c.N) + " says " + quote(has) + ", and the body " + quote(want) + ".",
				Frames:  []uint64{c.N},
			})
		}
	},
}

// disagreement finds a header that says something else than the body. One that
// is missing, or wrongly encoded, is another rule's.
func disagreement(header func(string) string, call *diagnose.Call) (name, has, want string) {
	mirrors(call, func(w wanted) {
		value := header(w.name)
		if value == "" || value == w.value || name != "" {
			return
		}
		decoded, ok := value, true
		if w.encoded {
			decoded, ok = mcp.DecodeHeader(value)
		}
		if ok && decoded != w.value && wire.Valid(call.Params) {
			name, has, want = w.name, decoded, w.value
		}
	})
	return name, has, want
}
