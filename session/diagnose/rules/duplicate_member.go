package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var duplicateMember = &diagnose.Rule{
	ID:       "duplicate-member",
	Title:    "An object in a message has a member twice",
	Severity: diagnose.Note,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means:   "JSON does not define which of two members with the same name counts. Most peers use the last one, some the first. The two sides, or a gateway between them, may understand different values.",
		Wire:    `A message, or an object in it, has the same member more than once: "id", "method", "name" of params, an argument. midwire shows the last one.`,
		Cause:   "The message is built as text, or a wrapper adds a member that exists already.",
		Fix:     "In the side that sends it: build messages with a JSON library from one structure.",
		Spec:    "2025-11-25 basic/index: Messages; RFC 8259 section 4",
		Example: `> {"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}`,
	},
	On: diagnose.Requests | diagnose.Notifications | diagnose.Results | diagnose.Errors,
	Check: func(c *diagnose.Case) {
		if name, ok := wire.Duplicate(c.Message.Raw); ok {
			c.ReportAs("", diagnose.Finding{
				Message: the(sender(c)) + " sent a message (" + frame(c.N) + ") in which an object has the member " + quote(name) + " twice.",
				Side:    sender(c),
			})
		}
	},
}
