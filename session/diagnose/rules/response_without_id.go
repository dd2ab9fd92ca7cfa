package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var responseWithoutID = rule("response-without-id", diagnose.Results|diagnose.Errors, func(c *diagnose.Case) {
	switch {
	case c.Call != nil:
		otherIDOnHTTP(c)
	case stray(c) && noID(c) && piped(c) && complete(c) && c.Session.Pending > 0 &&
		diagnose.State[budget](c).spend():
		noIDOnPipe(c)
	}
})

// otherIDOnHTTP looks at a response that belongs to its request only because it
// came in its HTTP response.
func otherIDOnHTTP(c *diagnose.Case) {
	// Of a refusal by HTTP the client learns from the status.
	if c.Exchange == nil || c.Exchange.Status >= 400 || string(c.Message.ID) == c.Call.ID ||
		!noID(c) && string(c.Message.ID) != `"server-error"` || noID(c) && unparsed(c) {
		return
	}
	f := diagnose.Finding{Frames: []uint64{c.N, c.Call.N}, Confidence: diagnose.Certain}
	f.Message = c.Server() + " responded to " + about(c.Call) + " under the id " + raw(c.Message.ID) + " instead of " + raw(c.Call.ID) + "."
	if noID(c) {
		f.Message = c.Server() + " responded to " + about(c.Call) + " without its id " + raw(c.Call.ID) + "."
	}
	c.ReportAs("http", f)
}

// unparsed says whether an error is one that has no id: of a request that could not be
// read (JSON-RPC 2.0, section 5).
func unparsed(c *diagnose.Case) bool {
	code := errorCode(c)
	return code == mcp.CodeParseError || code == mcp.CodeInvalidRequest
}

func noIDOnPipe(c *diagnose.Case) {
	if unparsed(c) || respondedNotification(c) != nil {
		return
	}
	waiting := latestCall(c, c.Dir.Opposite(),
		func(r *session.Row, _ string) bool { return r.Ending.Open() })
	if waiting == nil {
		return
	}
	c.ReportAs("pipe", diagnose.Finding{
		Confidence: diagnose.Likely,
		Message: c.Named(sender(c)) + " sent a response without an id (" + frame(c.N) + "). It probably belongs to " + c.Tracker().Name(waiting.Name) + " (" +
			frame(waiting.Request) + "), which is still pending.",
		Frames: []uint64{c.N, uint64(waiting.Request)},
		Side:   sender(c),
	})
}
