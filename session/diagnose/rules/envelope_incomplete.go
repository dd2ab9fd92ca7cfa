package rules

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var envelopeIncomplete = rule("envelope-incomplete", diagnose.Requests, func(c *diagnose.Case) {
	if c.Dir != wire.ToServer || c.Session.Transport == session.TransportSSE {
		return
	}
	meta := c.Call.Meta
	if !c.Modern && !c.IsModern() && c.Facts.Negotiated() && len(meta) < 60 {
		return // too short to hold a part of the envelope
	}
	if c.Modern && c.Call.Version != "" && len(c.Call.Caps) > 0 && c.Call.Caps[0] == '{' &&
		wire.Get(meta, mcp.MetaClientInfo) != nil {
		return
	}
	if !c.Modern && !claimsModern(c, meta) {
		return
	}
	var missing []string
	for _, key := range []string{mcp.MetaProtocolVersion, mcp.MetaClientCapabilities} {
		raw := wire.Get(meta, key)
		if raw == nil || key == mcp.MetaProtocolVersion && text(raw) == "" ||
			key == mcp.MetaClientCapabilities && raw[0] != '{' {
			missing = append(missing, strings.TrimPrefix(key, mcp.MetaPrefix))
		}
	}
	if missing != nil {
		list := strings.Join(missing, " and ")
		c.Say(list, "The request "+quote(c.Call.Method)+" ("+frame(c.N)+") is of 2026-07-28, and its params._meta lacks "+list+".")
		return
	}
	if wire.Get(meta, mcp.MetaClientInfo) == nil {
		c.ReportAs("clientInfo", diagnose.Finding{
			Severity: diagnose.Warning,
			Message:  "The request " + quote(c.Call.Method) + " (" + frame(c.N) + ") does not say which client sent it: params._meta lacks clientInfo.",
		})
	}
})

// claimsModern says whether a request without a protocolVersion in its body is
// of 2026-07-28 anyway.
func claimsModern(c *diagnose.Case, meta []byte) bool {
	switch c.Call.Method {
	case mcp.Discover, mcp.Listen:
		return true
	case mcp.Initialize, mcp.Ping:
		return false
	}
	if c.Exchange != nil && mcp.Version(c.Exchange.Header(mcp.HeaderVersion)).IsModern() {
		return !c.Facts.Negotiated()
	}
	return meta != nil && (wire.Get(meta, mcp.MetaClientCapabilities) != nil ||
		wire.Get(meta, mcp.MetaClientInfo) != nil)
}
