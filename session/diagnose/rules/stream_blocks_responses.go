package rules

import (
	"slices"

	"midwire/session/diagnose"
	"midwire/session/wire"
)

var streamBlocksResponses = rule("stream-blocks-responses", diagnose.Results|diagnose.Errors|onGivingUp,
	func(c *diagnose.Case) {
		if c.Session == nil || c.Exchange == nil || c.Exchange.Verb != "POST" {
			return
		}
		g, ok := gaveUp(c)
		s := c.Ledger.Streams(c.Session.Index)
		switch {
		case ok && blocked(c, &g):
			c.ReportAs("", diagnose.Finding{
				Message: g.begin(c) + " The GET stream (" + frame(s.N) + ") was open all the time, and no request got a response while it was.",
				Frames:  []uint64{c.N, g.N, s.N},
			})
		case c.Kind == messageKind && c.Call != nil && c.Dir == wire.ToClient && s.Inside == 0 && s.After > 0 &&
			s.EndN != 0 && c.Call.T >= s.Since && s.EndT-c.Call.T >= 2e9 && c.T-s.EndT < 1e9:
			c.ReportAs("", diagnose.Finding{
				Message: "The response to " + about(c.Call) + " came when the GET stream (" + frame(s.N) + ") had ended (" + frame(s.EndN) + "), after " +
					seconds(s.EndT-c.Call.T) + ". No request got a response while the stream was open.",
				Frames: []uint64{c.N, c.Call.N, s.EndN, s.N},
			})
		}
	})

// blocked says whether a request was given up that had a GET stream beside it all the
// time, in a session where responses come only without one.
func blocked(c *diagnose.Case, g *givenUp) bool {
	if overStdio(c) || g.Owes != wire.ToClient || !g.timed() {
		return false
	}
	s := c.Ledger.Streams(c.Session.Index)
	if s.Open == 0 || s.Since > g.T || s.Inside > 0 {
		return false
	}
	// One tool may be slow; a list is not.
	return s.After > 0 || s.Vain > 1 || slices.Contains(lists, g.Method)
}
