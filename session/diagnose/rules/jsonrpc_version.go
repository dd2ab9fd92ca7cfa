package rules

import "midwire/session/diagnose"

var jsonrpcVersion = &diagnose.Rule{
	ID:       "jsonrpc-version",
	Title:    `A message lacks "jsonrpc":"2.0"`,
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: `Every message must have "jsonrpc":"2.0", as a string. Peers that validate messages drop all others, often silently.`,
		Wire:  `The member "jsonrpc" is missing, or it is 2.0 without quotes, "1.0" or anything else.`,
		Cause: "A hand-written peer, or a JSON-RPC library whose default is version 1.0.",
		Fix:   `In the side that sends it: put "jsonrpc":"2.0" into every message.`,
		Spec:  "2025-11-25 basic/index: Messages",
		Example: `< {"id":1,"result":{"tools":[]}}
< {"jsonrpc":2.0,"id":1,"result":{"tools":[]}}`,
	},
	On: diagnose.Requests | diagnose.Notifications | diagnose.Results | diagnose.Errors,
	Check: func(c *diagnose.Case) {
		if string(c.Message.Version) == `"2.0"` {
			return
		}
		what := `with "jsonrpc":` + string(c.Message.Version[:min(len(c.Message.Version), 40)])
		if c.Message.Version == nil {
			what = `without "jsonrpc"`
		}
		c.ReportAs(what, diagnose.Finding{
			Message: the(sender(c)) + " sent a message (" + frame(c.N) + ") " + what + `. It must be "2.0".`,
			Side:    sender(c),
		})
	},
}
