package rules

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var legacyClientModernServer = &diagnose.Rule{
	ID:       "legacy-client-modern-server",
	Title:    "A client with a handshake meets a server that has none",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "Protocol version 2026-07-28 abolished the handshake, and the server supports only that version. The client begins with initialize, as all earlier protocol versions do. They have no protocol version in common.",
		Wire:  "initialize gets -32022 “Unsupported protocol version” whose data.supported has nothing older than 2026-07-28, or -32601 “Method not found”.",
		Cause: "The client, or its SDK, is older than the server; or it supports both and is configured to begin with the handshake.",
		Fix:   "Update the client to one that supports 2026-07-28, or let the server also support the older protocol versions.",
		Spec:  "2026-07-28 basic/versioning: Protocol Version Negotiation",
		Example: `> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",…}}
< 400 {"jsonrpc":"2.0","id":0,"error":{"code":-32022,"message":"Unsupported protocol version: 2025-11-25","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}}`,
	},
	On:      diagnose.Errors,
	Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		known := supportedVersions(c)
		code := rpcCode(c)
		if code != mcp.CodeUnsupportedVersion && code != mcp.CodeMethodNotFound && !modernOnly(known) ||
			openedModern(c) {
			return
		}
		f := diagnose.Finding{Frames: []uint64{c.N, c.Call.N}}
		f.Message = "The client began with initialize (" + frame(c.Call.N) + "), and the server does not know the handshake: " + quote(text(rpcText(c))) + "."
		switch {
		case modernOnly(known):
			f.Message += " It supports " + strings.Join(known, ", ") + "."
		case len(known) > 0:
			return // it has older protocol versions to offer
		default:
			f.Confidence = diagnose.Likely
		}
		c.ReportAs("", f)
	},
}

// openedModern says whether the process in hand was opened with a request of
// 2026-07-28 that it responded: it then refuses a handshake for another reason.
func openedModern(c *diagnose.Case) bool {
	if c.Session.Transport != session.TransportStdio {
		return false
	}
	for s := range c.Sessions {
		if f := c.FactsOf(s.Index); f != nil && s.Transport == session.TransportStdio && s.Modern && f.LastOK != 0 {
			return true
		}
	}
	return c.Facts.LastOK != 0
}
