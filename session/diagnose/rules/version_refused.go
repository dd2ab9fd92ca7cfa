package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
)

var versionRefused = &diagnose.Rule{
	ID: "version-refused", On: diagnose.Refusals, Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		if c.Facts == nil || c.Facts.Init == nil {
			return
		}
		init := c.Facts.Init
		if init.Requested == "" || init.Requested.IsModern() || c.Refusal.Code == mcp.CodeUnsupportedVersion ||
			!refusesVersion(c.Refusal) {
			return
		}
		known := supportedVersions(c)
		if modernOnly(known) {
			return // another story: the server is too new
		}
		f := diagnose.Finding{Frames: []uint64{c.N, init.N}}
		f.Message = c.Client() + " requested protocol version " + quote(string(init.Requested)) + " (" + frame(init.N) + "), and the server refused instead of responding with one that it supports: " + said(c.Refusal) + "."
		if len(known) > 0 {
			f.Message += " It says that it supports " + strings.Join(known, ", ") + "."
		}
		if c.Refusal.RPC && c.Refusal.Status < 400 {
			f.Severity = diagnose.Warning // the page's own example of an error is this one
		}
		c.ReportAs("", f)
	},
}

// refusesVersion says whether a refusal complains of the protocol version that
// was asked for.
func refusesVersion(r *diagnose.Refusal) bool {
	return r.Means(sdkwords.VersionUnsupported) && !r.Says("header")
}

func blamesVersion(r *diagnose.Refusal) bool {
	return r.Means(sdkwords.VersionUnsupported, sdkwords.VersionHeader)
}

// modernOnly says whether a server that names these versions has none with a
// handshake.
func modernOnly(versions []string) bool {
	for _, v := range versions {
		if !mcp.Version(v).IsModern() {
			return false
		}
	}
	return len(versions) > 0
}
