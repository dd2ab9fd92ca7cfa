package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var versionHeaderDiffers = rule("version-header-differs", diagnose.HTTPRequests, func(c *diagnose.Case) {
	if !afterHandshake(c) || saysVersion(c.Exchange, c.Facts.Init.Chosen) {
		return
	}
	x, init := c.Exchange, c.Facts.Init
	sent := headerValues(x.RequestHead, mcp.HeaderVersion)
	if sent == "" || sent == string(init.Chosen) || mcp.Version(sent).IsModern() && rowIsModern(c) {
		return
	}
	c.Say(sent, target(x)+" ("+frame(x.RequestN)+") says "+mcp.HeaderVersion+" "+quote(sent)+"; "+
		string(init.Chosen)+" was negotiated ("+frame(init.ResponseN)+").",
		uint64(x.RequestN), init.ResponseN)
})

// rowIsModern says whether the call in hand carries the envelope of 2026-07-28.
func rowIsModern(c *diagnose.Case) bool {
	r := rowOf(c)
	return r != nil && r.Modern
}
