package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var cancelledUnknownRequest = &diagnose.Rule{
	ID: "cancelled-unknown-request", On: diagnose.Notifications, Methods: []string{mcp.NotifyCancelled},
	Check: func(c *diagnose.Case) {
		if c.Tracker().Row(int(c.Row)).Parent >= 0 || !assigned(c) || !complete(c) ||
			!diagnose.State[budget](c).spend() {
			return
		}
		id := string(c.Param("requestId"))
		f := diagnose.Finding{Side: sender(c), Frames: []uint64{c.N}}
		begin := c.Named(sender(c)) + " cancelled the request " + raw(id) + " (" + frame(c.N) + ")"
		if id == "" {
			f.Message = c.Named(sender(c)) + " sent a cancellation (" + frame(c.N) + ") without requestId."
			c.ReportAs("none", f)
			return
		}
		own := latestCall(c, c.Dir,
			func(_ *session.Row, other string) bool { return other == id || otherType(other, id) })
		switch {
		case own != nil && c.Tracker().Name(own.ID) == id && c.T-own.End < 1e9:
			return // the two have crossed
		case own != nil && c.Tracker().Name(own.ID) == id:
			f.Message = begin + ", " + c.Tracker().Name(own.Name) + " (" + frame(own.Request) + "). The request had got its response " +
				seconds(c.T-own.End) + " before (" + frame(own.Response) + ")."
			f.Frames = append(f.Frames, uint64(own.Request), uint64(own.Response))
		case own != nil:
			f.Message = begin + ". " + c.Tracker().Name(own.Name) + " (" + frame(own.Request) + ") has this id in another JSON type: " +
				raw(c.Tracker().Name(own.ID)) + "."
			f.Frames = append(f.Frames, uint64(own.Request))
		default:
			f.Message = begin + ". This side sent no request with this id."
			if other := latestCall(c, c.Dir.Opposite(),
				func(r *session.Row, other string) bool { return other == id && r.Response == 0 }); other != nil {
				f.Message = begin + ". This is a request of the other side, " + c.Tracker().Name(other.Name) + " (" + frame(other.Request) + ")."
				f.Frames = append(f.Frames, uint64(other.Request))
			}
		}
		c.ReportAs("", f)
	},
}
