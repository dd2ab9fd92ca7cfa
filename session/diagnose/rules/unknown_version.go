package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var unknownVersion = &diagnose.Rule{
	ID:       "unknown-version",
	Title:    "The server chose a protocol revision that was never published",
	Severity: diagnose.Note,
	Fault:    diagnose.Server,
	Era:      diagnose.Handshake,
	Lint:     "L-13",
	Help: diagnose.Help{
		Means:   "The two sides agreed on a revision that nobody else knows: a draft, a version number of the server's own, or a typing error. Clients that check it hang up.",
		Wire:    "The protocolVersion in the answer to initialize is no revision of MCP.",
		Cause:   "The server puts its own version there, echoes whatever the client sends, or was built for a draft.",
		Fix:     "In the server: choose from the published revisions, such as 2025-11-25. Its own version belongs in serverInfo.version.",
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
			Message: "The server chose the revision " + quote(chosen) + " (" + frame(c.N) + "), which is none of the published ones.",
			Frames:  []uint64{c.N, c.Call.N},
		})
	},
}

// published says whether a revision was ever published. The first of them was
// but a draft that early SDKs still accept.
func published(version mcp.Version) bool {
	return version == mcp.V20241007 || version.IsPublished()
}
