package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var versionHeaderRefused = rule("version-header-refused", diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	if x == nil || x.Status != 400 || c.Facts == nil || !c.Facts.Negotiated() ||
		c.Method() == mcp.Initialize || c.Method() == mcp.Discover || !blamesVersion(c.Refusal) {
		return
	}
	init := c.Facts.Init
	sent := wire.HeadValues(x.RequestHead, mcp.HeaderVersion)
	if mcp.Version(sent).IsModern() {
		return // a request of another era
	}
	f := diagnose.Finding{Frames: []uint64{c.N, uint64(x.RequestN)}, Beside: []uint64{init.ResponseN}}
	switch {
	case sent == "" && init.Chosen < mcp.V20250618:
		f.Side = diagnose.Server
		f.Cause = "The server, or a gateway before it, demands the header of every client. It came with 2025-06-18: clients of the negotiated version do not send it, and a server has to take them for 2025-03-26."
		f.Remedies = either("demand the header only when 2025-06-18 or later was negotiated, or negotiate such a version.", diagnose.Server, diagnose.Gateway)
		f.Message = c.Client() + " sent no " + mcp.HeaderVersion + " header"
	case sent == "":
		f.Message = c.Client() + " sent no " + mcp.HeaderVersion + " header"
	case sent == string(init.Chosen):
		f.Side = diagnose.Server
		f.Cause = "The server's HTTP layer is older than the code of its handshake, or configured differently; or a gateway checks the header against a list of its own."
		f.Remedies = either("accept the negotiated protocol version, or negotiate one that is accepted.", diagnose.Server, diagnose.Gateway)
		f.Message = c.Client() + " sent the negotiated protocol version, " + sent
	default:
		f.Message = c.Client() + " sent " + mcp.HeaderVersion + " " + quote(sent)
	}
	f.Message += ", after the server chose " + string(init.Chosen) + " (" + frame(init.ResponseN) + "), and was refused: " + said(c.Refusal) + "."
	c.ReportAs(sent, f)
})
