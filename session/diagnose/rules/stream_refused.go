package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var streamRefused = &diagnose.Rule{
	ID:       "stream-refused",
	Title:    "The server refuses a new GET stream although the old one is dead",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	Era:      diagnose.Handshake,
	From:     mcp.V20250326,
	On:       diagnose.StreamEnds | diagnose.OtherResponses | diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || x.Verb != "GET" || c.Session == nil || c.Session.Transport != session.TransportHTTP ||
			c.Session.ID == "" {
			return
		}
		s := diagnose.State[struct {
			open int
			dead uint64
			t    int64
		}](c)
		switch {
		case c.Kind == session.EventResponse && x.IsStream:
			s.open++
		case c.Kind == session.EventEnd && x.IsStream:
			s.open--
			s.dead, s.t = 0, 0
			if c.By == wire.ByClient {
				s.dead, s.t = uint64(x.RequestN), c.T
			}
		case c.Refusal != nil && s.open <= 0 &&
			(x.Status == 409 || x.Status == 400 && c.Refusal.Means(sdkwords.StreamExists)) &&
			s.dead != 0 && x.RequestT > s.t:
			c.Say("", "The client's GET stream ("+frame(s.dead)+") had ended, and the server refused a new one ("+frame(x.RequestN)+") with "+number(x.Status)+": "+
				said(c.Refusal)+".",
				uint64(x.RequestN), uint64(x.ResponseN), s.dead)
		}
	},
}
