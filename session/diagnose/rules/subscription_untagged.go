package rules

import (
	"bytes"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var subscriptionUntagged = rule("subscription-untagged", diagnose.Messages|diagnose.Settled, checkTag)

func checkTag(c *diagnose.Case) {
	l, s := listening(c)
	switch {
	case l == nil:
	case s == nil:
		untaggedOnStdio(c, l)
	case c.Call != nil:
		if c.N == s.n {
			return
		}
		if c.Kind == session.EventMessage && c.Message.Kind == wire.MsgResult && c.Facts.ServesModern {
			tag := string(wire.Get(c.Result("_meta"), mcp.MetaSubscriptionID))
			mistagged(c, s, "The response", tag)
		}
		l.drop(s)
	case c.Dir != wire.ToClient || string(c.Message.Method) == mcp.NotifyCancelled:
	case !mistagged(c, s, quote(string(c.Message.Method)), subscriptionID(c)):
		granted(c, s)
	}
}

// untaggedOnStdio: on a pipe a change without a tag belongs to no subscription.
func untaggedOnStdio(c *diagnose.Case, l *listeners) {
	if c.Call != nil || c.Exchange != nil || c.Dir != wire.ToClient || !c.IsModern() || c.Blind() {
		return
	}
	method := string(c.Message.Method)
	if mcp.SubscriptionMember(method) == "" && method != mcp.NotifyAcknowledged {
		return
	}
	for i := range l.open {
		if l.open[i].x != 0 {
			continue
		}
		if tag := subscriptionID(c); tag != "" {
			c.Say("other", quote(method)+" ("+frame(c.N)+") belongs to the subscription "+tag+", which is not open. There is "+l.open[i].id+" ("+frame(l.open[i].n)+").",
				c.N, l.open[i].n)
			return
		}
		mistagged(c, &l.open[i], quote(method), "")
		return
	}
}

// mistagged reports a message that does not say which subscription it is of.
func mistagged(c *diagnose.Case, s *listener, what, tag string) bool {
	switch {
	case tag == "":
		c.Say("untagged", what+" ("+frame(c.N)+") does not name in _meta its subscription "+s.id+" ("+frame(s.n)+").",
			c.N, s.n)
	case !sameToken(tag, s.id):
		c.Say("other", what+" ("+frame(c.N)+") names the subscription "+tag+" in _meta, and came on that of "+s.id+" ("+frame(s.n)+").",
			c.N, s.n)
	default:
		return false
	}
	return true
}

// granted reports a notification that was not asked for, or not granted.
func granted(c *diagnose.Case, s *listener) {
	method := string(c.Message.Method)
	if method == mcp.NotifyAcknowledged {
		s.ack, s.grants = c.N, append([]byte(nil), c.Param("notifications")...)
		return
	}
	kind := mcp.SubscriptionMember(method)
	who, filter := "the request did not ask for", s.asked
	if s.ack != 0 && wants(s.asked, kind) {
		who, filter = "the acknowledgement did not grant", s.grants
	}
	if kind != "" && wants(filter, kind) || kind == "" && method != mcp.NotifyMessage && method != mcp.NotifyProgress {
		return
	}
	c.Say(method, quote(method)+" ("+frame(c.N)+") came on the subscription "+s.id+" ("+frame(s.n)+"), and is of a kind that "+who+".",
		c.N, s.n)
}

// wants says whether a filter holds a kind of notification. Whether a resource
// lies below one that was named is the server's to say.
func wants(filter []byte, kind string) bool {
	raw := wire.Get(filter, kind)
	if kind == "resourceSubscriptions" || kind == "taskIds" {
		return wire.IsArray(raw) && !bytes.Equal(bytes.TrimSpace(raw), []byte("[]"))
	}
	return string(raw) == "true"
}
