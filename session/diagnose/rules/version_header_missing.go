package rules

import (
	"bytes"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var versionHeaderMissing = rule("version-header-missing", diagnose.HTTPRequests, func(c *diagnose.Case) {
	x := c.Exchange
	if !afterHandshake(c) || saysVersion(x, c.Facts.Init.Chosen) ||
		headerValues(x.RequestHead, mcp.HeaderVersion) != "" {
		return
	}
	init := c.Facts.Init
	c.Say("", target(x)+" ("+frame(x.RequestN)+") has no "+mcp.HeaderVersion+" header; "+string(init.Chosen)+
		" was negotiated ("+frame(init.ResponseN)+").",
		uint64(x.RequestN), init.ResponseN)
})

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
