package rules

import (
	"strconv"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var listenStreamSilent = &diagnose.Rule{
	ID:       "listen-stream-silent",
	Title:    "A subscription is silent for minutes, without keep-alive comments",
	Severity: diagnose.Note,
	Side:     diagnose.Server,
	Era:      diagnose.Modern,
	Help: diagnose.Help{
		Means: "The stream of subscriptions/listen had no event and no comment for a long time. Gateways and clients consider such a stream dead and close it, many after one or two minutes.",
		Wire:  "More than two minutes between two events or comments on the stream of subscriptions/listen.",
		Cause: "The server sends no keep-alive comments.",
		Fix:   "In the server: send an SSE comment (a line with a colon) every 15 to 30 seconds.",
		Spec:  "2026-07-28 basic/transports/streamable-http: Receiving Messages",
		Example: `> POST /mcp {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen",…}
< data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",…}
five minutes later: < end of the stream`,
	},
	On: diagnose.SSE | diagnose.Ends,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if !x.IsStream || x.Verb != "POST" || x.Calls != 1 || rowName(c) != mcp.Listen {
			return
		}
		s := diagnose.State[heard](c)
		if s.x != x.X {
			*s = heard{x: x.X, t: x.ResponseT, n: uint64(x.ResponseN)}
		}
		if quiet := c.T - s.t; quiet > longSilence {
			c.ReportAs("", diagnose.Finding{
				Message: "The stream of subscriptions/listen (" + frame(uint64(x.RequestN)) + ") was silent for " + strconv.FormatInt(quiet/1e9, 10) + " s.",
				Frames:  []uint64{c.N, s.n, uint64(x.RequestN)},
			})
		}
		s.t, s.n = c.T, c.N
	},
}

// heard is when the latest subscription of a conversation gave a sign of life.
type heard struct {
	x uint32
	t int64
	n uint64
}

const longSilence = 120e9 // nanoseconds
