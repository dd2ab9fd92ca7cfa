package rules

import (
	"bytes"
	"unicode/utf8"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// jsonrpcConformance are those of JSON-RPC: ids, responses, batches.
var jsonrpcConformance = []*diagnose.Rule{
	{ID: "notification-with-id", On: diagnose.Requests, Alike: true, Check: func(c *diagnose.Case) {
		if bytes.HasPrefix(c.Message.Method, []byte(mcp.NotificationPrefix)) {
			c.Blame("", c.Method(), nil)
		}
	}},
	{ID: "jsonrpc-version", On: diagnose.Messages, Alike: true, Check: func(c *diagnose.Case) {
		switch version := string(c.Message.Version); version {
		case `"2.0"`:
		case "":
			c.Blame("without", "without", nil)
		default:
			c.Blame("with", version, fill{"version": raw(version)})
		}
	}},
	{ID: "unknown-response", On: diagnose.Strays, Check: func(c *diagnose.Case) {
		if !stray(c) || noID(c) || !assigned(c) || !complete(c) || !ownChannel(c) ||
			!diagnose.State[budget](c).spend() {
			return
		}
		id := string(c.Message.ID)
		known := latestCall(c, c.Dir.Opposite(), func(r *session.Row, other string) bool {
			return other == id || r.Response == 0 && otherType(id, other)
		})
		if known != nil {
			return
		}
		frames, other := []uint64{c.N}, waitsElsewhere(c, id)
		if other != 0 {
			frames = []uint64{other, c.N}
		}
		c.Blame("", "", fill{"id": raw(id), "other": other}, frames...)
	}},
	{ID: "duplicate-response", On: diagnose.Strays, Check: func(c *diagnose.Case) {
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
		f := diagnose.Finding{Side: c.Sender(), Frames: []uint64{c.N, uint64(call.Response), uint64(call.Request)}}
		f.With = fill{"op": c.Tracker().Name(call.Name), "asked": call.Request, "first": call.Response}
		waits := latestCall(c, c.Dir.Opposite(), func(r *session.Row, _ string) bool {
			return r.Response == 0 && r.Request > call.Response
		})
		key := ""
		if waits != nil && c.Message.Kind == wire.MsgResult {
			key = "wrong id"
			f.Frames = append(f.Frames, uint64(waits.Request))
			f.With["waits"], f.With["since"] = c.Tracker().Name(waits.Name), waits.Request
			advise(&f, "wrong id")
		}
		f.Seen = key == "" // either may be the wrong one: another client's, or one sent twice
		c.ReportAs(key, f)
	}},
	{ID: "batch-not-allowed", On: diagnose.Batches, Check: func(c *diagnose.Case) {
		version := c.ProtocolVersion()
		if version == mcp.V20250326 || !published(version) || !assigned(c) || c.IsModern() && c.Exchange != nil {
			return
		}
		last := diagnose.State[batches](c)
		last.client = last.client || c.Dir == wire.ToServer
		if last.n == c.N || c.Dir == wire.ToClient && last.client && c.Message.IsResponse() {
			return // of the same batch, or the response to one
		}
		last.n = c.N
		f := diagnose.Finding{Side: c.Sender()}
		if version < mcp.V20250326 {
			f.Severity = diagnose.Note // not mentioned there, and JSON-RPC has them
		}
		c.ReportAs("", f)
	}},
	{ID: "notification-response", On: diagnose.Strays, Check: func(c *diagnose.Case) {
		if !stray(c) || !noID(c) || !piped(c) || !diagnose.State[budget](c).spend() {
			return
		}
		if r := respondedNotification(c); r != nil {
			c.Blame("", "", fill{"op": c.Tracker().Name(r.Name), "asked": r.Request}, c.N, uint64(r.Request))
		}
	}},
	{
		ID: "late-response", On: diagnose.Results | diagnose.Errors | diagnose.Notifications | diagnose.ClientEnds,
		Check: func(c *diagnose.Case) {
			if c.Kind == endKind {
				leftBefore(c)
				return
			}
			limits := made(diagnose.State[map[int32]bool](c))
			if c.Kind == messageKind && c.Call == nil {
				if g, ok := gaveUp(c); ok && g.timed() && len(limits) < maxPaths {
					limits[g.Row] = true
				}
				return
			}
			if c.Call == nil || c.Call.Cancel == 0 || c.T-c.Call.CancelT < 1e9 || mcp.StaysOpen(c.Call.Method) {
				return
			}
			frames := []uint64{c.N, c.Call.Cancel, c.Call.N}
			with := fill{"late": seconds(c.T - c.Call.CancelT), "cancel": c.Call.Cancel}
			if !limits[c.Call.Row] {
				c.Blame("", "", with, frames...)
				return
			}
			asker := sideOf(c.Call.Dir)
			with["asker"], with["limit"] = c.Named(asker), seconds(c.Call.CancelT-c.Call.T)
			c.ReportAs("limit", withAdvice("limit too short", diagnose.Finding{
				Side: asker, Brief: "gave up too soon", Says: "limit", With: with, Frames: frames,
			}))
		},
	},
	{ID: "method-misspelled", On: diagnose.Notifications | diagnose.Errors, Check: func(c *diagnose.Case) {
		sent, notification := string(c.Message.Method), c.Message.Kind == wire.MsgNotification
		f := diagnose.Finding{Says: "notification", Side: c.Sender(), Frames: []uint64{c.N}}
		if !notification { // a server may know the other name too
			if c.Call == nil {
				return
			}
			sent, f.Says, f.Side, f.Frames = c.Call.Method, "request", sideOf(c.Call.Dir), []uint64{c.Call.N, c.N}
		}
		meant := mcp.Misspelled(sent, notification)
		if meant == "" {
			return
		}
		f.With = fill{"by": c.Named(f.Side), "sent": sent, "meant": meant}
		if init := initOf(c); meant == mcp.NotifyInitialized && init != nil && init.ResponseN != 0 {
			f.With["init"], f.Frames = init.ResponseN, append(f.Frames, init.ResponseN)
		}
		c.ReportAs(sent, f)
	}},
	{ID: "invalid-utf8", On: diagnose.Foreign, Check: func(c *diagnose.Case) {
		if utf8.Valid(c.Message.Raw) {
			return
		}
		c.Blame("", "", fill{"bytes": badBytes(c.Message.Raw)})
	}},
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
	r := latest(c, func(r *session.Row) bool {
		return r.Dir == c.Dir.Opposite() && (r.Kind == session.RowCall || r.Kind == session.RowNotification ||
			r.Kind == session.RowNoise || r.Kind == session.RowResponse)
	})
	if r == nil || r.Kind != session.RowNotification ||
		c.Session.Pending > 0 && errorCode(c) != mcp.CodeMethodNotFound {
		return nil
	}
	return r
}

// leftBefore looks at a response that came after its client had closed the connection.
func leftBefore(c *diagnose.Case) {
	g, ok := gaveUp(c)
	r := rowOf(c)
	if !ok || r.Ending != session.Late || r.Modern { // of 2026-07-28 it is how a client cancels
		return
	}
	c.ReportAs("limit", withAdvice("limit too short", diagnose.Finding{
		Side: diagnose.Client, Brief: "gave up too soon", Frames: []uint64{uint64(r.Response), g.N, c.N},
		Says: "left", With: fill{
			"op": g.Method, "asked": g.N, "limit": seconds(g.waited), "late": seconds(r.End - g.T - g.waited), "came": r.Response,
		},
	}))
}

// badBytes is what stands around the first bytes that are not UTF-8.
func badBytes(b []byte) string {
	at := 0
	for at < len(b) {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return string(b[max(0, at-20):min(len(b), at+12)])
}
