package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var streamResumedEmpty = &diagnose.Rule{
	ID:         "stream-resumed-empty",
	Title:      "The client resumes a stream, and the response it waits for does not come",
	Brief:      "nothing on resumed stream",
	Severity:   diagnose.Error,
	Side:       diagnose.Server,
	Confidence: diagnose.Likely,
	Era:        diagnose.Handshake,
	From:       mcp.V20250326,
	On:         diagnose.StreamEnds,
	Covers:     []string{"client-timeout*", "unanswered-request*", "request-abandoned*"},
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		id := x.Header(mcp.HeaderLastEventID)
		if x.Verb != "GET" || !x.IsStream || id == "" || x.Events > 0 || c.Session == nil || isSSE(c) {
			return
		}
		row, lasted := oldest(c), c.T-x.ResponseT
		if row < 0 || c.By == wire.ByClient && lasted < 5e9 {
			return
		}
		d, _ := c.Ledger.Of(int(row))
		c.Say("", c.Client()+" asked with GET and Last-Event-ID "+quote(id)+" ("+frame(x.RequestN)+") for what came after that event. In "+seconds(lasted)+" nothing came, and "+d.Method+" ("+frame(d.N)+
			") still has no response.", append([]uint64{c.N, d.N}, headFrames(x)...)...)
	},
}
