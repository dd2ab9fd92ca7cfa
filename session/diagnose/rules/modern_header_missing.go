package rules

import (
	"strings"

	"midwire/session/diagnose"
)

var modernHeaderMissing = &diagnose.Rule{
	ID:       "modern-header-missing",
	Title:    "A request of 2026-07-28 lacks a header that repeats its body",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Help: diagnose.Help{
		Means: "From 2026-07-28 every POST has its protocol version, method and target in headers, so that gateways can route and limit requests without reading bodies. A server must refuse a request that lacks one.",
		Wire:  "A POST whose body has the envelope of 2026-07-28 in params._meta, without MCP-Protocol-Version, Mcp-Method, or for tools/call, prompts/get, resources/read and the tasks methods Mcp-Name. Strict servers respond with 400 and code -32020.",
		Cause: "The client builds its requests by hand or with a library from before 2026-07-28, or a gateway drops unknown headers.",
		Fix:   "In the client: send MCP-Protocol-Version, Mcp-Method and Mcp-Name with every request that needs them. If the client does this already, find a gateway that removes headers, and let it pass all headers that begin with Mcp-.",
		Spec:  "2026-07-28 basic/transports/streamable-http: Request Metadata",
		Example: `> POST /mcp  MCP-Protocol-Version: 2026-07-28
  {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read",…}}
< 400 {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"missing required Mcp-Method header"}}`,
	},
	On: diagnose.Requests,
	Check: func(c *diagnose.Case) {
		if !modernPost(c) || !c.Exchange.Contradicts {
			return
		}
		var missing []string
		mirrors(c.Call, func(w wanted) {
			if c.Exchange.Header(w.name) == "" {
				missing = append(missing, w.name)
			}
		})
		if missing == nil {
			return
		}
		list := strings.Join(missing, " and ")
		c.ReportAs(list+c.Call.Method, diagnose.Finding{
			Message: "The POST of " + quote(c.Call.Method) + " (" + frame(c.N) + ") says in its body that it is of " + string(c.Call.Version) + ", and lacks the header " + list + ".",
			Frames:  []uint64{c.N},
		})
	},
}
