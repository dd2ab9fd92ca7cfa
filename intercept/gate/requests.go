package gate

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"midwire/session/mcp"
	"midwire/session/wire"
)

type exchange struct {
	verb         string
	method, tool string // of the only request in it
	talk         *talk

	answer []byte   // of our own, when the server does not get the request
	report func()   // records that
	silent bool     // nothing answers it
	known  bool     // the framer of responses knows it
	cut    *cutting // ends its response
}

func (c *Conn) beginHTTP(s State) {
	up := &requests{incoming: incoming{lane: c.up, framer: s.Up}, passing: s.Up.InMessage()}
	down := &responses{incoming: incoming{lane: c.down, framer: s.Down}}
	for range s.Waiting {
		c.exchanges = append(c.exchanges, &exchange{talk: c.talk, known: true})
	}
	if s.Down.InMessage() {
		down.begin(s.Events)
	}
	c.up.reader, c.down.reader = up, down
}

// incoming is an HTTP message that comes.
type incoming struct {
	lane   *lane
	framer *wire.HTTPStream
	raw    []byte // received, and not in an item yet
	head   []byte
	body   []byte
	early  bool // part of its head went out
}

func (r *incoming) letGo() {
	r.lane.pass(r.raw, false, false)
	r.raw = nil
}

func (r *incoming) keep(p []byte, n int) {
	if r.raw == nil && n > 0 {
		r.raw = make([]byte, 0, len(p))
	}
	r.raw = append(r.raw, p[:n]...)
}

// tail is the end of raw when that is what the framer found, else a copy of it.
func (r *incoming) tail() []byte {
	found := r.framer.Head()
	if n := len(r.raw) - len(found); n >= 0 {
		return r.raw[n:len(r.raw):len(r.raw)]
	}
	return slices.Clone(found)
}

// grow puts the last n bytes behind the body. One that came in one piece is not copied.
func (r *incoming) grow(n int) {
	piece := r.raw[len(r.raw)-n : len(r.raw) : len(r.raw)]
	if r.body == nil {
		r.body = piece
		return
	}
	r.body = append(r.body, piece...)
}

// requests cuts what a client sends into HTTP messages.
type requests struct {
	incoming
	passing bool // the message that has begun is not looked at
}

func (r *requests) feed(p []byte) {
	l := r.lane
	for len(p) > 0 || r.framer.Ended() {
		tok, n := r.framer.Next(p)
		if n > 0 {
			l.take(p, n)
			r.keep(p, n)
		}
		switch tok {
		case wire.TokenHead:
			r.begin()
		case wire.TokenContent:
			if !r.passing {
				r.grow(n)
			}
		case wire.TokenEnd:
			r.end()
		case wire.TokenRaw:
			r.passing = true
		}
		p = p[n:]
		if len(r.raw) > maxUnit && !r.passing {
			l.conn.tell(l.dir, wire.Gate{What: wire.GatePass, Why: "a request of more than 16 MiB"})
			r.let()
		}
		if r.passing {
			r.letGo()
		}
	}
}

// begin takes the head of a request. One that cannot wait for its body passes: an
// upgrade, and a client that waits for our word before it sends more.
func (r *requests) begin() {
	r.head, r.body, r.passing = r.tail(), nil, false
	if r.early || wire.HeadValue(r.head, "Expect") != "" || wire.HeadValue(r.head, "Upgrade") != "" {
		r.let()
	}
	r.early = false
}

// let has the message pass that has begun.
func (r *requests) let() {
	r.passing = true
	c := r.lane.conn
	verb, _, _ := bytes.Cut(r.head, []byte(" "))
	c.exchanges = append(c.exchanges, &exchange{verb: string(verb), talk: c.talk})
}

// upgraded: what follows is not HTTP.
func (r *requests) upgraded() {
	r.framer.MakeRaw("switched protocols")
	r.passing = true
	r.rest()
	go r.lane.flush()
}

func (r *requests) end() {
	if r.passing {
		r.passing = false
		r.letGo()
		return
	}
	c := r.lane.conn
	head, _ := wire.ParseHead(r.head)
	x := &exchange{verb: head.Method, talk: c.talkOf(&head)}
	u := r.lane.whole(x, r.raw, r.head, r.body, head.Get("Content-Encoding"))
	r.raw, r.body = nil, nil
	u.scan()
	if m := &u.msgs[0]; len(u.msgs) == 1 {
		x.method, x.tool = m.Method, m.Tool
	}
	c.gate.decide(u)
	if x.answer == nil && !x.silent {
		c.exchanges = append(c.exchanges, x)
	}
}

// talkOf is the session of a request, by its header, or by its address as HTTP+SSE
// had it.
func (c *Conn) talkOf(head *wire.Head) *talk {
	if id := head.Get(mcp.HeaderSessionID); id != "" {
		return c.gate.talk(id)
	}
	if t := c.gate.talkOfTarget(head.Target); t != nil {
		return t
	}
	return c.talk
}

// talkOfTarget is the session that a target names, as in HTTP+SSE of 2024-11-05; nil
// for none.
func (g *Gate) talkOfTarget(target string) *talk {
	_, query, _ := strings.Cut(target, "?")
	v, err := url.ParseQuery(query)
	if err != nil {
		return nil
	}
	for _, name := range []string{"sessionId", "session_id"} {
		if id := v.Get(name); id != "" {
			t := g.talk(id)
			t.inQuery = true
			return t
		}
	}
	return nil
}

func (r *requests) rest() { r.letGo() }

func (r *requests) begun() bool { return len(r.raw) > 0 }

// give: of a head that is not complete nothing is known yet, and its request has to
// be noted when it is.
func (r *requests) give() {
	if r.framer.InHead() {
		r.early = true
	} else {
		r.let()
	}
	r.rest()
}

func (r *requests) idle() bool { return len(r.raw) == 0 }
