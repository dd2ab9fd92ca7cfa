package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var handleRefused = &diagnose.Rule{
	ID: "handle-refused", On: diagnose.Results | diagnose.Errors, Methods: []string{mcp.ToolsCall},
	Check: func(c *diagnose.Case) {
		h := learnHandles(c)
		text := ""
		if c.Call != nil && c.Call.Dir == wire.ToServer {
			text = failure(c)
		}
		if r := (diagnose.Refusal{Text: text}); text == "" || !r.Says("unknown", "not found", "expired", "no such", "invalid", "does not exist", "no longer") {
			return
		}
		h.used(c, func(key string, one *handle) {
			f := diagnose.Finding{
				Message: "The call " + quote(c.Call.Target) + " (" + frame(c.Call.N) + ") used " + key + " " + quote(one.value) + ", which " +
					quote(one.tool) + " issued (" + frame(one.n) + "), and was refused: " + quote(text) + ".",
				Frames: []uint64{c.Call.N, c.N, one.n},
			}
			switch {
			case one.used > one.n:
				f.Cause = "It worked before (" + frame(one.used) + "): it has expired, or the server lost it."
			case one.session != c.Session.Index:
				f.Cause = "It was issued in another session: the server keeps handles per transport session, and the client opened a new one."
			}
			c.ReportAs(one.value, f)
		})
	},
}
