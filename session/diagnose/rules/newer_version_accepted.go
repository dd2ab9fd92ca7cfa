package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var newerVersionAccepted = &diagnose.Rule{
	ID:       "newer-version-accepted",
	Title:    "The client went on with a revision that is newer than the one it asked for",
	Severity: diagnose.Warning,
	Fault:    diagnose.Client,
	Era:      diagnose.Handshake,
	Lint:     "L-17",
	Help: diagnose.Help{
		Means: "A client asks for the latest revision it supports. When the server chooses a newer one, the client does not know it and should hang up; going on means that the server may send what the client does not understand.",
		Wire:  "The protocolVersion of the answer to initialize is later than that of the request, and the client sends notifications/initialized all the same.",
		Cause: "The client does not look at the version in the answer.",
		Fix:   "In the client: compare the version in the answer with those you support, and close the connection when it is none of them; or ask for a newer one, if you know it.",
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
			Message: "The client asked for revision " + string(f.Init.Requested) + " (" + frame(f.Init.N) + "), the server chose the newer " + string(f.Init.Chosen) + " (" +
				frame(f.Init.ResponseN) + "), and the client went on.",
			Frames: []uint64{c.N, f.Init.ResponseN, f.Init.N},
		})
	},
}
