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
		advise(&f, "header asked of older versions")
		f.Message = c.Client() + " sent no " + mcp.HeaderVersion + " header"
	case sent == "":
		f.Message = c.Client() + " sent no " + mcp.HeaderVersion + " header"
	case sent == string(init.Chosen):
		advise(&f, "negotiated version refused")
		f.Message = c.Client() + " sent the negotiated protocol version, " + sent
	default:
		f.Message = c.Client() + " sent " + mcp.HeaderVersion + " " + quote(sent)
	}
	f.Message += ", after the server chose " + string(init.Chosen) + " (" + frame(init.ResponseN) + "), and was refused: " + said(c.Refusal) + "."
	c.ReportAs(sent, f)
})
