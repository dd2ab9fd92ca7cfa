package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var cursorErrorCode = &diagnose.Rule{
	ID:       "cursor-error-code",
	Title:    "An invalid cursor is refused with the wrong error code",
	Brief:    "wrong code for a bad cursor",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	On:       diagnose.Errors,
	Methods:  lists,
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
