package gate

import (
	"fmt"
	"time"

	"midwire/session/wire"
)

// deed is what becomes of a unit while the rules are asked.
type deed struct {
	u      *unit
	item   *item
	wait   time.Duration
	keep   *armed // it is held
	stays  bool   // it goes no further
	behind []*item
	made   []func() // done once the unit is in its lane
}

// decide asks every rule about a unit and puts what is forwarded into its lane.
// Gate.mu is held; the unit is the latest that was received there.
func (g *Gate) decide(u *unit) {
	u.lane.sync()
	d := &deed{u: u, item: &item{ready: true, ex: u.ex}}
	if g.expiredSession(u) {
		return
	}
	stream, _ := u.lane.reader.(*responses)
	plain := u.on == Event && !u.changed()
	if u.on == Event && u.changed() {
		stream.copyChunks()
	}
	for _, a := range g.rules {
		m := a.fires(u)
		if m == nil {
			continue
		}
		if g.changed(); plain {
			stream.copyChunks()
			plain = false
		}
		if a.Do.do(g, d, a, m); d.stays || d.keep != nil && d.wait == 0 {
			break
		}
	}
	if d.stays {
		g.followUp(d)
		return
	}
	if plain { // no rule was for it: it keeps its very bytes
		stream.plainEvent(u.raw)
		g.followUp(d)
		return
	}
	if u.changed() {
		g.counts.Edited++
		u.tellEdit("", "")
	}
	if d.keep != nil && g.hold(u, d.item, d.keep, d.wait) {
		e := wire.Gate{What: wire.GateHold, ID: g.lastID, Rule: d.keep.text, Fault: d.keep.Preset}
		if d.wait > 0 {
			e.What, e.MS = wire.GateDelay, d.wait.Milliseconds()
		}
		u.tell(e)
	} else {
		if d.keep != nil {
			u.tell(wire.Gate{What: wire.GatePass, Rule: d.keep.text, Why: "too much is held already"})
		}
		d.item.data = u.frame()
	}
	u.lane.add(d.item)
	for _, it := range d.behind {
		u.lane.add(it)
	}
	g.followUp(d)
}

// followUp does what follows a unit.
func (g *Gate) followUp(d *deed) {
	for _, do := range d.made {
		do()
	}
}

func (g *Gate) holds(d *deed, a *armed, _ *Message) { d.keep, d.wait = a, 0 }

func (g *Gate) delays(d *deed, a *armed, _ *Message) {
	d.keep = a
	d.wait += a.Do.For
}

func (g *Gate) injects(d *deed, a *armed, _ *Message) {
	d.made = append(d.made, func() { g.injectBehind(d.u, a) })
}

// event is the beginning of a gate frame about what a rule does.
func (a *armed) event(what string) wire.Gate {
	e := wire.Gate{What: what, Rule: a.text, Fault: a.Preset}
	if a.of != nil {
		e.ID, e.By, e.MS = a.of.id, a.owner, time.Since(a.of.since).Milliseconds()
	}
	return e
}

// doing is a gate frame about what a rule does, in its words.
func (a *armed) doing(what string) wire.Gate {
	e := a.event(what)
	e.How = a.Do.text
	return e
}

// passes is a gate frame about what a rule could not do.
func (a *armed) passes(why string) wire.Gate {
	e := a.event(wire.GatePass)
	e.Why = why
	return e
}

// drops: over HTTP a client must get something for what is no request.
func (g *Gate) drops(d *deed, a *armed, _ *Message) {
	d.stays = true
	g.counts.Dropped++
	d.u.tell(a.event(wire.GateDrop))
	d.u.lane.conn.dropped(d.u)
}

const notTwice = "a message of HTTP cannot come twice on its connection"

func (g *Gate) duplicates(d *deed, a *armed, _ *Message) {
	u := d.u
	e := a.event(wire.GateDuplicate)
	e.Count, e.MS = a.Do.N, 0
	if !u.passable() {
		u.tell(a.passes(notTwice))
		return
	}
	u.tell(e)
	g.counts.Other++
	for range a.Do.N {
		d.behind = append(d.behind, &item{ready: true, data: u.frame()})
	}
}

// replies answers requests, and turns responses into other ones.
func (g *Gate) replies(d *deed, a *armed, m *Message) {
	u := d.u
	message := func(id []byte) []byte { return a.Do.reply(id) }
	switch {
	case m.isResponse():
		u.rule = a
		u.set(u.mapMessages(func(m *Message) []byte {
			if !m.isResponse() {
				return m.RPC.Raw
			}
			return message(m.RPC.ID)
		}))
	case u.requests():
		d.stays = true
		g.counts.Answered++
		e := a.event(wire.GateAnswer)
		u.lane.conn.answer(u, e, u.mapMessages(func(m *Message) []byte {
			if m.RPC.Kind != wire.MsgRequest {
				return nil
			}
			return message(m.RPC.ID)
		}))
	}
}

// reply is the message that the action answers with.
func (a *Action) reply(id []byte) []byte {
	switch a.name {
	case "error":
		return errorMessage(id, a.N, a.Text)
	case "tool-error":
		return resultMessage(id, fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}],"isError":true}`, quoted(a.Text)))
	}
	return resultMessage(id, a.JSON)
}

// mapMessages makes a payload of what f makes of each message; nil leaves one out.
func (u *unit) mapMessages(f func(*Message) []byte) []byte {
	if !wire.IsArray(u.payload) {
		return f(&u.msgs[0])
	}
	out := []byte("[")
	for i := range u.msgs {
		if b := f(&u.msgs[i]); b != nil {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(out, b...)
		}
	}
	return append(out, ']')
}

// cuts ends a response, or its stream; over stdio the server.
func (g *Gate) cuts(d *deed, a *armed, m *Message) {
	if g.tap == "stdio" {
		g.kills(d, a, m)
		return
	}
	g.counts.Other++
	u, plan := d.u, a.Do.Cut
	u.tell(a.doing(wire.GateCut))
	if u.ex != nil && u.lane.dir == wire.ToServer && plan.events >= 0 {
		u.ex.cut = &plan
		return
	}
	d.stays = true // at once
	u.lane.conn.down.reader.(*responses).cut(plan.how)
}

func (g *Gate) kills(d *deed, a *armed, _ *Message) {
	g.counts.Other++
	d.u.tell(a.doing(wire.GateKill))
	c := d.u.lane.conn
	d.item.after = func() { c.carrier.Kill() }
}
