package gate

import (
	"bytes"

	"midwire/session/wire"
)

// lines cuts one direction of a stdio server into lines.
type lines struct {
	lane    *lane
	buf     []byte // of the line that has begun
	passing bool   // the line that has begun is not looked at
	part    bool   // some of it went out already
}

func (r *lines) feed(p []byte) {
	l := r.lane
	for len(p) > 0 {
		n := bytes.IndexByte(p, '\n') + 1
		whole := n > 0
		if !whole {
			n = len(p)
		}
		l.take(p, n)
		r.buf = append(r.buf, p[:n]...)
		p = p[n:]
		switch {
		case !whole && !r.passing && len(r.buf) <= maxUnit:
			continue
		case !whole, r.passing:
			if !r.passing {
				l.conn.tell(l.dir, wire.Gate{What: wire.GatePass, Why: "a line of more than 16 MiB"})
			}
			l.pass(r.buf, !whole, r.part)
			r.passing, r.part = !whole, !whole
		default:
			r.line()
		}
		r.buf = nil
	}
}

func (r *lines) line() {
	text, eol := r.buf[:len(r.buf)-1], "\n"
	if n := len(text); n > 0 && text[n-1] == '\r' {
		text, eol = text[:n-1], "\r\n"
	}
	u := &unit{lane: r.lane, on: Line, raw: r.buf, payload: text, eol: eol, talk: r.lane.conn.talk}
	u.scan()
	r.lane.conn.gate.decide(u)
}

func (r *lines) rest() {
	r.lane.pass(r.buf, false, r.part)
	r.buf = nil
}

func (r *lines) begun() bool { return len(r.buf) > 0 }

func (r *lines) give() {
	r.lane.pass(r.buf, true, r.part)
	r.buf, r.passing, r.part = nil, true, true
}

func (r *lines) idle() bool { return len(r.buf) == 0 }
