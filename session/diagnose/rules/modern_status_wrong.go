package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var modernStatusWrong = rule("modern-status-wrong", diagnose.Errors, func(c *diagnose.Case) {
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
	c.Say(number(code), "The error "+number(code)+" to "+quote(c.Call.Method)+" ("+frame(c.N)+") came with status "+
		number(c.Exchange.Status)+", and must have the status "+number(want)+".",
		c.N, c.Call.N)
})

// namesTarget says whether a method is about something that may not exist: some
// servers respond with -32601 for a tool that they do not have.
func namesTarget(method string) bool {
	switch method {
	case mcp.ToolsCall, mcp.PromptsGet, mcp.ResourcesRead, mcp.Complete:
		return true
	}
	return false
}
