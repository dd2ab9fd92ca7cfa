package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var cancelledUnknownRequest = &diagnose.Rule{
	ID:       "cancelled-unknown-request",
	Title:    "A cancellation names a request that is not running",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "A side may cancel its own requests while they run. This cancellation names another request, so it cancels nothing, and the intended request goes on.",
		Wire:  "The requestId of notifications/cancelled is not the id of a request of the same side, has another JSON type, or belongs to a request that got its response seconds earlier.",
		Cause: "The id was converted between string and number, it is the id of a request of the other side, or the sender did not see the response.",
		Fix:   "In the side that cancels: use the id exactly as it was sent, and forget a request when its response arrives.",
		Spec:  "2025-11-25 basic/utilities/cancellation: Behavior Requirements",
		Example: `> {"jsonrpc":"2.0","id":5,"method":"tools/call",…}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"5"}}`,
	},
	On:      diagnose.Notifications,
	Methods: []string{mcp.NotifyCancelled},
	Check: func(c *diagnose.Case) {
		if c.Tracker().Row(int(c.Row)).Parent >= 0 || !assigned(c) || !complete(c) ||
			!diagnose.State[budget](c).spend() {
			return
		}
		id := string(c.Param("requestId"))
		f := diagnose.Finding{Side: sender(c), Frames: []uint64{c.N}}
		begin := the(sender(c)) + " cancelled the request " + raw(id) + " (" + frame(c.N) + ")"
		if id == "" {
			f.Message = the(sender(c)) + " sent a cancellation (" + frame(c.N) + ") without requestId."
			c.ReportAs("none", f)
			return
		}
		own := latestCall(c, c.Dir,
			func(_ *session.Row, other string) bool { return other == id || otherType(other, id) })
		switch {
		case own != nil && c.Tracker().Name(own.ID) == id && c.T-own.End < 1e9:
			return // the two have crossed
		case own != nil && c.Tracker().Name(own.ID) == id:
			f.Message = begin + ", " + c.Tracker().Name(own.Name) + " (" + frame(uint64(own.Request)) + "). The request had got its response " +
				seconds(c.T-own.End) + " before (" + frame(uint64(own.Response)) + ")."
			f.Frames = append(f.Frames, uint64(own.Request), uint64(own.Response))
		case own != nil:
			f.Message = begin + ". " + c.Tracker().Name(own.Name) + " (" + frame(uint64(own.Request)) + ") has this id in another JSON type: " +
				raw(c.Tracker().Name(own.ID)) + "."
			f.Frames = append(f.Frames, uint64(own.Request))
		default:
			f.Message = begin + ". This side sent no request with this id."
			if other := latestCall(c, c.Dir.Opposite(),
				func(r *session.Row, other string) bool { return other == id && r.Response == 0 }); other != nil {
				f.Message = begin + ". This is a request of the other side, " + c.Tracker().Name(other.Name) + " (" + frame(uint64(other.Request)) + ")."
				f.Frames = append(f.Frames, uint64(other.Request))
			}
		}
		c.ReportAs("", f)
	},
}
