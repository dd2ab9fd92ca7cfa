package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var sessionNotRenewed = &diagnose.Rule{
	ID:       "session-not-renewed",
	Title:    "The session was over, and the client did not begin a new one",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	From:     mcp.V20250326,
	Help: diagnose.Help{
		Means: "A server may end a session at any time; it then responds with 404, and the client must begin again with initialize. This client continued with the old id, and will be refused forever.",
		Wire:  `404 ("Session not found", "Session terminated") for an id that worked before; then further requests with the same id, and no new initialize.`,
		Cause: "The server was restarted, redeployed, or removed an idle session. The client treats the 404 as an ordinary error: none of the official SDKs begins a new session automatically.",
		Fix:   "In the client: after 404 to a request with a session id, drop the id, send initialize without it, and repeat the request in the new session. The server is correct; a server that keeps sessions across a restart avoids this for its clients.",
		Spec:  "2025-11-25 basic/transports: Session Management, 4",
		Example: `> Mcp-Session-Id: 7b0c…  {"id":8,"method":"tools/call",…}
< 404 {"error":{"code":-32001,"message":"Session not found"}}
> Mcp-Session-Id: 7b0c…  {"id":9,"method":"tools/call",…}
< 404 …`,
	},
	Header: mcp.HeaderSessionID,
	On:     diagnose.Refusals | diagnose.Finish | diagnose.Requests,
	Covers: []string{"session-unknown-status"},
	Check:  checkNotRenewed,
}

type lostSession struct {
	n, t    uint64 // frame of the 404; when, nanoseconds
	conn    uint32
	calls   int // refused calls, the first included
	renewed bool
	frames  []uint64
}

func checkNotRenewed(c *diagnose.Case) {
	lost := diagnose.State[lostSession](c)
	switch {
	case c.N == 0: // the recording is over
		if lost.n != 0 && lost.calls == 1 && !lost.renewed && c.Session.State == session.StateLost {
			c.ReportAs("gave up", diagnose.Finding{
				Severity: diagnose.Warning, Confidence: diagnose.Likely,
				Message: "The server no longer knew session " + quote(c.Session.ID) + " (" + frame(lost.n) + "), and the client sent no further message and no new initialize.",
				Frames:  lost.frames,
			})
		}
	case c.Refusal == nil:
		if c.Call.Method == mcp.Initialize {
			renewed(c)
		}
	default:
		sessionGone(c, lost)
	}
}

// sessionGone follows a 404 to a request with the id of a session that was
// opened here.
func sessionGone(c *diagnose.Case, lost *lostSession) {
	x := c.Exchange
	if x == nil || c.Refusal.Status != 404 || c.Session == nil ||
		c.Session.Transport != session.TransportHTTP || x.Verb == "DELETE" ||
		c.Session.ID == "" || c.Session.State == session.StateClosed || c.IsModern() || x.SessionID != c.Session.ID ||
		c.Facts.LastOK == 0 && c.Session.IDSource == session.IDForeign {
		return
	}
	request := uint64(x.RequestN)
	if lost.n == 0 {
		*lost = lostSession{n: c.N, t: uint64(c.T), conn: x.Conn, calls: 1, frames: []uint64{request, c.N}}
		known := diagnose.Memory[[]*lostSession](c)
		if len(*known) < 1024 {
			*known = append(*known, lost)
		}
		return
	}
	// What was on its way when the 404 came is no fault: a request counts when
	// the client had read the 404 on the same connection, or long enough ago.
	if request < lost.n || x.Conn != lost.conn && uint64(x.RequestT) < lost.t+200e6 && lost.calls < 3 {
		lost.calls++
		return
	}
	lost.calls++
	c.ReportAs("", diagnose.Finding{
		Message: "The server no longer knew session " + quote(c.Session.ID) + " (404 in " + frame(lost.n) + "), and the client continued to use it (" + frame(request) + ") instead of sending initialize.",
		Frames:  append([]uint64{request, c.N}, lost.frames...),
	})
}

// renewed notes that the client began again: every loss before it is fixed. It
// may be another client; then nothing is said of one that gave up.
func renewed(c *diagnose.Case) {
	if c.Dir != wire.ToServer {
		return
	}
	known := diagnose.Memory[[]*lostSession](c)
	for _, l := range *known {
		l.renewed = true
	}
	*known = (*known)[:0]
}
