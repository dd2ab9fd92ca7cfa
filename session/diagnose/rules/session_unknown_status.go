package rules

import (
	"strconv"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var sessionUnknownStatus = &diagnose.Rule{
	ID:       "session-unknown-status",
	Title:    "An unknown session id was not refused with 404",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "404 tells a client to begin a new session. Other statuses do not: 400 looks like a mistake in the request, 401 makes the client drop its credentials and ask for a login.",
		Wire:  "A request with an Mcp-Session-Id that the server does not know gets 400, 401, 403, 500, or even 200.",
		Cause: `Many servers follow a sample that responds with 400 "Bad Request: No valid session ID provided" for every unknown id, including expired ones.`,
		Fix:   "In the server: respond with 404 when a session id is present and unknown; with 400 only when it is missing. Clients then begin a new session automatically.",
		Spec:  "2025-11-25 basic/transports: Session Management, 3",
		Example: `> Mcp-Session-Id: 7b0c…  {"id":8,"method":"tools/call",…}     (of before the restart)
< 400 {"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}`,
	},
	Header: mcp.HeaderSessionID,
	On:     diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		x, r := c.Exchange, c.Refusal
		if x == nil || c.Session == nil || c.Session.Transport != session.TransportHTTP || c.IsModern() ||
			c.Session.Modern ||
			r.Status == 404 || r.Status/100 == 2 || r.Status == 405 || r.Status == 409 {
			return
		}
		id := x.SessionID
		if id == "" || c.Method() == mcp.Initialize || !blamesSession(r) && !blamesHandshake(c) {
			return
		}
		in := initOf(c)
		how := ""
		switch {
		case in == nil && blamesHandshake(c):
			return // the handshake is what is missing
		case c.Session.State == session.StateClosed:
			how = "that was ended"
		case in == nil && c.Session.IDSource == session.IDForeign:
			how = "that was not issued while midwire watched"
		case in != nil && in.OK && c.Facts.Results > 0:
			how = "that worked before"
		default:
			return
		}
		c.ReportAs(strconv.Itoa(r.Status), diagnose.Finding{
			Message: "A request with session id " + quote(id) + ", " + how + ", got " + strconv.Itoa(r.Status) + " instead of 404: " + quote(r.Text) + ".",
			Frames:  []uint64{c.N, uint64(x.RequestN)},
		})
	},
}
