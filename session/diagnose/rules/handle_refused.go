package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var handleRefused = &diagnose.Rule{
	ID:       "handle-refused",
	Title:    "The server refuses a handle that it issued",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "A call uses a value that an earlier result issued, and the tool does not know it: it has expired, belongs to another session, or the server lost it. This is a session of the application, not of the transport.",
		Wire:  `A value of a result ("[session: d41d…]", browser_id, …) is used as an argument, and the call fails: "unknown session", "not found", "expired".`,
		Cause: "The server was restarted, removed the handle after its time to live, keeps handles per transport session although the client opens a new session for each call, or runs in several instances.",
		Fix:   "In the server: name the way to a new handle in the error, keep handles independent of the transport session, and keep them long enough. In the client: after such an error, call the tool that issues handles again.",
		Spec:  "2026-07-28 basic: state in handles",
		Example: `< tools/call open_page → "[page: p-91f2]"
> tools/call click {"page":"p-91f2"}
< isError: unknown page p-91f2`,
	},
	On:      diagnose.Results | diagnose.Errors,
	Methods: []string{mcp.ToolsCall},
	Check: func(c *diagnose.Case) {
		h := learnHandles(c)
		text := ""
		if c.Call != nil && c.Call.Dir == wire.ToServer {
			text = failure(c)
		}
		if r := (diagnose.Refusal{Text: text}); text == "" || !r.Says("unknown", "not found", "expired", "no such", "invalid", "does not exist", "no longer") {
			return
		}
		h.used(c, func(key string, one *handle) {
			f := diagnose.Finding{
				Confidence: diagnose.Likely,
				Message: "The call " + quote(c.Call.Target) + " (" + frame(c.Call.N) + ") used " + key + " " + quote(one.value) + ", which " +
					quote(one.tool) + " issued (" + frame(one.n) + "), and was refused: " + quote(text) + ".",
				Frames: []uint64{c.Call.N, c.N, one.n},
			}
			switch {
			case one.used > one.n:
				f.Cause = "It worked before (" + frame(one.used) + "): it has expired, or the server lost it."
			case one.session != c.Session.Index:
				f.Cause = "It was issued in another session: the server keeps handles per transport session, and the client opened a new one."
			}
			c.ReportAs(one.value, f)
		})
	},
}
