package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var versionHeaderDiffers = &diagnose.Rule{
	ID:       "version-header-differs",
	Title:    "MCP-Protocol-Version differs from the negotiated protocol version",
	Severity: diagnose.Warning,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	From:     mcp.V20250618, To: mcp.V20251125,
	Help: diagnose.Help{
		Means: "Client and server negotiate a protocol version in the handshake, and the client then sends another one in the header of its requests. The two may interpret the same messages differently.",
		Wire:  "MCP-Protocol-Version of a request after initialize differs from protocolVersion in the response to initialize.",
		Cause: "The client sends its own latest protocol version, or the one it requested, instead of the one that the server chose.",
		Fix:   "In the client: use the protocolVersion of the response to initialize.",
		Spec:  "2025-06-18 basic/transports: Protocol Version Header",
		Example: `< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18",…}}
> POST /mcp, MCP-Protocol-Version: 2025-11-25`,
	},
	Header: mcp.HeaderVersion,
	On:     diagnose.HTTPRequests,
	Check: func(c *diagnose.Case) {
		if !afterHandshake(c) || saysVersion(c.Exchange, c.Facts.Init.Chosen) {
			return
		}
		x, init := c.Exchange, c.Facts.Init
		sent := headerValues(x.RequestHead, mcp.HeaderVersion)
		if sent == "" || sent == string(init.Chosen) || mcp.Version(sent).IsModern() && rowIsModern(c) {
			return
		}
		c.ReportAs(sent, diagnose.Finding{
			Message: target(x) + " (" + frame(uint64(x.RequestN)) + ") says " + mcp.HeaderVersion + " " + quote(sent) + "; " +
				string(init.Chosen) + " was negotiated (" + frame(init.ResponseN) + ").",
			Frames: []uint64{uint64(x.RequestN), init.ResponseN},
		})
	},
}

// rowIsModern says whether the call in hand carries the envelope of 2026-07-28.
func rowIsModern(c *diagnose.Case) bool {
	r := rowOf(c)
	return r != nil && r.Modern
}
