package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var initializedMissing = &diagnose.Rule{
	ID:       "initialized-missing",
	Title:    "The client never sent notifications/initialized",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "The third step of the handshake is missing: notifications/initialized. Strict servers refuse all requests without it; others never send requests to the client.",
		Wire:  "initialize gets a result, requests follow, and notifications/initialized never comes.",
		Cause: "A hand-written client considers the handshake complete after the response to initialize, or a gateway drops notifications.",
		Fix:   `In the client: send {"jsonrpc":"2.0","method":"notifications/initialized"} directly after the response to initialize.`,
		Spec:  "2025-11-25 basic/lifecycle: Initialization",
		Example: `< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25",…}}
> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
	},
	Right:  &diagnose.Right{Step: "initialized", Does: "send notifications/initialized"},
	On:     diagnose.Finish,
	Covers: []string{"server-too-early*"},
	Check: func(c *diagnose.Case) {
		f := c.Facts
		if !f.Negotiated() || f.Initialized != 0 || c.Blind() || !assigned(c) {
			return
		}
		for _, i := range c.Session.Rows() {
			r := c.Tracker().Row(int(i))
			if r.Kind != session.RowCall || r.Dir != wire.ToServer || r.Modern || uint64(r.Request) < f.Init.ResponseN {
				continue
			}
			method := c.Tracker().Name(r.Name)
			if method == mcp.Ping || method == mcp.Initialize || method == mcp.Discover {
				continue
			}
			c.ReportAs("", diagnose.Finding{
				Message: "The server responded to initialize (" + frame(f.Init.ResponseN) + "). The client went on with " + quote(method) + " (" + frame(uint64(r.Request)) + ") and never sent notifications/initialized.",
				Frames:  []uint64{uint64(r.Request), f.Init.ResponseN},
			})
			return
		}
	},
}
