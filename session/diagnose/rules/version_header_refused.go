package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var versionHeaderRefused = &diagnose.Rule{
	ID:       "version-header-refused",
	Title:    "A request was refused for its MCP-Protocol-Version header",
	Severity: diagnose.Error,
	Fault:    diagnose.Client,
	Era:      diagnose.Handshake,
	Lint:     "F17",
	Help: diagnose.Help{
		Means: "After the handshake every HTTP request says in a header which revision was agreed on. The server refused a request because of that header.",
		Wire:  "A request after initialize is answered with 400 “Bad Request: Unsupported protocol version …”.",
		Cause: "The client sends the revision it had asked for instead of the one the server chose, or none at all; or the server agreed on a revision in the handshake that its HTTP layer does not know.",
		Fix:   "Send exactly the protocolVersion of the server's answer to initialize. If the client does, the server's HTTP layer has to take what its handshake promises.",
		Spec:  "2025-11-25 basic/transports: Protocol Version Header",
		Example: `< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18",…}}
> POST /mcp, MCP-Protocol-Version: 2025-11-25
< 400 Bad Request: Unsupported protocol version`,
	},
	On:     diagnose.Refusals,
	Covers: []string{"version-header-missing", "version-header-differs"},
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || x.Status != 400 || c.Facts == nil || !c.Facts.Negotiated() ||
			c.Method() == mcp.Initialize || c.Method() == mcp.Discover || !blamesVersion(c.Refusal) {
			return
		}
		init := c.Facts.Init
		sent := headerValues(x.RequestHead, mcp.HeaderVersion)
		if mcp.Version(sent).IsModern() {
			return // a request of another era
		}
		f := diagnose.Finding{Frames: []uint64{c.N, uint64(x.RequestN)}}
		switch {
		case sent == "":
			f.Message = "The client sent no " + mcp.HeaderVersion + " header"
		case sent == string(init.Chosen):
			f.Fault = diagnose.Server
			f.Cause = "The server's HTTP layer is older, or configured otherwise, than what answers its initialize; or a gateway checks the header against a list of its own."
			f.Fix = "In the server or gateway: accept the revision that was agreed on, or agree on one that is accepted."
			f.Message = "The client sent the revision that was agreed on, " + sent
		default:
			f.Message = "The client sent " + mcp.HeaderVersion + " " + quote(sent)
		}
		f.Message += ", after the server had chosen " + string(init.Chosen) + " (" + frame(init.ResponseN) + "), and was refused: " + quote(c.Refusal.Text) + "."
		c.ReportAs(sent, f)
	},
}
