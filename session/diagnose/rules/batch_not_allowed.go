package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var batchNotAllowed = rule("batch-not-allowed", diagnose.Messages,
	func(c *diagnose.Case) {
		if !c.Batched || c.ProtocolVersion() == mcp.V20250326 || !published(c.ProtocolVersion()) || !assigned(c) ||
			c.IsModern() && c.Exchange != nil {
			return
		}
		last := diagnose.State[batches](c)
		if c.Dir == wire.ToServer {
			last.client = true
		}
		if last.n == c.N || c.Dir == wire.ToClient && last.client && c.Message.IsResponse() {
			return // of the same batch, or the response to one
		}
		last.n = c.N
		f := diagnose.Finding{
			Message: c.Named(sender(c)) + " sent a batch (" + frame(c.N) + "). Protocol version " + string(c.ProtocolVersion()) + " has none.",
			Side:    sender(c),
		}
		if c.ProtocolVersion() < mcp.V20250326 {
			f.Severity = diagnose.Note // not mentioned there, and JSON-RPC has them
		}
		c.ReportAs("", f)
	})

// batches is what is known of the batches of a session.
type batches struct {
	n      uint64 // frame of the latest
	client bool   // the client has sent one
}
