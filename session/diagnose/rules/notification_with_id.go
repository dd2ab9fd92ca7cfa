package rules

import (
	"bytes"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var notificationWithID = &diagnose.Rule{
	ID:       "notification-with-id",
	Title:    "A notification carries an id, which makes it a request",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Help: diagnose.Help{
		Means: "What has an id is a request and wants a response. The other side knows no request of this name: it responds to that the method does not exist, and the notification is lost.",
		Wire:  `A message whose method begins with "notifications/" has a member "id".`,
		Cause: "A hand-written client puts an id into everything it sends.",
		Fix:   "In the side that sends it: leave the id out of notifications, and wait for no response.",
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
