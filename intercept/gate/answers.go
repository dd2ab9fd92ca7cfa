package gate

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"midwire/session/wire"
)

// tell records a gate frame about the latest unit of a direction.
func (c *Conn) tell(d wire.Dir, e wire.Gate) {
	c.lane(d).sync()
	c.carrier.Tell(d, func(frame uint64, x uint32) (wire.Gate, uint32) {
		e.Frame = frame
		return e, x
	})
}

// answer answers the requests of a unit instead of the server, or those of a
// server instead of the client.
func (c *Conn) answer(u *unit, e wire.Gate, payload []byte) {
	if u.ex == nil {
		e.What, e.Made = wire.GateAnswer, 1
		u.tell(e)
		c.make(u.lane.dir.Opposite(), Line, payload)
		return
	}
	if u.lane.dir == wire.ToClient { // a request of the server's on a stream: only its client could answer
		e.What, e.Why = wire.GatePass, "a request of a server over HTTP cannot be answered by the gate"
		u.tell(e)
		return
	}
	if u.talk != nil && u.talk.inQuery { // HTTP+SSE: responses come on the stream of the session
		if s := c.gate.streamOf(nil, u.talk); s != nil {
			e.Made = 1
			c.answerHTTP(u, e, 202, nil, nil)
			s.make(wire.ToClient, Event, payload)
			return
		}
	}
	c.answerHTTP(u, e, 200, []Field{{"Content-Type", "application/json"}}, payload)
}

// dropped gives the client of a dropped message what it needs to continue.
func (c *Conn) dropped(u *unit) {
	switch {
	case u.ex == nil || u.on == Event:
	case u.lane.dir == wire.ToClient: // the server believes that it has answered
		u.lane.kill()
	case u.on == Body && !u.requests():
		c.answerHTTP(u, wire.Gate{What: wire.GateAnswer}, 202, nil, nil)
	default:
		u.ex.silent = true
		c.queue(u.ex)
	}
}

// answerHTTP answers a request instead of the server, when it is its turn.
func (c *Conn) answerHTTP(u *unit, e wire.Gate, status int, fields []Field, body []byte) {
	out := headOf(status, fields)
	if status != 204 && status != 304 {
		out = fmt.Appendf(out, "Content-Length: %d\r\n", len(body))
	}
	u.ex.answer = append(append(out, "\r\n"...), body...)
	if u.ex.verb == "HEAD" {
		u.ex.answer = append(out, "\r\n"...)
	}
	e.What = wire.GateAnswer
	if e.How == "" {
		e.How = fmt.Sprintf("status %d", status)
	}
	u.ex.report = func() { u.tell(e) }
	c.queue(u.ex)
	c.answerNext()
}

// headOf is the head of a response but for the blank line.
func headOf(status int, fields []Field) []byte {
	out := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	for _, f := range fields {
		out = append(out, f.Name+": "+f.Value+"\r\n"...)
	}
	return out
}

// queue gives an exchange its turn, if it has none yet.
func (c *Conn) queue(x *exchange) {
	if !slices.Contains(c.exchanges, x) {
		c.exchanges = append(c.exchanges, x)
	}
}

// answerNext answers the next request if that is our business.
func (c *Conn) answerNext() {
	r := c.down.reader.(*responses)
	for r.mode == between && len(c.exchanges) > 0 && c.exchanges[0].answer != nil && !c.down.dead {
		x := c.exchanges[0]
		c.exchanges = slices.Delete(c.exchanges, 0, 1)
		c.down.sync()
		x.report()
		c.carrier.Received(wire.ToClient, x.answer)
		c.down.add(&item{data: x.answer, ready: true})
		go c.down.flush()
	}
}

// status answers with a status, or makes it that of a response.
func (g *Gate) status(d *deed, a *armed, m *Message) {
	u, do := d.u, &a.Do
	fields := do.Fields
	body := []byte(do.Text)
	typed := func(f Field) bool { return strings.EqualFold(f.Name, "Content-Type") }
	if len(body) > 0 && !slices.ContainsFunc(fields, typed) {
		kind := "text/plain; charset=utf-8"
		if wire.Valid(body) {
			kind = "application/json"
		}
		fields = append(slices.Clone(fields), Field{"Content-Type", kind})
	}
	switch {
	case u.lane.dir == wire.ToServer && u.ex != nil:
		d.stays = true
		g.counts.Answered++
		u.lane.conn.answerHTTP(u, a.event(wire.GateAnswer), do.N, fields, body)
	case u.on == Body:
		u.headNow = append(headOf(do.N, fields), "\r\n"...)
		u.coding = 0
		u.set(body)
		u.rule = a
	}
}

// expires makes a session expire: from now on its requests are refused.
func (g *Gate) expires(d *deed, a *armed, m *Message) {
	if m.Session == "" {
		d.u.tell(a.passes("it has no session id"))
		return
	}
	g.talk(m.Session).expired = a.Do.N
	if d.u.lane.dir == wire.ToServer {
		d.stays = true
		g.refuseSession(d.u, a.event(wire.GateAnswer), a.Do.N)
	}
}

// expiredSession refuses a request of a session that was made to expire.
func (g *Gate) expiredSession(u *unit) bool {
	if u.ex == nil || u.lane.dir != wire.ToServer || u.talk == nil || u.talk.expired == 0 {
		return false
	}
	g.refuseSession(u, wire.Gate{Why: "its session was made to expire"}, u.talk.expired)
	return true
}

func (g *Gate) refuseSession(u *unit, e wire.Gate, status int) {
	g.counts.Answered++
	u.lane.conn.answerHTTP(u, e, status, []Field{{"Content-Type", "application/json"}},
		errorMessage(nil, -32001, "Session not found"))
}

// cutIfDue ends a stream when its time has come.
func (r *responses) cutIfDue() {
	x := r.lane.conn.exchange()
	p := x.cut
	if p == nil || r.lane.dead {
		return
	}
	if r.count >= p.events {
		x.cut = nil
		r.cut(p.how)
	}
}

// cutWhole ends a response that is no stream behind its head.
func (r *responses) cutWhole(u *unit, p *cutting) {
	r.lane.pass(slices.Clone(u.head), false, false)
	r.cut(p.how)
}

// cut ends the connection behind what is on the way. A clean end is one that the
// client takes for the end of the response.
func (r *responses) cut(how How) {
	l := r.lane
	if r.mode == stream {
		r.copyChunks()
		if r.chunked && how == Clean {
			l.pass([]byte("0\r\n\r\n"), false, false)
		}
	}
	r.raw = nil
	r.mode = passing
	c := l.conn
	l.add(&item{data: []byte{}, ready: true, after: func() { c.carrier.Cut(how) }})
	l.dead = true
	go l.flush()
}
