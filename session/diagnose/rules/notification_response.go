package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var notificationResponse = rule("notification-response", diagnose.Strays, func(c *diagnose.Case) {
	if !stray(c) || !noID(c) || !piped(c) || !diagnose.State[budget](c).spend() {
		return
	}
	if r := respondedNotification(c); r != nil {
		c.ReportAs("", diagnose.Finding{
			Confidence: diagnose.Likely,
			Message:    c.Named(sender(c)) + " responded to the notification " + quote(c.Tracker().Name(r.Name)) + " (" + frame(r.Request) + ").",
			Frames:     []uint64{c.N, uint64(r.Request)},
			Side:       sender(c),
		})
	}
})

// piped says whether the response in hand came where it is distinguished from
// others by its id alone.
func piped(c *diagnose.Case) bool {
	return overStdio(c) || c.Session != nil && c.Session.Transport == session.TransportSSE && c.Dir == wire.ToClient
}

// respondedNotification is the notification that a response without an id
// responses: the latest message of the other side, when nothing else waits for an
// response or the method is said to be unknown. An error that says that a message
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
