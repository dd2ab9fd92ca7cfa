package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var badVersionAccepted = &diagnose.Rule{
	ID:       "bad-version-accepted",
	Title:    "The server did not refuse an unknown protocol version with 400",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Era:      diagnose.Handshake,
	From:     mcp.V20250618, To: mcp.V20251125,
	Help: diagnose.Help{
		Means: "A server must refuse a request with HTTP 400 when it does not support its MCP-Protocol-Version. This server accepted a version that never existed, or refused it with another status, from which a client cannot see the reason.",
		Wire:  "A request with an MCP-Protocol-Version that is not a protocol version of MCP gets a 2xx status, or an error status other than 400.",
		Cause: "The server, or its SDK, does not read the header.",
		Fix:   "In the server: respond with 400 to a version that it does not support. In the client: send the negotiated protocol version.",
		Spec:  "2025-06-18 basic/transports: Protocol Version Header",
		Example: `> POST /mcp, MCP-Protocol-Version: 1.0
< 200 {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`,
	},
	On: diagnose.HTTPResponses | diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || x.Status == 400 || (c.Refusal == nil) != (x.Status < 300) || c.Session == nil ||
			c.Session.Transport != session.TransportHTTP || !isMCP(c) || saysVersion(x, c.Session.ProtocolVersion) {
			return
		}
		sent := headerValues(x.RequestHead, mcp.HeaderVersion)
		if v := mcp.Version(sent); v == "" || v.IsPublished() || v > mcp.Latest && v.IsDate() {
			return // from a later protocol version that this program does not know of
		}
		if c.Refusal != nil && !blamesVersion(c.Refusal) {
			return
		}
		c.ReportAs(sent, diagnose.Finding{
			Message: target(x) + " (" + frame(uint64(x.RequestN)) + ") says " + mcp.HeaderVersion + " " + quote(sent) + ", which is no protocol version of MCP, and got " +
				httpStatus(int(x.Status)) + " instead of 400.",
			Frames: headFrames(x),
		})
	},
}
