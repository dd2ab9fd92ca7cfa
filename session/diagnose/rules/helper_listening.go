package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

type listeners struct{ open []listener }

// listener is one subscription.
type listener struct {
	row    int32
	n, ack uint64
	x      uint32 // exchange, 0 on stdio
	id     string // raw JSON
	asked  []byte // the filter of the request
	ended  bool   // the server said that it ends
}

const maxListeners = 1024

// listening returns the subscriptions that are open, and the one that the message in
// hand belongs to, as follow does; no list when the message concerns none.
func listening(c *diagnose.Case) (*listeners, *listener) {
	if c.Call != nil && c.Call.Method != mcp.Listen {
		return nil, nil
	}
	l := diagnose.Memory[listeners](c)
	if len(l.open) == 0 && c.Call == nil {
		return nil, nil
	}
	return l, l.follow(c)
}

// follow keeps the list up to date. It returns the subscription that the
// message in hand belongs to, nil for none: by its exchange, or on stdio by the
// id it names.
func (l *listeners) follow(c *diagnose.Case) *listener {
	if c.Call != nil {
		if c.Call.Method != mcp.Listen || !c.Call.Modern || c.Call.Dir != wire.ToServer {
			return nil
		}
		for i := range l.open {
			if l.open[i].row == c.Call.Row {
				return &l.open[i]
			}
		}
		if c.Message.Kind != wire.MsgRequest || len(l.open) >= maxListeners {
			return nil
		}
		l.open = append(l.open, listener{
			row:   c.Call.Row,
			n:     c.N,
			x:     c.Call.X,
			id:    c.Call.ID,
			asked: wire.Get(c.Call.Params, "notifications"),
		})
		return &l.open[len(l.open)-1]
	}
	id := subscriptionID(c)
	for i := range l.open {
		s := &l.open[i]
		if c.Exchange != nil && s.x == c.Exchange.X || c.Exchange == nil && s.x == 0 && id != "" && sameToken(s.id, id) {
			return s
		}
	}
	return nil
}

// drop forgets a subscription.
func (l *listeners) drop(s *listener) {
	for i := range l.open {
		if &l.open[i] == s {
			l.open = append(l.open[:i], l.open[i+1:]...)
			return
		}
	}
}

// subscriptionID is the subscription that a notification says it is of, raw
// JSON, "" for none.
func subscriptionID(c *diagnose.Case) string {
	return string(wire.Get(c.Param("_meta"), mcp.MetaSubscriptionID))
}
