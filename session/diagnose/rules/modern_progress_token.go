package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var modernProgressToken = &diagnose.Rule{
	ID: "modern-progress-token", On: diagnose.Notifications, Methods: []string{mcp.NotifyProgress},
	Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToClient || c.Blind() {
			return
		}
		token := string(c.Param("progressToken"))
		if token == "" { // the schema's business
			return
		}
		if c.Parent != nil && !c.Parent.Modern {
			return
		}
		switch {
		case c.Parent == nil:
			c.Say("none", "Progress with the token "+token+" ("+frame(c.N)+") belongs to no pending request.")
		case c.Parent.Token == "":
			c.Say("unasked", "Progress with the token "+token+" ("+frame(c.N)+") came on the stream of "+quote(c.Parent.Method)+" ("+frame(c.Parent.N)+"), which has no token.",
				c.N, c.Parent.N)
		case !sameToken(c.Parent.Token, token):
			c.Say("other", "Progress with the token "+token+" ("+frame(c.N)+") came on the stream of "+quote(c.Parent.Method)+" ("+frame(c.Parent.N)+"), whose token is "+
				c.Parent.Token+".",
				c.N, c.Parent.N)
		}
	},
}

// sameToken compares two tokens, text with text and number with number.
func sameToken(a, b string) bool {
	return a == b || a[0] == '"' && b[0] == '"' && text([]byte(a)) == text([]byte(b))
}
