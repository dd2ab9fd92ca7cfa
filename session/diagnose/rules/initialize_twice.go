package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var initializeTwice = &diagnose.Rule{
	ID: "initialize-twice", On: diagnose.Requests | diagnose.Results, Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		first := diagnose.State[firstInit](c)
		switch {
		case c.Call == nil || c.Call.Dir != wire.ToServer || !assigned(c):
		case c.Message.Kind == wire.MsgRequest && first.response != 0:
			c.Say("", c.Client()+" sent initialize again ("+frame(c.N)+"). The session had been open since "+frame(first.response)+".",
				c.N, first.n, first.response)
		case c.Message.Kind == wire.MsgResult && first.response == 0:
			first.n, first.response = c.Call.N, c.N
		}
	},
}

// firstInit is the handshake that opened a session.
type firstInit struct{ n, response uint64 }
