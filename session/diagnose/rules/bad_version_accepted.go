package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var badVersionAccepted = &diagnose.Rule{
	ID:       "bad-version-accepted",
	Title:    "A revision that does not exist was not refused with 400",
	Severity: diagnose.Error,
	Fault:    diagnose.Server,
	Era:      diagnose.Handshake,
	From:     mcp.V20250618, To: mcp.V20251125,
	Lint: "H-05",
	Help: diagnose.Help{
		Means: "A server has to refuse requests whose MCP-Protocol-Version it does not support, with HTTP 400. This one took a revision that never existed, or refused it with another status, by which clients cannot tell what is wrong.",
		Wire:  "A request with an MCP-Protocol-Version that is none of MCP's revisions is answered with a 2xx, or with a refusal other than 400.",
		Cause: "The server, or its SDK, does not look at the header.",
		Fix:   "In the server: answer 400 to a version it does not support. In the client: send the revision that was agreed on.",
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
			return // from a later revision that this program does not know of
		}
		if c.Refusal != nil && !blamesVersion(c.Refusal) {
			return
		}
		c.ReportAs(sent, diagnose.Finding{
			Message: target(x) + " (" + frame(uint64(x.RequestN)) + ") says " + mcp.HeaderVersion + " " + quote(sent) + ", which is no revision of MCP, and was answered with " +
				httpStatus(int(x.Status)) + " instead of 400.",
			Frames: headFrames(x),
		})
	},
}
