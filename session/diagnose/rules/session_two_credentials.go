package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var sessionTwoCredentials = &diagnose.Rule{
	ID:       "session-two-credentials",
	Title:    "One session id is used with two credentials in turns",
	Severity: diagnose.Warning,
	Side:     diagnose.Gateway,
	Era:      diagnose.Handshake,
	From:     mcp.V20250326,
	Help: diagnose.Help{
		Means: "Requests of one session have one credential, then another, then the first again. A refreshed token never returns to the old value: two users share a session, and all its state.",
		Wire:  "The same Mcp-Session-Id with different Authorization headers, alternating. midwire records credentials as short hashes, so that equal ones can be recognised.",
		Cause: "A gateway or proxy keeps one upstream session for all its users, or a cache returns one user's session id to another user.",
		Fix:   "In the gateway: use one upstream session for each downstream session. In the server: bind a session to the user who opened it, and respond with 404 to all others.",
		Spec:  "2025-11-25 basic/security: Session Hijacking",
		Example: `> Mcp-Session-Id: 7b0c…  Authorization: redacted:51ce…   tools/call
> Mcp-Session-Id: 7b0c…  Authorization: redacted:9a02…   tools/call
> Mcp-Session-Id: 7b0c…  Authorization: redacted:51ce…   tools/call`,
	},
	On: diagnose.HTTPRequests,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if c.Session == nil || c.Session.ID == "" || x.SessionID != c.Session.ID {
			return
		}
		who := x.Header("Authorization")
		if who == "" {
			return
		}
		s := diagnose.State[struct {
			last, before string
			frames       []uint64
			back         int
		}](c)
		if who == s.last {
			return
		}
		if who == s.before {
			s.back++
		}
		s.before, s.last = s.last, who
		if len(s.frames) < diagnose.MaxFrames {
			s.frames = append(s.frames, uint64(x.RequestN))
		}
		if s.back >= 3 {
			c.ReportAs("", diagnose.Finding{
				Confidence: diagnose.Likely,
				Message:    "Session " + quote(c.Session.ID) + " is used with two different Authorization headers in turns.",
				Frames:     s.frames,
			})
		}
	},
}
