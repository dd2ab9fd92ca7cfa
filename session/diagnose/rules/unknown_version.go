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
	On:       diagnose.Results,
	Methods:  []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		chosen := text(c.Result("protocolVersion"))
		if c.Call == nil || chosen == "" || published(mcp.Version(chosen)) {
			return
		}
		c.Say(chosen, c.Server()+" chose the protocol version "+quote(chosen)+" ("+frame(c.N)+"), which was never published.",
			c.N, c.Call.N)
	},
}

// published says whether a protocol version was ever published. The first of them was
// but a draft that early SDKs still accept.
func published(version mcp.Version) bool {
	return version == mcp.V20241007 || version.IsPublished()
}
