package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var sessionIDNotEchoed = &diagnose.Rule{
	ID:       "session-id-not-echoed",
	Title:    "The client does not send the assigned session id",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	From:     mcp.V20250326,
	Help: diagnose.Help{
		Means: "The response to initialize has a session id. Every later request must send it in the Mcp-Session-Id header. One request did not, so the server cannot know its session.",
		Wire:  `The response to initialize has an Mcp-Session-Id header, a later request has none and is refused: "Mcp-Session-Id header is required", "Missing session ID", "No valid session ID provided".`,
		Cause: "The client does not read the header of the response; something between client and server removes the header; or, in a browser, Access-Control-Expose-Headers does not list it, so the page cannot read it.",
		Fix:   "In the client: keep the Mcp-Session-Id of the response to initialize and send it with every POST, GET and DELETE. In a gateway: pass the header on in both directions. For browsers: the server sends Access-Control-Expose-Headers: Mcp-Session-Id.",
		Spec:  "2025-11-25 basic/transports: Session Management",
		Example: `> initialize
< 200, Mcp-Session-Id: 7b0c…
> {"id":1,"method":"tools/list"}           (no Mcp-Session-Id)
< 400 {"error":{"code":-32000,"message":"Bad Request: Mcp-Session-Id header is required"}}`,
	},
	Header: mcp.HeaderSessionID,
	Right:  &diagnose.Right{Step: "id echoed", Does: "send it back"},
	On:     diagnose.Results | diagnose.Notifications | diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		in, x := initOf(c), c.Exchange
		if x == nil || in == nil || in.ResponseN == 0 || c.Session.Transport != session.TransportHTTP ||
			c.Session.ID == "" ||
			c.Session.IDSource != session.IDServer && c.Session.IDSource != session.IDReplaced ||
			c.Modern || c.Call == nil && c.Dir == wire.ToClient || x.Verb != "POST" || x.SessionID != "" {
			return
		}
		method := c.Method()
		if exempt[method] || uint64(x.RequestN) < in.ResponseN {
			return
		}
		f := diagnose.Finding{Frames: []uint64{uint64(x.RequestN), in.ResponseN}}
		what := "The server issued session id " + quote(c.Session.ID) + " (" + frame(in.ResponseN) + "), and the client sent "
		if c.Refusal != nil {
			f.Message = what + method + " (" + frame(uint64(x.RequestN)) + ") without it. It was refused: " + quote(c.Refusal.Text) + "."
			f.Frames = []uint64{uint64(x.RequestN), c.N, in.ResponseN}
		} else {
			f.Message = what + method + " (" + frame(uint64(x.RequestN)) + ") without it."
		}
		c.ReportAs("", f)
	},
}
