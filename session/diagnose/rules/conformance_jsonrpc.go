package rules

import (
	"bytes"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// jsonrpcConformance are those of JSON-RPC: ids, responses, batches.
var jsonrpcConformance = []formal{
	{id: "notification-with-id", on: diagnose.Requests, bySender: true, alike: true, wrong: func(c *diagnose.Case) (string, fill) {
		return iff(bytes.HasPrefix(c.Message.Method, []byte(mcp.NotificationPrefix)), c.Method())
	}},
	{
		id: "unknown-response", on: diagnose.Strays,
		check: func(c *diagnose.Case) {
			if !stray(c) || noID(c) || !assigned(c) || !complete(c) || !ownChannel(c) ||
				!diagnose.State[budget](c).spend() {
				return
			}
			if mistyped(c) != nil {
				return
			}
			id := string(c.Message.ID)
			if latestCall(c, c.Dir.Opposite(), func(_ *session.Row, other string) bool { return other == id }) != nil {
				return
			}
			text, frames := strayOf(c, id)
			blameSender(c, "", text, frames...)
		},
	},
	{
		id: "duplicate-response", on: diagnose.Strays,
		check: func(c *diagnose.Case) {
			if !stray(c) || noID(c) || !assigned(c) && c.Exchange == nil || !diagnose.State[budget](c).spend() {
				return
			}
			if c.Exchange != nil && c.Exchange.Status >= 400 {
				return // HTTP refuses what had its response elsewhere: a gateway gave up waiting
			}
			call := respondedCall(c)
			if call == nil {
				return
			}
			f := diagnose.Finding{Side: sender(c), Frames: []uint64{c.N, uint64(call.Response), uint64(call.Request)}}
			f.Message = c.Named(f.Side) + " responded to " + c.Tracker().Name(call.Name) + " (" + frame(call.Request) +
				") a second time. The first response was " + frame(call.Response) + "."
			waits := latestCall(c, c.Dir.Opposite(), func(r *session.Row, _ string) bool {
				return r.Response == 0 && r.Request > call.Response
			})
			key := ""
			if waits != nil && c.Message.Kind == wire.MsgResult {
				f.Frames = append(f.Frames, uint64(waits.Request))
				f.Message += " The request " + c.Tracker().Name(waits.Name) + " (" + frame(waits.Request) +
					") was waiting for its own: this is likely that, with a wrong id."
				key = "wrong id"
				advise(&f, "wrong id")
			}
			f.Seen = key == "" // either may be the wrong one: another client's, or one sent twice
			c.ReportAs(key, f)
		},
	},
	{
		id: "batch-not-allowed", on: diagnose.Batches,
		check: func(c *diagnose.Case) {
			if c.ProtocolVersion() == mcp.V20250326 || !published(c.ProtocolVersion()) || !assigned(c) ||
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
		},
	},
	{
		id: "notification-response", on: diagnose.Strays,
		check: func(c *diagnose.Case) {
			if !stray(c) || !noID(c) || !piped(c) || !diagnose.State[budget](c).spend() {
				return
			}
			if r := respondedNotification(c); r != nil {
				c.ReportAs("", diagnose.Finding{
					Message: c.Named(sender(c)) + " responded to the notification " + quote(c.Tracker().Name(r.Name)) + " (" + frame(r.Request) + ").",
					Frames:  []uint64{c.N, uint64(r.Request)},
					Side:    sender(c),
				})
			}
		},
	},
	{
		id: "late-response", on: diagnose.Results | diagnose.Errors | diagnose.Notifications | diagnose.ClientEnds,
		check: func(c *diagnose.Case) {
			if c.Kind == endKind {
				leftBefore(c)
				return
			}
			limits := made(diagnose.State[map[int32]bool](c))
			if c.Kind == messageKind && c.Call == nil {
				if g, ok := gaveUp(c); ok && g.timed() && len(limits) < maxAbandoned {
					limits[g.Row] = true
				}
				return
			}
			if c.Call == nil || c.Call.Cancel == 0 || c.T-c.Call.CancelT < 1e9 || mcp.StaysOpen(c.Call.Method) {
				return
			}
			late := seconds(c.T - c.Call.CancelT)
			if !limits[c.Call.Row] {
				blameSender(c, "", "responded to "+about(c.Call)+" "+late+" after the cancellation ("+frame(c.Call.Cancel)+").",
					c.N, c.Call.Cancel, c.Call.N)
				return
			}
			asker := sideOf(c.Call.Dir)
			f := diagnose.Finding{
				Side: asker, Brief: "gave up too soon",
				Message: c.Named(asker) + " gave up " + about(c.Call) + " after " +
					seconds(c.Call.CancelT-c.Call.T) + " (" + frame(c.Call.Cancel) +
					"), and the response came " + late + " later (" + frame(c.N) + "): its time limit is too short for this request.",
				Frames: []uint64{c.N, c.Call.Cancel, c.Call.N},
			}
			advise(&f, "limit too short")
			c.ReportAs("limit", f)
		},
	},
	{
		id: "method-misspelled", on: diagnose.Notifications | diagnose.Errors,
		check: func(c *diagnose.Case) {
			sent := string(c.Message.Method)
			f := diagnose.Finding{Side: sender(c), Frames: []uint64{c.N}}
			if c.Message.Kind != wire.MsgNotification { // a server may know the other name too
				if c.Call == nil {
					return
				}
				sent, f.Side, f.Frames = c.Call.Method, sideOf(c.Call.Dir), []uint64{c.Call.N, c.N}
			}
			meant := mcp.Misspelled(sent, c.Message.Kind == wire.MsgNotification)
			if meant == "" {
				return
			}
			f.Message = c.Named(f.Side) + " sent " + quote(sent) + " (" + frame(f.Frames[0]) + "). The protocol has no such method; it is called " + quote(meant)
			if c.Message.Kind == wire.MsgNotification {
				f.Message += ", and nobody has to tell the sender: the notification has no effect"
			} else {
				f.Message += ", and the request was refused (" + frame(c.N) + ")"
			}
			f.Message += "."
			if init := initOf(c); meant == mcp.NotifyInitialized && init != nil && init.ResponseN != 0 {
				f.Frames = append(f.Frames, init.ResponseN)
				f.Message += " The server goes on waiting for the end of the handshake, and may refuse all that follows."
			}
			c.ReportAs(sent, f)
		},
	},
}

// ownChannel says whether responses are distinguished by their id alone: on a pipe,
// on the stream of HTTP+SSE, and what a client posts. A response to a POST is the
// business of the rules for HTTP.
func ownChannel(c *diagnose.Case) bool {
	if sender(c) == diagnose.Client {
		// A stream that midwire cannot read may hold the request.
		return !c.IsModern() && (overStdio(c) || c.Session.Noise == 0)
	}
	return overStdio(c) || c.Session.Transport == session.TransportSSE
}

// respondedCall is the call with the id of the stray response in hand that had
// its response already, nil for none. Over Streamable HTTP it counts only on the
// response of its own request: streams may be played again, and clients may post
// a response once more that HTTP refused.
func respondedCall(c *diagnose.Case) *session.Row {
	id := string(c.Message.ID)
	piped := overStdio(c) || c.Session.Transport == session.TransportSSE && sender(c) == diagnose.Server
	return latestCall(c, c.Dir.Opposite(), func(r *session.Row, other string) bool {
		return other == id && r.Response != 0 &&
			(piped || c.Exchange != nil && r.X == c.Exchange.X && sender(c) == diagnose.Server)
	})
}

// mistyped is the unanswered call that the response in hand means, if its id
// had the right type; nil for none.
func mistyped(c *diagnose.Case) *session.Row {
	id := string(c.Message.ID)
	return latestCall(c, c.Dir.Opposite(), func(r *session.Row, other string) bool {
		return r.Response == 0 && otherType(id, other)
	})
}

// batches is what is known of the batches of a session.
type batches struct {
	n      uint64 // frame of the latest
	client bool   // the client has sent one
}

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
