package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var responseRefused = rule("response-refused", diagnose.Replies|diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	if x == nil || x.Verb != "POST" || c.Session == nil {
		return
	}
	switch {
	case c.Refusal != nil:
		if x.Calls == 0 && x.Messages > 0 {
			s := diagnose.State[pendingResponse](c)
			if s.x == x.X && !aboutSession(c) && !blamesVersion(c.Refusal) && x.Status != 401 &&
				x.Status != 406 && x.Status != 421 {
				c.Say(s.method, c.Server()+" sent "+quote(s.method)+" ("+frame(s.call)+"), the client responded ("+frame(s.n)+"), and the response was refused with "+
					httpStatus(int(x.Status))+because(c)+".",
					uint64(x.ResponseN), s.n, s.call)
			}
		}
	case c.Kind == messageKind && c.Dir == wire.ToServer && c.Call != nil:
		*diagnose.State[pendingResponse](c) = pendingResponse{x: x.X, call: c.Call.N, n: c.N, method: c.Call.Method}
	}
})

// pendingResponse is the latest response of a client that is on its way.
type pendingResponse struct {
	x       uint32
	call, n uint64
	method  string
}
