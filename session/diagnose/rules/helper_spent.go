package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// spentTransport is what came after a server had served one POST without a session id.
type spentTransport struct {
	served  uint64   // frame of its request; 0 for none
	refused []uint64 // frames of what was refused since, alike
	status  uint16
	over    bool // another was served, or refused in another way
}

// look takes a response to the client. That each is refused with nothing in it, an initialize among
// them, is what a stateless transport does that is used again.
func (s *spentTransport) look(c *diagnose.Case) {
	x := c.Exchange
	switch {
	case x == nil || x.Verb != "POST" || c.Dir != wire.ToClient || s.over:
		return
	case c.Refusal == nil:
		s.over = s.served != 0 || c.Method() != mcp.Initialize || x.ResponseHeader(mcp.HeaderSessionID) != ""
		if c.Call != nil {
			s.served = c.Call.N
		}
		return
	case s.served == 0 || x.Status < 500 || c.Refusal.RPC || c.Refusal.Text != "" || between(x) != "" ||
		s.status != 0 && s.status != x.Status:
		s.over = s.served != 0
		return
	}
	if s.status = x.Status; len(s.refused) < diagnose.MaxFrames {
		s.refused = append(s.refused, uint64(x.ResponseN), uint64(x.RequestN))
	}
	if c.Method() != mcp.Initialize || len(s.refused) < 4 {
		return
	}
	f := diagnose.Finding{
		Message: "The server served its first request (" + frame(s.served) + ") without a session id, and refused each of " +
			number(len(s.refused)/2) + " later ones with " + httpStatus(int(s.status)) + " and no word, initialize (" + frame(c.Call.N) + ") among them.",
		Frames: append([]uint64{c.Call.N, s.served}, s.refused...),
	}
	advise(&f, "stateless transport used again")
	c.ReportAs("spent", f)
}
