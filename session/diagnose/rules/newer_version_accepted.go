package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var newerVersionAccepted = &diagnose.Rule{
	ID:       "newer-version-accepted",
	Title:    "The client accepted a protocol version newer than the one it requested",
	Severity: diagnose.Warning,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "A client requests the latest protocol version it supports. It does not know a newer version, and should disconnect when the server chooses one. Otherwise the server may send messages that the client does not understand.",
		Wire:  "The protocolVersion of the response to initialize is later than that of the request, and the client still sends notifications/initialized.",
		Cause: "The client does not check the version in the response.",
		Fix:   "In the client: compare the version in the response with those you support, and close the connection when it is not among them; or request a newer version, if you support it.",
		Spec:  "2025-11-25 basic/lifecycle: Version Negotiation",
		Example: `> initialize {"protocolVersion":"2024-11-05",…}
< {"protocolVersion":"2025-11-25",…}
> notifications/initialized`,
	},
	On:      diagnose.Notifications,
	Methods: []string{mcp.NotifyInitialized},
	Check: func(c *diagnose.Case) {
		f := c.Facts
		if c.Dir != wire.ToServer || !f.Negotiated() || !assigned(c) || !published(f.Init.Requested) ||
			!published(f.Init.Chosen) || f.Init.Chosen <= f.Init.Requested {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Confidence: diagnose.Likely,
			Message: "The client requested protocol version " + string(f.Init.Requested) + " (" + frame(f.Init.N) + "), the server chose the newer " + string(f.Init.Chosen) + " (" +
				frame(f.Init.ResponseN) + "), and the client continued.",
			Frames: []uint64{c.N, f.Init.ResponseN, f.Init.N},
		})
	},
}
