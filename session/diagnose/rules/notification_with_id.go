package rules

import (
	"bytes"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var notificationWithID = &diagnose.Rule{
	ID:       "notification-with-id",
	Title:    "A notification has an id, which makes it a request",
	Brief:    "notification with an id",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	On:       diagnose.Requests,
	Covers:   []string{"initialized-missing"},
	Check: func(c *diagnose.Case) {
		if !bytes.HasPrefix(c.Message.Method, []byte(mcp.NotificationPrefix)) {
			return
		}
		c.Report(diagnose.Finding{
			Message: c.Named(sender(c)) + " sent " + quote(c.Method()) + " with an id, as if it were a request.",
			Side:    sender(c),
		})
	},
}
