package rules

import (
	"strings"

	"midwire/session/diagnose"
)

var streamBufferingAllowed = &diagnose.Rule{
	ID:       "stream-buffering-allowed",
	Title:    "Event streams lack X-Accel-Buffering: no",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	Era:      diagnose.Modern,
	Help: diagnose.Help{
		Means: "Reverse proxies such as nginx buffer responses. This header tells them to pass on each event at once; without it progress and notifications may arrive late and in bursts.",
		Wire:  "A text/event-stream of protocol version 2026-07-28 without X-Accel-Buffering: no, from a server on another machine or behind a gateway.",
		Cause: "The server, or its SDK, does not set the header.",
		Fix:   "In the server: send X-Accel-Buffering: no with every event stream.",
		Spec:  "2026-07-28 basic/transports/streamable-http: Receiving Messages",
		Example: `< 200 text/event-stream
< data: {"jsonrpc":"2.0","method":"notifications/progress",…}`,
	},
	On: diagnose.HTTPResponses,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if !x.IsStream || x.Verb != "POST" || x.Calls == 0 || x.Status != 200 || strings.EqualFold(x.ResponseHeader("X-Accel-Buffering"), "no") {
			return
		}
		if (x.Upstream == "" || isLoopback(x.Upstream)) && x.ResponseHeader("Via") == "" {
			return // nothing stands between that could buffer
		}
		c.ReportAs("", diagnose.Finding{
			Message: "The stream that responds to " + quote(rowName(c)) + " (" + frame(uint64(x.ResponseN)) + ") has no X-Accel-Buffering: no.",
			Frames:  headFrames(x),
		})
	},
}
