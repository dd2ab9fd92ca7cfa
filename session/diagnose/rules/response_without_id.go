package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var responseWithoutID = &diagnose.Rule{
	ID:       "response-without-id",
	Title:    "A response does not have the id of its request",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "The request was readable, but its response has null as id, no id, or an invented one. A client matches responses by their id: it drops this one and waits until its time limit. With an HTTP status of 400 or more this does no harm, and is not reported.",
		Wire:  `An error with "id":null, without "id", or with an id such as "server-error", while a request is pending.`,
		Cause: "A layer that has not parsed the message creates the error: a framework's error handler, a gateway, or the HTTP transport of an SDK.",
		Fix:   "In the server: read the id of the request first, and put it into every error for this request.",
		Spec:  "2025-06-18 basic/index: Responses; schema JSONRPCError",
		Example: `> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"search"}}
< {"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}`,
	},
	On: diagnose.Results | diagnose.Errors,
	Check: func(c *diagnose.Case) {
		switch {
		case c.Call != nil:
			otherIDOnHTTP(c)
		case stray(c) && noID(c) && piped(c) && complete(c) && c.Session.Pending > 0 &&
			diagnose.State[budget](c).spend():
			noIDOnPipe(c)
		}
	},
}

// otherIDOnHTTP looks at a response that belongs to its request only because it
// came in its HTTP response.
func otherIDOnHTTP(c *diagnose.Case) {
	// Of a refusal by HTTP the client learns from the status.
	if c.Exchange == nil || c.Exchange.Status >= 400 || string(c.Message.ID) == c.Call.ID ||
		!noID(c) && string(c.Message.ID) != `"server-error"` {
		return
	}
	f := diagnose.Finding{Frames: []uint64{c.N, c.Call.N}, Confidence: diagnose.Certain}
	f.Message = "The server responded to " + about(c.Call) + " under the id " + raw(c.Message.ID) + " instead of " + raw(c.Call.ID) + "."
	if noID(c) {
		f.Message = "The server responded to " + about(c.Call) + " without its id " + raw(c.Call.ID) + "."
	}
	c.ReportAs("http", f)
}

func noIDOnPipe(c *diagnose.Case) {
	if code := errorCode(c); code == mcp.CodeParseError || code == mcp.CodeInvalidRequest ||
		respondedNotification(c) != nil {
		return
	}
	waiting := latestCall(c, c.Dir.Opposite(),
		func(r *session.Row, _ string) bool { return r.Verdict == session.VerdictPending })
	if waiting == nil {
		return
	}
	c.ReportAs("pipe", diagnose.Finding{
		Confidence: diagnose.Likely,
		Message: the(sender(c)) + " sent a response without an id (" + frame(c.N) + "). It probably belongs to " + c.Tracker().Name(waiting.Name) + " (" +
			frame(uint64(waiting.Request)) + "), which is still pending.",
		Frames: []uint64{c.N, uint64(waiting.Request)},
		Side:   sender(c),
	})
}
