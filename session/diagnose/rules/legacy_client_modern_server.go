package rules

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var legacyClientModernServer = &diagnose.Rule{
	ID: "legacy-client-modern-server", On: diagnose.Errors, Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		known := supportedVersions(c)
		code := errorCode(c)
		if code != mcp.CodeUnsupportedVersion && code != mcp.CodeMethodNotFound && !modernOnly(known) ||
			openedModern(c) {
			return
		}
		f := diagnose.Finding{Frames: []uint64{c.N, c.Call.N}}
		f.Message = c.Client() + " began with initialize (" + frame(c.Call.N) + "), and the server does not know the handshake: " + quote(errorText(c)) + "."
		a := c.Operations().Of(c.Session.Index)
		if code == mcp.CodeMethodNotFound && a != nil && a.Noises+len(a.Strays) > 0 {
			f.Side, f.Brief = diagnose.Server, "no MCP server"
			f.Message = c.Server() + " refused initialize (" + frame(c.Call.N) + ") as unknown: " + quote(errorText(c)) + ". It wrote to stdout what is no response to anything."
			advise(&f, "no MCP server")
		}
		switch {
		case modernOnly(known):
			f.Message += " It supports " + strings.Join(known, ", ") + "."
		case len(known) > 0:
			return // it has older protocol versions to offer
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
	return c.Facts.LastOK != 0 || slices.ContainsFunc(c.Responded(), func(s *session.Session) bool {
		return s.Transport == session.TransportStdio && s.Modern
	})
}
