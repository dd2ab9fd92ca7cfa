package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var unknownVersion = &diagnose.Rule{
	ID: "unknown-version", On: diagnose.Results, Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		chosen := text(c.Result("protocolVersion"))
		if v := mcp.Version(chosen); c.Call != nil && v.IsPublished() && v.IsModern() {
			c.ReportAs(chosen, diagnose.Finding{
				Severity: diagnose.Error, Frames: []uint64{c.N, c.Call.N}, Place: "/result/protocolVersion",
				Message:  c.Server() + " responded to initialize (" + frame(c.Call.N) + ") with the protocol version " + chosen + " (" + frame(c.N) + "), which has no initialize: each request declares its version.",
				Cause:    "The server repeats the version that the client requests, or names the newest that its library knows, without speaking it.",
				Remedies: fixes(inServer("respond to initialize with " + string(mcp.LastHandshake) + " or an older version that it supports, and serve " + chosen + " only to requests that carry its _meta.")),
			})
			return
		}
		if c.Call == nil || chosen == "" || published(mcp.Version(chosen)) {
			return
		}
		c.Say(chosen, c.Server()+" chose the protocol version "+quote(chosen)+" ("+frame(c.N)+"), which was never published.",
			c.N, c.Call.N)
	},
}

// published says whether a protocol version was ever published. The first of them was
// but a draft that early SDKs still accept.
func published(version mcp.Version) bool {
	return version == mcp.V20241007 || version.IsPublished()
}
