package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var versionRefusalBare = &diagnose.Rule{
	ID:       "version-refusal-bare",
	Title:    "A server refuses a protocol version and does not list those it supports",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "A client that meets a server of another protocol version tries again with one that the server lists. Without the list it can only guess, or give up.",
		Wire:  "An error with code -32022 whose data lacks supported (a list of protocol versions) or requested (the refused protocol version).",
		Cause: "The server was written for a draft, or builds the error by hand.",
		Fix:   `In the server: respond with -32022 and data {"supported":["2026-07-28", …],"requested":"…"}, also to an initialize that it does not support.`,
		Spec:  "2026-07-28 basic/versioning: Unsupported Versions",
		Example: `< 400 {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version"}}
  correct: "data":{"supported":["2026-07-28"],"requested":"2027-01-01"}`,
	},
	On: diagnose.Errors,
	Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToClient || string(wire.Get(c.Message.Error, "code")) != "-32022" {
			return
		}
		missing, some := "", false
		wire.Items(wire.Get(c.Message.Error, "data", "supported"), func(_ int, v []byte) bool {
			some = text(v) != ""
			return !some
		})
		switch requested := wire.Get(c.Message.Error, "data", "requested"); {
		case !some:
			missing = "which protocol versions it supports"
		case text(requested) == "":
			missing = "which protocol version it refuses"
		default:
			return
		}
		c.ReportAs(missing, diagnose.Finding{
			Message: "The server refused a protocol version (" + frame(c.N) + ") and does not say " + missing + ".",
		})
	},
}
