package rules

import (
	"strings"
	"time"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

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

func (s *eventStreams) drop(row int32) {
	for i := range s.open {
		if s.open[i].row == row {
			s.open = append(s.open[:i], s.open[i+1:]...)
			return
		}
	}
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
