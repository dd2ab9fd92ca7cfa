package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var badVersionAccepted = rule("bad-version-accepted", diagnose.HTTPResponses|diagnose.Refusals,
	func(c *diagnose.Case) {
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
		c.Say(sent, target(x)+" ("+frame(x.RequestN)+") says "+mcp.HeaderVersion+" "+quote(sent)+", which is no protocol version of MCP, and got "+
			httpStatus(int(x.Status))+" instead of 400.",
			headFrames(x)...)
	})
