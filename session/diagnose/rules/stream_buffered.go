package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var streamBuffered = rule("stream-buffered", diagnose.Results, func(c *diagnose.Case) {
	x := c.Exchange
	if x == nil || !x.IsStream || c.Call == nil || c.Call.X != x.X || c.Call.Progress < 3 || c.Row < 0 {
		return
	}
	row := c.Tracker().Row(int(c.Row))
	silent, burst := x.FirstEventT-x.RequestT, c.T-x.FirstEventT
	if row.Ending != session.Served || c.Call.Dir != wire.ToServer || silent < 2e9 || burst > 20e6 {
		return
	}
	c.Say("", number(c.Call.Progress)+" progress notifications and the response to "+c.Call.Method+" arrived within "+number(burst/1e6)+
		" ms, after "+number(silent/1e9)+" seconds of silence.",
		c.Call.N, c.N)
})
