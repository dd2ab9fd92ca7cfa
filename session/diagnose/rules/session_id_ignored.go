package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var sessionIDIgnored = rule("session-id-ignored", diagnose.Requests|diagnose.Notifications, func(c *diagnose.Case) {
	in, x := initOf(c), c.Exchange
	if x == nil || in == nil || in.ResponseN == 0 || c.Modern || c.Dir != wire.ToServer || exempt[c.Method()] ||
		c.Session.Transport != session.TransportHTTP ||
		c.Session.IDSource != session.IDReplaced && c.Session.IDSource != session.IDServer {
		return
	}
	id := x.SessionID
	if id == "" || id == c.Session.ID || uint64(x.RequestN) < in.ResponseN {
		return
	}
	c.Say("", c.Server()+" assigned session id "+quote(c.Session.ID)+" ("+frame(in.ResponseN)+"), and the client sent "+c.Method()+" ("+
		frame(x.RequestN)+") under "+quote(id)+".",
		uint64(x.RequestN), in.ResponseN, in.N)
})
