package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var serverInfoMissing = &diagnose.Rule{
	ID:       "server-info-missing",
	Title:    "Results of 2026-07-28 do not name the server",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "There is no handshake in which a server could send its name. Therefore every result should name the server in _meta: for logs, for bug reports, and to see which of several servers behind one address responded.",
		Wire:  `A result without _meta["io.modelcontextprotocol/serverInfo"].`,
		Cause: "The server, or a gateway that rebuilds results, omits _meta.",
		Fix:   `In the server: put name and version into _meta["io.modelcontextprotocol/serverInfo"] of every result. In a gateway: pass the _meta of results through.`,
		Spec:  "2026-07-28 basic/index: _meta",
		Example: `< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[…]}}
  better: "_meta":{"io.modelcontextprotocol/serverInfo":{"name":"notes","version":"1.2"}}`,
	},
	On: diagnose.Results,
	Check: func(c *diagnose.Case) {
		if !modernResponse(c) {
			return
		}
		if wire.Get(c.Result("_meta"), mcp.MetaServerInfo) != nil {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Message: "The result of " + quote(c.Call.Method) + " (" + frame(c.N) + ") does not name its server in _meta.",
		})
	},
}
