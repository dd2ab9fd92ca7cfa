package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var notificationAnswered = &diagnose.Rule{
	ID:       "notification-answered",
	Title:    "A notification was answered",
	Severity: diagnose.Error,
	Fault:    diagnose.Server,
	Lint:     "L-05",
	Help: diagnose.Help{
		Means: "Notifications get no answer. The response has no id that anybody waits for: some clients log an error for it, strict ones break off.",
		Wire:  `Behind a notification comes a response with "id":null or without an id, often "Method not found".`,
		Cause: "A hand-written server answers whatever it does not know, and does not ask first whether the message has an id.",
		Fix:   "In the side that answers: when a message has no id, send nothing back, not even an error.",
		Spec:  "2025-11-25 basic/index: Notifications",
		Example: `> {"jsonrpc":"2.0","method":"notifications/initialized"}
< {"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found: notifications/initialized"}}`,
	},
	On: diagnose.Results | diagnose.Errors,
	Check: func(c *diagnose.Case) {
		if !stray(c) || !noID(c) || !piped(c) || !diagnose.State[budget](c).spend() {
			return
		}
		if r := respondedNotification(c); r != nil {
			c.ReportAs("", diagnose.Finding{
				Confidence: diagnose.Likely,
				Message:    the(sender(c)) + " answered the notification " + quote(c.Tracker().Name(r.Name)) + " (" + frame(uint64(r.Request)) + ").",
				Frames:     []uint64{c.N, uint64(r.Request)},
				Fault:      sender(c),
			})
		}
	},
}

// piped says whether the response in hand came where it is told apart from
// others by its id alone.
func piped(c *diagnose.Case) bool {
	return overStdio(c) || c.Session != nil && c.Session.Transport == session.TransportSSE && c.Dir == wire.ToClient
}

// answeredNotification is the notification that a response without an id
// answers: the latest message of the other side, when nothing else waits for an
// answer or the method is said to be unknown. An error that says that a message
// could not be read is none.
func respondedNotification(c *diagnose.Case) *session.Row {
	if code := errorCode(c); code == mcp.CodeParseError || code == mcp.CodeInvalidRequest {
		return nil
	}
	r := latestFrom(c, c.Dir.Opposite())
	if r == nil || r.Kind != session.RowNotification ||
		c.Session.Pending > 0 && errorCode(c) != mcp.CodeMethodNotFound {
		return nil
	}
	return r
}

// latestFrom is the latest message, or noise, that went that way.
func latestFrom(c *diagnose.Case, d wire.Dir) *session.Row {
	return latest(c, func(r *session.Row) bool {
		return r.Dir == d && (r.Kind == session.RowCall || r.Kind == session.RowNotification ||
			r.Kind == session.RowNoise || r.Kind == session.RowResponse)
	})
}
