package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var listenStreamSilent = rule("listen-stream-silent", diagnose.SSE|diagnose.StreamEnds, func(c *diagnose.Case) {
	x := c.Exchange
	if !x.IsStream || x.Verb != "POST" || x.Calls != 1 || rowName(c) != mcp.Listen {
		return
	}
	s := diagnose.State[heard](c)
	if s.x != x.X {
		*s = heard{x: x.X, t: x.ResponseT, n: uint64(x.ResponseN)}
	}
	if quiet := c.T - s.t; quiet > longSilence {
		c.Say("", "The stream of subscriptions/listen ("+frame(x.RequestN)+") was silent for "+number(quiet/1e9)+" s.",
			c.N, s.n, uint64(x.RequestN))
	}
	s.t, s.n = c.T, c.N
})

// heard is when the latest subscription of a conversation gave a sign of life.
type heard struct {
	x uint32
	t int64
	n uint64
}

const longSilence = 120e9 // nanoseconds
