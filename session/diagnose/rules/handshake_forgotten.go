package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var handshakeForgotten = &diagnose.Rule{
	ID:       "handshake-forgotten",
	Title:    "The server lost a handshake that had just succeeded",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "The client behaved correctly: initialize got a result, and the next request had the session id that the server issued. The server then responded as if there had been no handshake. A client cannot fix this.",
		Wire:  `initialize succeeds. The next request, with the right Mcp-Session-Id, gets "Server not initialized" or "No valid session ID provided".`,
		Cause: "The server creates a new transport for every request, stores the session only after it sent the response, or keeps it in memory that the next request does not reach: a serverless function, another worker, another replica.",
		Fix:   "In the server: keep one transport per session id and store it when the id is created (in the TypeScript SDK in onsessioninitialized), before the initialize request is handled. Or run stateless on purpose: without a session id, and with a new server for each request.",
		Spec:  "2025-11-25 basic/transports: Session Management",
		Example: `> initialize
< 200, Mcp-Session-Id: 7b0c…
> Mcp-Session-Id: 7b0c…  {"id":1,"method":"tools/list"}
< 400 {"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}`,
	},
	Header: mcp.HeaderSessionID,
	On:     diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		in := initOf(c)
		if c.Call == nil || in == nil || !in.OK || c.Call.Modern || c.Call.Method == mcp.Initialize ||
			c.Facts.Results > 0 || c.Call.N < in.ResponseN {
			return
		}
		// A request that did not wait for the end of the handshake is a race.
		eager := c.Facts.Initialized == 0 || c.Call.N < c.Facts.Initialized
		switch {
		case !blamesHandshake(c) && (c.Session.ID == "" || !blamesSession(c.Refusal)) || c.Refusal.Status >= 500:
			return
		case c.Exchange != nil && c.Session.ID != "" && c.Exchange.SessionID != c.Session.ID:
			return // it lacks the id, or carries another
		case eager && (c.Exchange == nil || c.Refusal.Code == mcp.CodeInvalidParams || c.Refusal.Code == 0):
			return
		case c.Session.Transport == session.TransportSSE:
			return
		}
		f := diagnose.Finding{
			Message: "initialize (" + frame(in.N) + ") succeeded, and the next request, " + c.Call.Method + " (" + frame(c.Call.N) + "), was refused: " + quote(c.Refusal.Text) + ".",
			Frames:  []uint64{c.Call.N, c.N, in.N, in.ResponseN},
		}
		if c.Exchange != nil && c.Session.ID == "" {
			f.Cause = "The server issued no session id and still expects to find the session: it creates a new transport for every request, or runs behind a load balancer."
		}
		c.ReportAs("", f)
	},
}
