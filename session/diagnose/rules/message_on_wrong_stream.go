package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var messageOnWrongStream = &diagnose.Rule{
	ID: "message-on-wrong-stream", On: diagnose.Notifications, Methods: []string{mcp.NotifyProgress},
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || c.Dir != wire.ToClient || x.Verb != "POST" || !x.IsStream ||
			c.Session.Transport != session.TransportHTTP {
			return
		}
		parent := rowOf(c).Parent
		if parent < 0 {
			return
		}
		about := c.Tracker().Row(int(parent))
		if about.Kind != session.RowCall || about.Dir != wire.ToServer || about.X == x.X {
			return
		}
		f := diagnose.Finding{
			Message: "Progress (" + frame(c.N) + ") of the call " + frame(about.Request) + " came on the stream of " + frame(x.RequestN) + ".",
			Frames:  []uint64{c.N, uint64(x.RequestN), uint64(about.Request)},
		}
		if c.Session.Modern {
			f.Severity = diagnose.Error
		}
		c.ReportAs("", f)
	},
}
