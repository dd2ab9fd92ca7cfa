package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var corsSessionIDHidden = &diagnose.Rule{
	ID:       "cors-session-id-hidden",
	Title:    "A browser client cannot read the session id",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "The server assigned a session id in a header, and the browser hides that header from the page. The client continues without the id and is refused.",
		Wire:  "The response to initialize has Mcp-Session-Id, the request has an Origin, and Access-Control-Expose-Headers does not name Mcp-Session-Id. Later requests lack the id: “Missing session ID”.",
		Cause: "The server's CORS settings allow the request but expose no headers.",
		Fix:   "In the server: send Access-Control-Expose-Headers: Mcp-Session-Id (Starlette: expose_headers, Express cors: exposedHeaders).",
		Spec:  "2025-11-25 basic/transports: Session Management; WHATWG Fetch: CORS-exposed header-name list",
		Example: `> POST /mcp, Origin: http://localhost:6274 {"jsonrpc":"2.0","id":0,"method":"initialize",…}
< 200 Mcp-Session-Id: 1868a90c, Access-Control-Allow-Origin: *`,
	},
	On: diagnose.HTTPResponses,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Verb != "POST" || x.Status > 299 || x.Calls == 0 || !hasOrigin(x) || rowName(c) != mcp.Initialize ||
			x.ResponseHeader(mcp.HeaderSessionID) == "" {
			return
		}
		if !isPage(x) || !allowsOrigin(x) || allows(x, "Access-Control-Expose-Headers", mcp.HeaderSessionID) {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Message:    "The response to initialize (" + frame(uint64(x.ResponseN)) + ") carries " + mcp.HeaderSessionID + ", which the page of " + quote(x.Header("Origin")) + " cannot read: Access-Control-Expose-Headers does not name it.",
			Confidence: diagnose.Likely,
			Frames:     headFrames(x),
		})
	},
}
