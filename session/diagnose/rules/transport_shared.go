package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var transportShared = &diagnose.Rule{
	ID:       "transport-shared",
	Title:    "The server has one transport for all clients: the second cannot initialize",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "The first client takes the server's only session. Every later client, including the same client after a restart, gets the response that the server is already initialized.",
		Wire:  `initialize from a client that has not sent one before gets -32600 "Invalid Request: Server already initialized".`,
		Cause: "The server creates one transport object when it starts, instead of one for each session.",
		Fix:   "In the server: create a transport and a server object for each session, when an initialize without a known session id arrives, and store them by session id.",
		Spec:  "2025-11-25 basic/transports: Session Management",
		Example: `client 1 > initialize   < 200, Mcp-Session-Id: 7b0c…
client 2 > initialize   < 400 {"error":{"code":-32600,"message":"Invalid Request: Server already initialized"}}`,
	},
	On:      diagnose.Refusals | diagnose.Results,
	Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		first := diagnose.Memory[[]uint64](c)
		if c.Exchange == nil || c.Call == nil {
			return
		}
		if c.Refusal == nil {
			if len(*first) == 0 && c.Message.Kind == wire.MsgResult {
				*first = []uint64{c.Call.N, uint64(c.Session.Index)}
			}
			return
		}
		if !c.Refusal.Says("already initialized") {
			return
		}
		f := diagnose.Finding{
			Message: "The server refused initialize (" + frame(c.Call.N) + "): " + quote(c.Refusal.Text) + ".",
			Frames:  []uint64{c.Call.N, c.N}, Confidence: diagnose.Likely,
		}
		switch {
		case len(*first) == 0:
			f.Message += " No client initialized it while midwire recorded, so one did before."
		case (*first)[1] == uint64(c.Session.Index):
			return // the same client asked twice
		default:
			f.Message += " Another session was initialized before (" + frame((*first)[0]) + ")."
			f.Frames = append(f.Frames, (*first)[0])
			f.Confidence = diagnose.Certain
		}
		c.ReportAs("", f)
	},
}
