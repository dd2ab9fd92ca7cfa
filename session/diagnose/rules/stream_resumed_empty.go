package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var streamResumedEmpty = rule("stream-resumed-empty", diagnose.StreamEnds, func(c *diagnose.Case) {
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
})
