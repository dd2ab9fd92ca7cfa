package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var requestIDReused = rule("request-id-reused", diagnose.Requests|diagnose.Results|diagnose.Errors|diagnose.Settled,
	func(c *diagnose.Case) {
		switch {
		case c.Call == nil || !assigned(c):
		case c.Kind == session.EventSettled:
			neverServed(c)
		case c.Message.Kind != wire.MsgRequest:
			if c.Exchange == nil || c.Exchange.Status < 300 || c.Call.Dir == wire.ToClient {
				diagnose.State[usedIDs](c).of(c.Call.Dir).add(c.Call.ID)
			}
		case c.Twin >= 0:
			pendingTwin(c)
		default:
			usedBefore(c)
		}
	})

// usedIDs are the ids of requests that got its response, by direction. A request
// that HTTP alone refused may be sent once more as it was.
type usedIDs struct {
	server, client idSet
	twins          map[int32]uint64 // frames of requests that took the id of a pending one, by its row
	budget
}

func (u *usedIDs) of(d wire.Dir) *idSet {
	if d == wire.ToServer {
		return &u.server
	}
	return &u.client
}

func pendingTwin(c *diagnose.Case) {
	twin := c.Tracker().Row(int(c.Twin))
	if twin.Status >= 300 || c.IsModern() && !overStdio(c) {
		return
	}
	used := diagnose.State[usedIDs](c)
	if len(used.twins) < maxTokens {
		made(&used.twins)[c.Twin] = c.N
	}
	reused(c, twin, "which is still pending")
}

// neverServed looks at a request that ended without a response after another one took
// its id.
func neverServed(c *diagnose.Case) {
	other := diagnose.State[usedIDs](c).twins[c.Call.Row]
	if other == 0 || !c.Tracker().Row(int(c.Row)).Ending.Lost() {
		return
	}
	side := sideOf(c.Call.Dir)
	c.ReportAs("lost", diagnose.Finding{
		Side: side, Frames: []uint64{c.Call.N, other},
		Message: about(c.Call) + " never got a response. While it waited, " + c.Named(side) + " sent another request (" + frame(other) + ") with the same id " + raw(c.Call.ID) +
			": there is no telling to which of the two a response belongs.",
	})
}

func usedBefore(c *diagnose.Case) {
	if c.IsModern() {
		return
	}
	if c.Call.Method == mcp.Initialize { // a session begins, and ids with it
		used := diagnose.State[usedIDs](c)
		used.server, used.client = idSet{}, idSet{}
		return
	}
	if !diagnose.State[usedIDs](c).of(c.Dir).has(c.Call.ID) {
		return
	}
	if !diagnose.State[usedIDs](c).spend() { // one more of what was explained often
		blameSender(c, "", "sent "+about(c.Call)+" with the id "+raw(c.Call.ID)+", which it used before.")
		return
	}
	old := latestCall(c, c.Dir,
		func(r *session.Row, id string) bool { return id == c.Call.ID && r.Session == int32(c.Session.Index) })
	if old != nil {
		reused(c, old, "which got its response")
	}
}

func reused(c *diagnose.Case, old *session.Row, what string) {
	blameSender(c, "", "sent "+about(c.Call)+" with the id "+raw(c.Call.ID)+". It used this id before for "+c.Tracker().Name(old.Name)+" ("+
		frame(old.Request)+"), "+what+".",
		c.N, uint64(old.Request))
}
