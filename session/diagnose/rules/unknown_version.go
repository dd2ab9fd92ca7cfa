package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var unknownVersion = &diagnose.Rule{
	ID:       "unknown-version",
	Title:    "The server chose a protocol version that was never published",
	Severity: diagnose.Note,
	Side:     diagnose.Server,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means:   "The two sides negotiated a protocol version that no other peer supports: a draft, a version number of the server's own, or a typing error. Clients that check it disconnect.",
		Wire:    "The protocolVersion in the response to initialize is not a protocol version of MCP.",
		Cause:   "The server sends its own version, echoes the version of the client, or was built for a draft.",
		Fix:     "In the server: choose from the published protocol versions, such as 2025-11-25. Its own version belongs in serverInfo.version.",
		Spec:    "2025-11-25 basic/lifecycle: Version Negotiation",
		Example: `< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"1.0.0",…}}`,
	},
	On:      diagnose.Results,
	Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		chosen := text(c.Result("protocolVersion"))
		if c.Call == nil || chosen == "" || published(mcp.Version(chosen)) {
			return
		}
		c.ReportAs(chosen, diagnose.Finding{
			Message: "The server chose the protocol version " + quote(chosen) + " (" + frame(c.N) + "), which was never published.",
			Frames:  []uint64{c.N, c.Call.N},
		})
	},
}

// published says whether a protocol version was ever published. The first of them was
// but a draft that early SDKs still accept.
func published(version mcp.Version) bool {
	return version == mcp.V20241007 || version.IsPublished()
}
