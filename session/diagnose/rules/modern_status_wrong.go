package rules

import (
	"strconv"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var modernStatusWrong = &diagnose.Rule{
	ID:       "modern-status-wrong",
	Title:    "An error of 2026-07-28 has the wrong HTTP status",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "In 2026-07-28 gateways and clients see from the HTTP status whether a request was refused, and whether the server supports this protocol version. Refusals of headers, envelope, capabilities and protocol version use 400; an unknown method uses 404.",
		Wire:  "A response with -32020, -32021, -32022, or -32602 for a missing _meta, and a status other than 400; or -32601 with a status other than 404.",
		Cause: "The server responds to every JSON-RPC error with 200, as protocol versions up to 2025-11-25 do; or a gateway replaces the status.",
		Fix:   "In the server: respond with 400 for these codes, and with 404 for -32601. Errors of a method that ran keep their status.",
		Spec:  "2026-07-28 basic/transports/streamable-http: Server Validation",
		Example: `> POST /mcp  {"jsonrpc":"2.0","id":4,"method":"no/such",…}
< 200 {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"Method not found"}}`,
	},
	On: diagnose.Errors,
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Exchange == nil || c.Call.Dir != wire.ToServer || c.Exchange.X != c.Call.X ||
			!c.Call.Modern {
			return
		}
		code, _ := wire.Int(wire.Get(c.Message.Error, "code"))
		want := uint16(0)
		switch {
		case code == mcp.CodeHeaderMismatch || code == mcp.CodeMissingCapability || code == mcp.CodeUnsupportedVersion:
			want = 400
		case code == mcp.CodeInvalidParams && c.Facts.ServesModern &&
			wire.Get(c.Call.Params, "_meta", mcp.MetaClientCapabilities) == nil && c.Call.Params != nil:
			want = 400
		case code == mcp.CodeMethodNotFound && c.Facts.ServesModern && !namesTarget(c.Call.Method):
			want = 404
		}
		if want == 0 || c.Exchange.Status == want {
			return
		}
		c.ReportAs(strconv.Itoa(int(code)), diagnose.Finding{
			Message: "The error " + strconv.Itoa(int(code)) + " to " + quote(c.Call.Method) + " (" + frame(c.N) + ") came with status " +
				strconv.Itoa(int(c.Exchange.Status)) + ", and must have the status " + strconv.Itoa(int(want)) + ".",
			Frames: []uint64{c.N, c.Call.N},
		})
	},
}

// namesTarget says whether a method is about something that may not exist: some
// servers respond with -32601 for a tool that they do not have.
func namesTarget(method string) bool {
	switch method {
	case mcp.ToolsCall, mcp.PromptsGet, mcp.ResourcesRead, mcp.Complete:
		return true
	}
	return false
}
