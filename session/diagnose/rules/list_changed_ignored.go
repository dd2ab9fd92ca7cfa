package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/session/words"
)

var listChangedIgnored = rule("list-changed-ignored", diagnose.Requests|diagnose.Notifications|diagnose.Finish,
	func(c *diagnose.Case) {
		s := diagnose.State[unread](c)
		switch {
		case c.N == 0:
			s.report(c)
		case c.Message.Kind == wire.MsgRequest && c.Dir == wire.ToServer:
			s.ask(c)
		case c.Message.Kind == wire.MsgNotification && c.Dir == wire.ToClient:
			s.told(c)
		}
	})

// unread are the lists of a session, by the method that reads them.
type unread struct {
	lists map[string]staleList
	stale bool // one of them has changed, once at least
}

// staleList is a list that the client has read, and what the server said of it since.
type staleList struct {
	read    uint64 // frame of the latest request for it
	changed uint64 // the first notification since, 0 for none
	t       int64
	times   int
	went    uint64 // the latest request for something else, a while after that
}

func (s *unread) told(c *diagnose.Case) {
	method := listChanged(string(c.Message.Method))
	l, known := s.lists[method]
	if !known || method == string(c.Message.Method) {
		return
	}
	if l.times++; l.changed == 0 {
		l.changed, l.t = c.N, c.T
	}
	s.lists[method], s.stale = l, true
}

func (s *unread) ask(c *diagnose.Case) {
	if k := kindOf(c.Call.Method); k != nil && k.list == c.Call.Method {
		made(&s.lists)[c.Call.Method] = staleList{read: c.N}
		return
	}
	if !s.stale {
		return
	}
	for method, l := range s.lists {
		if l.changed != 0 && c.T-l.t > 1e9 {
			l.went = c.N
			s.lists[method] = l
		}
	}
}

func (s *unread) report(c *diagnose.Case) {
	for _, method := range sortedKeys(s.lists) {
		l := s.lists[method]
		if l.went == 0 || c.Blind() {
			continue
		}
		c.Say(method, "The server said "+words.CountOf(l.times, "time", "times")+" that the list of "+quote(method)+" has changed ("+frame(l.changed)+"). "+c.Client()+
			" went on ("+frame(l.went)+") and never listed it again: it knows the list of "+frame(l.read)+" only, and what is new cannot be used.",
			l.changed, l.went, l.read)
	}
}
