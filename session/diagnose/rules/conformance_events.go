package rules

import (
	"slices"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// eventsConformance are those of the extension io.modelcontextprotocol/events (SEP-3415).
var eventsConformance = []formal{
	{
		id: "events-declared-elsewhere", on: diagnose.Results | diagnose.Finish, methods: mcp.ExtensionByID(mcp.ExtensionEvents).All(),
		check: func(c *diagnose.Case) {
			used := diagnose.State[bool](c)
			if c.N != 0 {
				*used = true
				return
			}
			x, made := mcp.ExtensionByID(mcp.ExtensionEvents), &c.Facts.Offered
			dialect := dialectOf(made, x)
			if !*used && dialect != "" && !diagnose.Capability(made.Caps, "extensions", x.ID) {
				c.Say("", c.Server()+" declares events as the capability "+quote(dialect)+" ("+frame(made.N)+") and not as the extension "+quote(x.ID)+". Nobody asked for events in this session: a client that reads the extensions, as SEP-3415 says, finds none.",
					made.N)
			}
		},
	},
	{
		id: "event-stream-irregular", on: diagnose.Messages | diagnose.Settled, methods: mcp.ExtensionByID(mcp.ExtensionEvents).All(),
		check: checkEventStream,
	},
	{
		id: "event-refresh-late", on: diagnose.Requests | diagnose.Results,
		check: checkRefresh,
	},
	{
		id: "webhook-headers-missing", on: diagnose.OtherRequests,
		wrong: func(c *diagnose.Case) (key, says string) {
			hook := webhookIn(c)
			if hook == nil {
				return "", ""
			}
			missing := missingWebhookHeaders(c)
			if missing == "" {
				return "", ""
			}
			return missing, "The webhook (" + frame(hook.n) + ") lacks " + missing + ": its receiver cannot tell whose it is, or verify it."
		},
	},
	{
		id: "webhook-challenge-unanswered", on: diagnose.OtherRequests | diagnose.OtherBodies | diagnose.OtherEnds,
		check: checkChallenge,
	},
	{
		id: "webhook-signature-wrong", on: diagnose.Taps,
		check: func(c *diagnose.Case) {
			if c.Frame == nil || c.Frame.Kind != wire.KindNote || text(wire.Get(c.Data, "webhook")) != wire.WebhookWrong {
				return
			}
			n, _ := wire.Int(wire.Get(c.Data, "request"))
			if n <= 0 || uint64(n) >= c.N {
				return
			}
			c.Say("", "The signature of the webhook ("+frame(uint64(n))+") is not that of its secret: "+text(wire.Get(c.Data, "text"))+" ("+frame(c.N)+"). A receiver must refuse it.",
				uint64(n), c.N)
		},
	},
}

// checkEventStream: a stream is confirmed first, and whatever comes on it says so.
func checkEventStream(c *diagnose.Case) {
	s := diagnose.Memory[eventStreams](c)
	if c.Call != nil {
		switch {
		case c.Call.Method != mcp.EventsStream || c.Call.Dir != wire.ToServer:
		case c.Kind == session.EventMessage && c.Message.Kind == wire.MsgRequest:
			if len(s.open) < maxListeners {
				s.open = append(s.open, eventStream{row: c.Call.Row, n: c.N, x: c.Call.X, id: c.Call.ID})
			}
		default:
			s.open = slices.DeleteFunc(s.open, func(one eventStream) bool { return one.row == c.Call.Row })
		}
		return
	}
	method := string(c.Message.Method)
	if x, _ := mcp.ExtensionOf(method); x == nil || x.ID != mcp.ExtensionEvents || c.Dir != wire.ToClient || c.Blind() {
		return
	}
	if method == mcp.NotifyEventsListChanged { // that comes on subscriptions/listen
		return
	}
	of, sure := s.streamOf(c)
	switch id := subscriptionID(c); {
	case of == nil:
		return // it may have ended meanwhile
	case id == "":
		c.Say("untagged", quote(method)+" ("+frame(c.N)+") does not name in _meta its subscription "+of.id+" ("+frame(of.n)+").", c.N, of.n)
	case !sameToken(id, of.id) && sure:
		c.Say("other", quote(method)+" ("+frame(c.N)+") names the subscription "+id+" in _meta, and there is "+of.id+" ("+frame(of.n)+").", c.N, of.n)
		return
	}
	if sure && !of.active && !of.told && method != mcp.NotifyEventsActive && method != mcp.NotifyEventsTerminated {
		of.told = true
		c.Say("unconfirmed", "The first message of the subscription "+of.id+" ("+frame(of.n)+") is "+quote(method)+" ("+frame(c.N)+"), and not "+quote(mcp.NotifyEventsActive)+", which confirms it.",
			c.N, of.n)
	}
	of.active = of.active || method == mcp.NotifyEventsActive
}

// checkRefresh: a webhook subscription is refreshed before it ends.
func checkRefresh(c *diagnose.Case) {
	if c.Call == nil || c.Session == nil || c.Call.Dir != wire.ToServer {
		return
	}
	all := made(diagnose.State[map[uint64]subscription](c))
	if len(all) == 0 && c.Call.Method != mcp.EventsSubscribe {
		return
	}
	key := subscriptionKey(c.Call.Params)
	switch {
	case c.Call.Method == mcp.EventsUnsubscribe:
		delete(all, key)
	case c.Message.Kind == wire.MsgRequest:
		one, known := all[key]
		if c.Call.Method != mcp.EventsSubscribe || !known || c.T <= one.due {
			lapsed(c, all)
			return
		}
		delete(all, key)
		c.Say(one.name, c.Client()+" refreshed the subscription to "+quote(one.name)+" ("+frame(c.N)+") "+seconds(c.T-one.due)+" after it ended ("+one.until+", "+frame(one.answer)+"): what happened meanwhile may be lost.",
			c.N, one.answer)
	case c.Call.Method == mcp.EventsSubscribe:
		if due, ok := grantedUntil(c); ok && len(all) < maxSubscriptions {
			all[key] = subscription{
				n: c.Call.N, answer: c.N, name: text(wire.Get(c.Call.Params, "name")), until: text(c.Result("refreshBefore")), due: due,
			}
		} else {
			delete(all, key)
		}
	}
}

// lapsed notes subscriptions that ended while their client goes on with other things.
func lapsed(c *diagnose.Case, all map[uint64]subscription) {
	const patience = 5e9
	for key, one := range all {
		if c.T-one.due < patience {
			continue
		}
		delete(all, key)
		c.ReportAs("lapsed"+one.name, diagnose.Finding{
			Severity: diagnose.Note, Harmless: true,
			Message: "The subscription to " + quote(one.name) + " ended (" + one.until + ", " + frame(one.answer) + "), and the client went on (" + frame(c.N) + ") without refreshing it: no more events come.",
			Frames:  []uint64{one.answer, c.N},
		})
	}
}

// checkChallenge: whoever stands at the callback sends the challenge of a verification
// back, or no event ever comes.
func checkChallenge(c *diagnose.Case) {
	open := made(diagnose.Memory[map[uint32]webhook](c))
	x := c.Exchange
	if c.Kind == session.EventRequest {
		if hook := webhookIn(c); hook != nil && hook.kind == "verification" && hook.challenge != "" && len(open) < maxSubscriptions {
			open[x.X] = *hook
		}
		return
	}
	hook, known := open[x.X]
	if !known || c.Kind == session.EventEnd && x.Status == 0 {
		delete(open, x.X)
		return
	}
	delete(open, x.X)
	said := ""
	switch {
	case x.Status < 200 || x.Status > 299:
		said = "answered it with status " + number(x.Status)
	case c.Kind == session.EventEnd:
		said = "answered it without a body"
	case text(wire.Get(c.Data, "challenge")) != hook.challenge:
		said = "did not send the challenge back"
	default:
		return
	}
	c.ReportAs(said, diagnose.Finding{
		Message: "The server asked for a verification of the callback (" + frame(hook.n) + "), and its receiver " + said + " (" + frame(x.ResponseN) + "): no event is delivered.",
		Frames:  headFrames(x),
	})
}

type eventStreams struct{ open []eventStream }

// eventStream is one of them.
type eventStream struct {
	row    int32
	n      uint64
	x      uint32 // exchange, 0 on stdio
	id     string // raw JSON
	active bool   // it was confirmed
	told   bool   // that it was not
}

// streamOf is the open stream that the notification in hand came on, or on a pipe says
// that it is of; nil for none. only says that there is no other one on that pipe.
func (s *eventStreams) streamOf(c *diagnose.Case) (of *eventStream, only bool) {
	id := subscriptionID(c)
	var some []*eventStream
	for i := range s.open {
		one := &s.open[i]
		switch {
		case c.Exchange != nil && one.x == c.Exchange.X:
			return one, true
		case c.Exchange == nil && one.x == 0 && id != "" && sameToken(one.id, id):
			return one, true
		case c.Exchange == nil && one.x == 0:
			some = append(some, one)
		}
	}
	if len(some) == 0 {
		return nil, false
	}
	return some[0], len(some) == 1
}

// subscription is a webhook subscription that was granted for some time.
type subscription struct {
	n, answer uint64 // frames of the latest events/subscribe and its response
	name      string
	until     string
	due       int64 // when it ends, nanoseconds since the recording started
}

const maxSubscriptions = 1024

// subscriptionKey is what makes two events/subscribe the same subscription.
func subscriptionKey(params []byte) uint64 {
	return hashOf(text(wire.Get(params, "name")), string(wire.Get(params, "arguments")), text(wire.Get(params, "delivery", "url")))
}

// grantedUntil is when the subscription of the result in hand ends, by the clock of the
// server that says so; false where it has no end, or where no clock is known.
func grantedUntil(c *diagnose.Case) (due int64, ok bool) {
	until, err := time.Parse(time.RFC3339, text(c.Result("refreshBefore")))
	if err != nil {
		return 0, false
	}
	if c.Exchange != nil {
		if now, err := time.Parse(time.RFC1123, c.Exchange.ResponseHeader("Date")); err == nil {
			return c.T + int64(until.Sub(now)), true
		}
	}
	if now := c.Clock(); now != 0 {
		return c.T + until.UnixNano() - now, true
	}
	return 0, false
}

// webhook is a POST of a server to the callback of a subscription.
type webhook struct {
	n         uint64 // frame of its head
	kind      string // "event", or the type of a control envelope
	challenge string // of a verification
}

// webhookIn is the webhook that the HTTP request in hand is, nil for none: its body is
// an event, or one of the envelopes of SEP-3415.
func webhookIn(c *diagnose.Case) *webhook {
	x := c.Exchange
	if x.Verb != "POST" || x.Header(mcp.HeaderWebhookSignature) == "" && x.Header(mcp.HeaderSubscriptionID) == "" {
		return nil
	}
	kind := mcp.WebhookKind(text(wire.Get(c.Data, "type")), wire.Get(c.Data, "eventId") != nil)
	if kind == "" {
		return nil
	}
	return &webhook{n: uint64(x.RequestN), kind: kind, challenge: text(wire.Get(c.Data, "challenge"))}
}

// missingWebhookHeaders are those that the request in hand lacks.
func missingWebhookHeaders(c *diagnose.Case) string {
	var missing []string
	for _, name := range []string{
		mcp.HeaderWebhookID, mcp.HeaderWebhookTimestamp, mcp.HeaderWebhookSignature, mcp.HeaderSubscriptionID,
	} {
		if c.Exchange.Header(name) == "" {
			missing = append(missing, name)
		}
	}
	return strings.Join(missing, ", ")
}
