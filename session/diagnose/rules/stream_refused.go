package rules

import (
	"strconv"

	"midwire/session"
	"midwire/session/diagnose"
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
	Help: diagnose.Help{
		Means: "A session may have one GET stream. The client's stream broke, it opened another, and the server still considers the old one alive. Until it notices, the client gets no messages that the server sends on its own, and many clients give up.",
		Wire:  `A GET stream ends at the client's side; the next GET of the same session gets 409 "Only one SSE stream is allowed per session", or 400.`,
		Cause: "The server notices a dead stream only when it writes to it; a proxy in between may keep its own half open.",
		Fix:   "In the server: when a session opens a new GET stream, end the old one and use the new one. A comment line every 15 to 30 seconds also finds dead streams.",
		Spec:  "2025-11-25 basic/transports: Listening for Messages from the Server",
		Example: `> GET /mcp  Mcp-Session-Id: 7b0c…   < 200 text/event-stream    (the client's connection breaks)
> GET /mcp  Mcp-Session-Id: 7b0c…   < 409 Conflict: Only one SSE stream is allowed per session`,
	},
	On: diagnose.Ends | diagnose.HTTPResponses | diagnose.Refusals,
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
		case c.Refusal != nil && (x.Status == 409 || x.Status == 400 && c.Refusal.Says("stream", "already")) && s.open <= 0 &&
			s.dead != 0 && x.RequestT > s.t:
			c.ReportAs("", diagnose.Finding{
				Message: "The client's GET stream (" + frame(s.dead) + ") had ended, and the server refused a new one (" + frame(uint64(x.RequestN)) + ") with " + strconv.Itoa(int(x.Status)) + ": " +
					quote(c.Refusal.Text) + ".",
				Frames: []uint64{uint64(x.RequestN), uint64(x.ResponseN), s.dead},
			})
		}
	},
}
