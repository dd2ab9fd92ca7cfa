package rules

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var envelopeIncomplete = &diagnose.Rule{
	ID:       "envelope-incomplete",
	Title:    "A request of 2026-07-28 lacks required members of _meta",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Help: diagnose.Help{
		Means: "2026-07-28 has no handshake. Each request declares its protocol version and the capabilities of the client in params._meta. Without them the server cannot know how to respond: it refuses the request, or treats it as one of an older protocol version.",
		Wire:  "A request whose params._meta lacks io.modelcontextprotocol/protocolVersion or io.modelcontextprotocol/clientCapabilities, while its headers, its method or the rest of its _meta are of 2026-07-28. It gets -32602 and 400. A missing clientInfo is only a warning.",
		Cause: "The client adds the envelope to some requests only, for example not to retries, pagination or server/discover; or something between client and server rewrites params and drops _meta.",
		Fix:   "In the client: put protocolVersion, clientCapabilities ({} when there are none) and clientInfo into params._meta of every request, also when the method has no other parameters. In a gateway: pass _meta through unchanged.",
		Spec:  "2026-07-28 basic/index: _meta",
		Example: `> {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"missing or invalid _meta field \"io.modelcontextprotocol/clientCapabilities\""}}`,
	},
	On: diagnose.Requests,
	Check: func(c *diagnose.Case) {
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
			c.ReportAs(list, diagnose.Finding{
				Message: "The request " + quote(c.Call.Method) + " (" + frame(c.N) + ") is of 2026-07-28, and its params._meta lacks " + list + ".",
			})
			return
		}
		if wire.Get(meta, mcp.MetaClientInfo) == nil {
			c.ReportAs("clientInfo", diagnose.Finding{
				Severity: diagnose.Warning,
				Message:  "The request " + quote(c.Call.Method) + " (" + frame(c.N) + ") does not say which client sent it: params._meta lacks clientInfo.",
			})
		}
	},
}

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
