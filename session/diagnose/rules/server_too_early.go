package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var serverTooEarly = &diagnose.Rule{
	ID:       "server-too-early",
	Title:    "The server asks or tells something before the handshake is over",
	Severity: diagnose.Warning,
	Fault:    diagnose.Server,
	Era:      diagnose.Handshake,
	Lint:     "L-11",
	Help: diagnose.Help{
		Means: "Before notifications/initialized the client is not ready. What the server sends until then, other than ping and log messages, may be refused or overlooked.",
		Wire:  "A request or notification from the server stands before the client's notifications/initialized.",
		Cause: "The server asks for roots, or says that its tools changed, as soon as it has started or answered initialize, without waiting.",
		Fix:   "In the server: do what needs the client in the handler of notifications/initialized.",
		Spec:  "2025-11-25 basic/lifecycle: Initialization",
		Example: `< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25",…}}
< {"jsonrpc":"2.0","id":1,"method":"roots/list"}
> {"jsonrpc":"2.0","method":"notifications/initialized"}`,
	},
	On: diagnose.Requests | diagnose.Notifications,
	Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToClient || c.Facts == nil || c.Facts.Initialized != 0 || c.Facts.Calls > 0 ||
			c.Blind() || !assigned(c) {
			return
		}
		method := string(c.Message.Method)
		switch method {
		case mcp.Ping, mcp.NotifyMessage, mcp.NotifyProgress, mcp.NotifyCancelled:
			return
		}
		frames, when := []uint64{c.N}, "before the client had said anything"
		switch init := c.Facts.Init; {
		case init == nil && !startSeen(c) || init != nil && init.Refused:
			return
		case init == nil:
		case init.ResponseN == 0:
			frames, when = append(frames, init.N), "before it had answered initialize ("+frame(init.N)+")"
		default:
			frames, when = append(frames, init.ResponseN), "before the client's notifications/initialized"
		}
		c.ReportAs(method, diagnose.Finding{
			Message: "The server sent " + quote(method) + " (" + frame(c.N) + ") " + when + ".",
			Frames:  frames,
		})
	},
}

// startSeen says whether the recording holds the start of the process in hand.
func startSeen(c *diagnose.Case) bool {
	rows := c.Session.Rows()
	return overStdio(c) && len(rows) > 0 && c.Tracker().Row(int(rows[0])).Kind == session.RowProcess
}
