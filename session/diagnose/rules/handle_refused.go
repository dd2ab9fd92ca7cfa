package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var handleRefused = &diagnose.Rule{
	ID:       "handle-refused",
	Title:    "A handle that a result had handed out is not accepted",
	Severity: diagnose.Warning,
	Fault:    diagnose.Server,
	Lint:     "handles",
	Help: diagnose.Help{
		Means: "A call passes back a value that an earlier result had handed out, and the tool does not know it: it has expired, belongs to another session, or the server lost it. This is the application's session, not the transport's.",
		Wire:  `A value of a result ("[session: d41d…]", browser_id, …) comes back as an argument, and the call fails: "unknown session", "not found", "expired".`,
		Cause: "The server was restarted, swept the handle after its time to live, keeps handles by transport session although the client opens a new one for each call, or runs in several copies.",
		Fix:   "In the server: say in the error how to get a new handle, keep handles independent of the transport session, and long enough. In the client: on such an error, call the tool that hands them out again.",
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
		h.passed(c, func(key string, one *handle) {
			f := diagnose.Finding{
				Confidence: diagnose.Likely,
				Message: "The call " + quote(c.Call.Target) + " (" + frame(c.Call.N) + ") passed " + key + " " + quote(one.value) + ", which " +
					quote(one.tool) + " had handed out (" + frame(one.n) + "), and was refused: " + quote(text) + ".",
				Frames: []uint64{c.Call.N, c.N, one.n},
			}
			switch {
			case one.used > one.n:
				f.Cause = "It had worked before (" + frame(one.used) + "): it has expired, or the server lost it."
			case one.session != c.Session.Index:
				f.Cause = "It was handed out in another session: the server keeps handles by transport session, and the client opened a new one."
			}
			c.ReportAs(one.value, f)
		})
	},
}
