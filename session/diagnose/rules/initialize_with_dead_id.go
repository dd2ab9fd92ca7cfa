package rules

import (
	"maps"
	"slices"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var initializeWithDeadID = rule("initialize-with-dead-id",
	diagnose.Requests|diagnose.Results|diagnose.Refusals|diagnose.Finish,
	func(c *diagnose.Case) {
		s := diagnose.State[deadBeginnings](c)
		switch x := c.Exchange; {
		case c.N == 0:
			s.report(c)
		case x == nil || c.Session == nil:
		case c.Refusal != nil:
			if len(s.frames) == 0 && x.SessionID == c.Session.ID && c.Refusal.Status == 404 {
				s.lost = []uint64{uint64(x.RequestN), c.N}
			}
		case c.Call == nil || c.Call.Method != mcp.Initialize:
		case c.Message.Kind == wire.MsgResult: // whatever it was sent with, it worked
			delete(s.frames, c.Call.N)
		case (c.Session.State == session.StateLost || c.Session.State == session.StateClosed) && c.Session.ID != "" &&
			c.Session.Transport == session.TransportHTTP && x.Header(mcp.HeaderSessionID) == c.Session.ID:
			made(&s.frames)[c.N] = append([]uint64{c.N, uint64(x.RequestN)}, s.lost...)
		}
	})

// deadBeginnings are the handshakes with the id of the session in hand, which had ended,
// by frame, without those that worked; and the latest refusal before them.
type deadBeginnings struct {
	frames map[uint64][]uint64
	lost   []uint64
}

func (s *deadBeginnings) report(c *diagnose.Case) {
	for _, n := range slices.Sorted(maps.Keys(s.frames)) {
		f := diagnose.Finding{
			Message: c.Client() + " began again with initialize (" + frame(n) + ") and sent the id " + quote(c.Session.ID) + " of the session that had ended.",
			Frames:  s.frames[n],
		}
		if later(c, c.Session.Last) {
			f.Severity = diagnose.Note
			f.Message += " It was served when it began once more without the id."
		}
		c.ReportAs("", f)
	}
}
