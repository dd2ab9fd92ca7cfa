package rules

import (
	"bytes"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var versionHeaderMissing = &diagnose.Rule{
	ID:       "version-header-missing",
	Title:    "Requests after the handshake lack MCP-Protocol-Version",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	From:     mcp.V20250618, To: mcp.V20251125,
	Help: diagnose.Help{
		Means: "From protocol version 2025-06-18 a client sends the negotiated version in a header of every HTTP request after initialize. Without it a server may treat the client as one of 2025-03-26.",
		Wire:  "A POST, GET or DELETE after the response to initialize has no MCP-Protocol-Version header.",
		Cause: "A client library from before 2025-06-18 that requests a newer protocol version, a hand-written client, or a gateway that passes on only known headers.",
		Fix:   "In the client or gateway: send MCP-Protocol-Version with the protocolVersion of the server's response to initialize in every later request.",
		Spec:  "2025-06-18 basic/transports: Protocol Version Header",
		Example: `< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18",…}}
> POST /mcp {"jsonrpc":"2.0","method":"notifications/initialized"}`,
	},
	Header: mcp.HeaderVersion,
	On:     diagnose.HTTPRequests,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if !afterHandshake(c) || saysVersion(x, c.Facts.Init.Chosen) ||
			headerValues(x.RequestHead, mcp.HeaderVersion) != "" {
			return
		}
		init := c.Facts.Init
		c.ReportAs("", diagnose.Finding{
			Message: target(x) + " (" + frame(uint64(x.RequestN)) + ") has no " + mcp.HeaderVersion + " header; " + string(init.Chosen) +
				" was negotiated (" + frame(init.ResponseN) + ").",
			Frames: []uint64{uint64(x.RequestN), init.ResponseN},
		})
	},
}

// saysVersion says whether a request head names that protocol version, which it does
// nowhere but in MCP-Protocol-Version, at little cost.
func saysVersion(x *session.Exchange, version mcp.Version) bool {
	return bytes.Contains(x.RequestHead, []byte(version))
}

// afterHandshake says whether the HTTP request in hand is one of Streamable
// HTTP that was sent after the response to initialize.
func afterHandshake(c *diagnose.Case) bool {
	return c.Session != nil && c.Session.Transport == session.TransportHTTP && !c.Session.Modern &&
		c.Facts.Negotiated() && uint64(c.Exchange.RequestN) > c.Facts.Init.ResponseN && isMCP(c)
}
