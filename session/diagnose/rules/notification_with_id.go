package rules

import (
	"bytes"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var notificationWithID = &diagnose.Rule{
	ID:       "notification-with-id",
	Title:    "A notification has an id, which makes it a request",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Help: diagnose.Help{
		Means: "A message with an id is a request and requires a response. The other side has no request with this method: it responds that the method does not exist, and the notification is lost.",
		Wire:  `A message whose method begins with "notifications/" has a member "id".`,
		Cause: "A hand-written client puts an id into every message.",
		Fix:   "In the side that sends it: omit the id of notifications, and do not wait for a response.",
		Spec:  "2025-11-25 basic/index: Notifications",
		Example: `> {"jsonrpc":"2.0","id":2,"method":"notifications/initialized"}
< {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}`,
	},
	On:     diagnose.Requests,
	Covers: []string{"initialized-missing"},
	Check: func(c *diagnose.Case) {
		if !bytes.HasPrefix(c.Message.Method, []byte(mcp.NotificationPrefix)) {
			return
		}
		c.Report(diagnose.Finding{
			Message: the(sender(c)) + " sent " + quote(c.Method()) + " with an id, as if it were a request.",
			Side:    sender(c),
		})
	},
}
