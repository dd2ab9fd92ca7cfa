package rules

import (
	"bytes"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var notificationWithID = rule("notification-with-id", diagnose.Requests, func(c *diagnose.Case) {
	if !bytes.HasPrefix(c.Message.Method, []byte(mcp.NotificationPrefix)) {
		return
	}
	c.Report(diagnose.Finding{
		Message: c.Named(sender(c)) + " sent " + quote(c.Method()) + " with an id, as if it were a request.",
		Side:    sender(c),
	})
})
