package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var cursorErrorCode = &diagnose.Rule{
	ID: "cursor-error-code", On: diagnose.Errors, Methods: lists,
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Dir != wire.ToClient {
			return
		}
		code, said := errorCode(c), errorText(c)
		if code == mcp.CodeInvalidParams || !words.Contains(said, "cursor") ||
			len(wire.Get(c.Call.Params, "cursor")) == 0 {
			return
		}
		c.Say("", c.Server()+" refused the cursor of "+about(c.Call)+" with the code "+number(code)+": "+quote(said)+".",
			c.N, c.Call.N)
	},
}
