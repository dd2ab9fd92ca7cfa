package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var initializeTwice = &diagnose.Rule{
	ID:       "initialize-twice",
	Title:    "A second initialize came in an open session",
	Severity: diagnose.Note,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "A session has one handshake. Most servers refuse a second one; others discard the state of the first.",
		Wire:  "initialize is sent again to the same process or under the same session id, after an earlier one got a result.",
		Cause: "The client believes that its connection was lost and starts again on the old one, or two parts of it share the connection without coordination.",
		Fix:   "In the client: start a new process or a new session for a new handshake; otherwise share one session.",
		Spec:  "2025-11-25 basic/lifecycle: Initialization",
		Example: `> {"jsonrpc":"2.0","id":0,"method":"initialize",…}
< {"jsonrpc":"2.0","id":0,"result":{…}}
> {"jsonrpc":"2.0","id":1,"method":"initialize",…}`,
	},
	On:      diagnose.Requests | diagnose.Results,
	Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		first := diagnose.State[firstInit](c)
		switch {
		case c.Call == nil || c.Call.Dir != wire.ToServer || !assigned(c):
		case c.Message.Kind == wire.MsgRequest && first.response != 0:
			c.ReportAs("", diagnose.Finding{
				Message: "The client sent initialize again (" + frame(c.N) + "). The session had been open since " + frame(first.response) + ".",
				Frames:  []uint64{c.N, first.n, first.response},
			})
		case c.Message.Kind == wire.MsgResult && first.response == 0:
			first.n, first.response = c.Call.N, c.N
		}
	},
}

// firstInit is the handshake that opened a session.
type firstInit struct{ n, response uint64 }
