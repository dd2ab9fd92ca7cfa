package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
)

var sessionsLeftOpen = rule("sessions-left-open", diagnose.OtherResponses|diagnose.StreamEnds,
	func(c *diagnose.Case) {
		x := c.Exchange
		in := initOf(c)
		if x.Verb != "GET" || !x.IsStream || in == nil || c.Session.Transport != session.TransportHTTP ||
			c.Session.ID == "" {
			return
		}
		all := made(diagnose.Memory[map[uint64]*openSessions](c))
		who := hashOf(in.ClientInfo, []byte(c.Session.Endpoint), []byte(x.Header("Authorization")))
		o := all[who]
		switch {
		case o == nil && len(all) < 1024:
			o = &openSessions{streams: map[uint32]uint64{}}
			all[who] = o
		case o == nil:
			return
		}
		if c.Kind == endKind {
			delete(o.streams, x.X)
			return
		}
		if len(o.streams) < 1024 {
			o.streams[x.X] = uint64(in.N)
		}
		if o.told {
			return
		}
		if n := o.count(); n >= manySessions {
			o.told = true
			f := diagnose.Finding{Frames: append(headFrames(x), in.N)}
			f.Message = c.Client() + " holds " + number(n) + " sessions of " + x.Path + " open at the same time, each with a GET stream, and has ended none of them with DELETE."
			c.ReportAs(number(who>>1), f)
		}
	})

// manySessions are more than a client needs.
const manySessions = 6

// openSessions are the GET streams of a client that are open, with the handshake of
// their session.
type openSessions struct {
	streams map[uint32]uint64
	told    bool
}

func (o *openSessions) count() int {
	different := map[uint64]bool{}
	for _, n := range o.streams {
		different[n] = true
	}
	return len(different)
}
