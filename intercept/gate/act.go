package gate

import (
	"cmp"
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
	made   []func() error // done once the unit is in its lane
}

// decide asks every rule about a unit and puts what goes on into its lane.
// Gate.mu is held; the unit is the latest that was received there.
func (g *Gate) decide(u *unit) {
	u.lane.sync()
	d := &deed{u: u, item: &item{ready: true}}
	if u.ex != nil && u.ex.own {
		d.item.data = u.frame()
		u.lane.add(d.item)
		return
	}
	if g.expiredSession(u) {
		return
	}
	for _, a := range g.rules {
		m := a.fires(u)
		if m == nil {
			continue
		}
		g.changed()
		if g.act(d, a, m); d.stays || d.keep != nil && d.wait == 0 {
			break
		}
	}
	if d.stays {
		g.after(d)
		return
	}
	if u.changed {
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
	g.after(d)
}

// finish does what follows a unit.
func (g *Gate) finish(d *deed) (err error) {
	for _, f := range d.made {
		err = cmp.Or(err, f())
	}
	return err
}

// after does what follows a unit, and lets those go that waited for one.
func (g *Gate) after(d *deed) {
	_ = g.finish(d) // each has recorded why it could not be
	for _, h := range append([]*held(nil), g.late...) {
		if h.u != d.u && h.u.lane.dir == d.u.lane.dir && !d.stays && d.item.ready {
			flushAll(g.release([]*held{h}, "", "the next one has passed it"))
		}
	}
}

// act does what a rule says.
func (g *Gate) act(d *deed, a *armed, m *Message) {
	u, do := d.u, &a.Do
	switch do.Verb {
	case Hold:
		d.keep, d.wait = a, 0
	case Delay:
		d.keep = a
		d.wait += do.For
		if do.Jitter > 0 {
			d.wait += time.Duration((2*a.dice.Float64() - 1) * float64(do.Jitter))
		}
		d.wait = max(d.wait, time.Millisecond)
	case Reorder:
		d.keep, d.wait = a, do.For
		d.made = append(d.made, func() error { g.waitsForAnother(u); return nil })
	case Drop:
		g.drop(d, a.event(wire.GateDrop))
	case Duplicate:
		g.duplicate(d, a)
	case Fail, Answer, ToolError:
		g.reply(d, a, m)
	case Status, NoResume:
		g.status(d, a, m)
	case ExpireSession:
		g.expire(d, a, m)
	case Cut, Kill, Exit:
		g.breakOff(d, a)
	case IgnoreEOF:
		g.keepsInput = true
		u.tell(a.pace())
		g.counts.Other++
	case Storm:
		d.made = append(d.made, func() error { g.storm(u, a); return nil })
	case Inject:
		d.made = append(d.made, func() error { g.injectBehind(u, a); return nil })
	case Bandwidth, Slice:
		down := u.lane.conn.down
		if do.Verb == Slice {
			down.piece = do.Count
		} else {
			down.rate = do.Bytes
		}
		u.tell(a.pace())
		g.counts.Other++
	default:
		g.edit(d, a, m)
	}
}

// event is the beginning of a gate frame about what a rule does.
func (a *armed) event(what string) wire.Gate {
	e := wire.Gate{What: what, Rule: a.text, Fault: a.Preset}
	if a.of != nil {
		e.ID, e.By, e.MS = a.of.id, a.owner, time.Since(a.of.since).Milliseconds()
	}
	return e
}

// pace is a gate frame about what follows.
func (a *armed) pace() wire.Gate {
	e := a.event(wire.GatePace)
	e.How = a.Do.shown()
	return e
}

// waitsForAnother marks a held unit as one that another message releases.
func (g *Gate) waitsForAnother(u *unit) {
	for _, h := range g.held {
		if h.u == u {
			g.late = append(g.late, h)
		}
	}
}

// drop: over HTTP a client must get something for what is no request.
func (g *Gate) drop(d *deed, e wire.Gate) {
	d.stays = true
	g.counts.Dropped++
	d.u.tell(e)
	d.u.lane.conn.dropped(d.u)
}

const notTwice = "an HTTP response cannot come twice on its connection"

func (g *Gate) duplicate(d *deed, a *armed) {
	u := d.u
	e := a.event(wire.GateDuplicate)
	e.Count, e.MS = a.Do.Count, 0
	if !u.passable() {
		made := e
		made.Count, made.ID = 0, 0
		if u.lane.dir == wire.ToClient {
			e.What, e.Why = wire.GatePass, notTwice
		} else {
			d.made = append(d.made, func() error { return g.copies(u, e.Count, made) })
			g.counts.Other++
		}
		u.tell(e)
		return
	}
	u.tell(e)
	g.counts.Other++
	for range a.Do.Count {
		d.behind = append(d.behind, &item{ready: true, data: u.frame()})
	}
}

// reply answers requests, and turns responses into other ones.
func (g *Gate) reply(d *deed, a *armed, m *Message) {
	u := d.u
	message := func(id []byte) []byte { return a.Do.reply(id) }
	switch {
	case m.isResponse():
		u.why(a)
		u.set(u.each(func(m *Message) []byte {
			if !m.isResponse() {
				return m.RPC.Raw
			}
			return message(m.RPC.ID)
		}))
	case u.requests():
		d.stays = true
		g.counts.Answered++
		e := a.event(wire.GateAnswer)
		u.lane.conn.answer(u, e, u.each(func(m *Message) []byte {
			if m.RPC.Kind != wire.MsgRequest {
				return nil
			}
			return message(m.RPC.ID)
		}))
	}
}

// reply is the message that the action answers with.
func (a *Action) reply(id []byte) []byte {
	switch a.Verb {
	case Fail:
		return errorMessage(id, a.Code, a.Text)
	case ToolError:
		content := append([]byte(`{"content":[{"type":"text","text":`), quoted(a.Text)...)
		return resultMessage(id, append(content, `}],"isError":true}`...))
	}
	return resultMessage(id, a.JSON)
}

// each makes a payload of what f makes of each message; nil leaves one out.
func (u *unit) each(f func(*Message) []byte) []byte {
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

// breakOff ends a connection or a server.
func (g *Gate) breakOff(d *deed, a *armed) {
	u := d.u
	g.counts.Other++
	if c := u.lane.conn; a.Do.Verb != Cut || g.tap == "stdio" {
		e := a.event(wire.GateKill)
		code := -1
		if a.Do.Verb == Exit {
			code = a.Do.Count
		}
		e.How = a.Do.shown()
		u.tell(e)
		d.item.after = func() { c.carrier.Kill(code) }
		return
	}
	e := a.event(wire.GateCut)
	e.How = a.Do.shown()
	plan := &cutting{how: a.Do.How, events: a.Do.Events, bytes: a.Do.Bytes}
	u.tell(e)
	switch {
	case u.ex != nil && u.lane.dir == wire.ToServer && (plan.events >= 0 || plan.bytes > 0):
		u.ex.cut = plan
	default: // at once
		d.stays = true
		u.lane.conn.down.reader.(*responses).cut(plan.how)
	}
}
