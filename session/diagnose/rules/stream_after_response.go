package rules

import (
	"bytes"

	"midwire/session"
	"midwire/session/diagnose"
)

var streamAfterResponse = rule("stream-after-response", diagnose.SSE|diagnose.StreamEnds, func(c *diagnose.Case) {
	x := c.Exchange
	if x.Verb != "POST" || x.Calls != 1 || !x.IsStream || isSSE(c) || c.Session == nil {
		return
	}
	r := rowOf(c)
	if r == nil || r.Kind != session.RowCall || r.Response == 0 || r.End == 0 {
		return
	}
	switch {
	case c.Kind == sseKind && (bytes.HasPrefix(c.SSE.Data, []byte("{")) || bytes.HasPrefix(c.SSE.Data, []byte("["))):
		c.Say("message", "The stream of "+frame(x.RequestN)+" had another message ("+frame(c.N)+") after the response ("+frame(r.Response)+").",
			c.N, uint64(r.Response), uint64(x.RequestN))
	case c.Kind == endKind && c.T-r.End > tooLongOpen:
		c.Say("open", "The stream of "+frame(x.RequestN)+" stayed open for "+number((c.T-r.End)/1e9)+" s after the response ("+frame(r.Response)+").",
			c.N, uint64(r.Response), uint64(x.RequestN))
	}
})

const tooLongOpen = 5e9 // nanoseconds
