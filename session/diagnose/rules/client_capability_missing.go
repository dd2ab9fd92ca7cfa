package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var clientCapabilityMissing = &diagnose.Rule{
	ID:      "client-capability-missing",
	On:      diagnose.Questions,
	Methods: []string{mcp.SamplingCreateMessage, mcp.ElicitationCreate, mcp.RootsList},
	Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToClient || !c.Facts.Negotiated() || !assigned(c) {
			return
		}
		name, should := missingForServer(c, c.Facts.Init.ClientCaps)
		if name == "" {
			return
		}
		f := diagnose.Finding{
			Severity: softBefore2025June(c),
			Message: c.Server() + " sent " + quote(c.Call.Method) + " (" +
				frame(c.N) + "), and the client did not declare the capability " + quote(name) + " (" + frame(c.Facts.Init.N) + ").",
			Frames: []uint64{c.N, c.Facts.Init.N},
		}
		if should {
			f.Severity = diagnose.Warning
		}
		c.ReportAs(name, f)
	},
}

// missingForServer is the capability of the client that the request in hand
// needs and that was not declared, "" for none. should says that it is only
// recommended. Parts of capabilities exist from 2025-11-25.
func missingForServer(c *diagnose.Case, caps []byte) (name string, should bool) {
	has := func(path ...string) bool { return diagnose.Capability(caps, path...) }
	parts := c.ProtocolVersion() >= mcp.V20251125
	switch c.Call.Method {
	case mcp.RootsList:
		if !has("roots") {
			return "roots", false
		}
	case mcp.SamplingCreateMessage:
		context := text(c.Param("includeContext"))
		switch {
		case !has("sampling"):
			return "sampling", false
		case parts && c.Param("tools") != nil && !has("sampling", "tools"):
			return "sampling.tools", false
		case parts && (context == "thisServer" || context == "allServers") && !has("sampling", "context"):
			return "sampling.context", true
		}
	case mcp.ElicitationCreate:
		url := text(c.Param("mode")) == "url"
		switch {
		case !has("elicitation"):
			return "elicitation", false
		case parts && url && !has("elicitation", "url"):
			return "elicitation.url", false
		case parts && !url && has("elicitation", "url") && !has("elicitation", "form"): // {} stands for form
			return "elicitation.form", false
		}
	}
	return "", false
}
