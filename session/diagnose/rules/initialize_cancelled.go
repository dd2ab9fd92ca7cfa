package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var initializeCancelled = &diagnose.Rule{
	ID:       "initialize-cancelled",
	Title:    "The client cancelled its initialize",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "initialize is the one request that must not be cancelled. The server may continue a handshake that the client considers finished, or drop the session.",
		Wire:  "notifications/cancelled names the id of the initialize request.",
		Cause: "A general time limit for requests also applies to initialize, and the server started slowly: npx and uvx download before they run.",
		Fix:   "In the client: give initialize a longer limit of its own. When the limit is over, close the connection instead of cancelling.",
		Spec:  "2025-11-25 basic/utilities/cancellation: Behavior Requirements",
		Example: `> {"jsonrpc":"2.0","id":0,"method":"initialize",…}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0,"reason":"Request timed out"}}`,
	},
	On:      diagnose.Notifications,
	Methods: []string{mcp.NotifyCancelled},
	Covers:  []string{"cancelled-unknown-request", "client-timeout"},
	Check: func(c *diagnose.Case) {
		init := c.Facts.Init
		if c.Dir != wire.ToServer || init == nil {
			return
		}
		if row := c.Tracker().Row(int(c.Row)); row.Parent < 0 || row.Parent != init.Row {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Message: "The client cancelled its initialize (" + frame(init.N) + ") after " + seconds(c.T-init.T) + ".",
			Frames:  []uint64{c.N, init.N},
		})
	},
}
