package rules

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var sessionIDCrossed = &diagnose.Rule{
	ID:       "session-id-crossed",
	Title:    "A call in one session names the id of another session",
	Severity: diagnose.Warning,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	From:     mcp.V20250326,
	Help: diagnose.Help{
		Means:   "The Mcp-Session-Id header names one session; _meta or a tool's argument names the transport id of another. Each server decides itself which of the two it uses, so state may end up in the wrong session.",
		Wire:    `Mcp-Session-Id: A in the header, and "session_id": "B" in params._meta or params.arguments, where B is the id of another session of this recording.`,
		Cause:   "A gateway multiplexes sessions and mixes them up, or a client stored the id of an earlier session.",
		Fix:     "In the client or gateway: take header and body from the same session. In the server: use the header for the transport, and a separate handle for application state.",
		Spec:    "2025-11-25 basic/transports: Session Management",
		Example: `> Mcp-Session-Id: A   tools/call {"_meta":{"session_id":"B"},…}`,
	},
	On:      diagnose.Requests,
	Methods: []string{mcp.ToolsCall},
	Check: func(c *diagnose.Case) {
		ids := diagnose.Memory[map[string]int](c)
		if *ids == nil {
			*ids = map[string]int{}
		}
		if c.Exchange == nil || c.Session.ID == "" || c.Session.IDSource != session.IDServer {
			return
		}
		if len(*ids) < 65536 {
			(*ids)[c.Session.ID] = c.Session.Index
		}
		for _, where := range []string{"_meta", "arguments"} {
			wire.Each(c.Param(where), func(key, value []byte) bool {
				if len(value) < 10 || value[0] != '"' || !namesSession(key) {
					return true
				}
				other, ok := (*ids)[wire.Text(value)]
				if !ok || other == c.Session.Index {
					return true
				}
				c.ReportAs(where, diagnose.Finding{
					Confidence: diagnose.Likely,
					Message: "The call " + quote(c.Call.Target) + " (" + frame(c.N) + ") came in session " + quote(c.Session.ID) + ", and " + where + "." +
						string(key) + " names another session, " + quote(wire.Text(value)) + ".",
				})
				return false
			})
		}
	},
}

// namesSession says whether a key is spelled like the id of a session or
// conversation.
func namesSession(key []byte) bool {
	if len(key) < 6 || len(key) > 64 || string(key) == mcp.MetaProgressToken {
		return false
	}
	name := strings.ToLower(string(key))
	return strings.Contains(name, "session") || strings.Contains(name, "conversation") || strings.Contains(name, "thread")
}
