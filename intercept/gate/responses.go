package gate

import (
	"bytes"
	"fmt"
	"slices"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// mode is how the response that is under way is treated.
type mode uint8

const (
	between mode = iota // none is
	whole               // it is looked at when it is complete
	stream              // its events are
	passing             // it is not looked at
	joining             // it had begun before: it passes up to the next event
)

// responses cuts what a server sends into HTTP messages, and those that are event
// streams into events.
//
// An event stream keeps its very bytes, with the chunks in which it came, as long
// as every event of it passes as it came. What was received of it is kept in raw
// until a chunk and an event end together. From the first event on that does not go
// on like that, each piece gets our own chunk.
type responses struct {
	incoming
	mode   mode
	status int

	events  *wire.EventFramer
	plain   [][]byte // events in raw
	chunked bool     // the content comes in chunks
	ours    bool     // chunks are of our making
	count   int      // events that went out
	part    bool     // joining, chunks ours: some of the event went out
	early   bool     // part of the head went out
}

func (r *responses) feed(p []byte) {
	l := r.lane
	for len(p) > 0 || r.framer.Ended() {
		if c := l.conn; r.framer.InHead() && len(c.exchanges) > 0 && !c.exchanges[0].known {
			c.exchanges[0].known = true
			r.framer.Expect(c.exchanges[0].verb)
		}
		tok, n := r.framer.Next(p)
		whole, piece := p, p[:n]
		p = p[n:]
		if n > 0 {
			l.take(piece, n)
		}
		if l.dead {
			continue
		}
		r.keep(whole, n)
		switch tok {
		case wire.TokenHead:
			r.headed(r.tail())
		case wire.TokenContent:
			r.content(piece)
		case wire.TokenTrailer:
			r.trailer(r.framer.Head())
		case wire.TokenEnd:
			r.end()
		case wire.TokenRaw:
			r.mode = passing
		}
		r.settle()
	}
}

// settle passes on what needs not be kept.
func (r *responses) settle() {
	switch {
	case r.mode == passing, r.mode == between && !r.framer.InMessage():
		r.letGo()
	case r.mode == joining && r.ours:
		r.raw = nil
	case r.mode == joining:
		r.letGo()
		r.join()
	case r.mode == stream && r.ours:
		r.raw = nil
	case r.mode == stream && r.boundary():
		r.lane.pass(r.raw, false, false)
		r.raw, r.plain = nil, nil
	}
	if len(r.raw) > maxUnit {
		r.lane.conn.tell(r.lane.dir, wire.Gate{What: wire.GatePass, Why: "a response of more than 16 MiB, or an event of that length"})
		r.lane.pass(r.raw, false, false)
		r.raw, r.body, r.plain = nil, nil, nil
		r.mode = passing
	}
}

// boundary reports whether an event stream stands where an event and a chunk end.
func (r *responses) boundary() bool {
	if r.events.Pending() > 0 {
		return false
	}
	return !r.chunked || r.framer.InChunkSize() && !r.framer.InLine()
}

// begin takes over a response that has begun on the fast path.
func (r *responses) begin(events *wire.EventFramer) {
	r.mode = passing
	if events != nil && (r.framer.Chunked() || r.framer.UntilClose()) {
		r.mode, r.events, r.chunked = joining, events, r.framer.Chunked()
		r.join()
	}
}

// join begins to look at events where an event and a chunk end.
func (r *responses) join() {
	if r.boundary() {
		r.mode = stream
	}
}

// exchange is the one whose response is under way.
func (c *Conn) exchange() *exchange {
	if len(c.exchanges) == 0 {
		c.exchanges = append(c.exchanges, &exchange{talk: c.talk, known: true})
	}
	return c.exchanges[0]
}

// headed takes the head of a response and chooses how to treat it.
func (r *responses) headed(head []byte) {
	facts := r.framer.Facts()
	if facts.Status/100 == 1 && facts.Status != 101 {
		return // interim: it passes, the real one follows
	}
	x := r.lane.conn.exchange()
	r.head, r.body, r.status = head, nil, facts.Status
	r.events, r.plain, r.ours, r.count = nil, nil, false, 0
	if id := wire.HeadValue(head, mcp.HeaderSessionID); id != "" && x.talk != nil && x.talk.id != id {
		x.talk = r.lane.conn.gate.named(x.talk, id)
	}
	r.chunked = r.framer.Chunked()
	isStream := wire.IsMediaType(string(facts.ContentType), "text/event-stream")
	early := r.early
	r.early = false
	switch {
	case facts.Status == 101:
		r.mode = passing
		r.lane.conn.up.reader.(*requests).upgraded()
	case early:
		r.mode = passing
	case isStream && facts.Encoding == nil && (r.chunked || r.framer.UntilClose()):
		r.mode, r.events = stream, &wire.EventFramer{}
		r.decideHead()
	case isStream && (facts.Length == nil || x.cut == nil):
		r.lane.conn.tell(r.lane.dir, wire.Gate{What: wire.GatePass, Why: "an event stream that is compressed, or of a length that was announced"})
		r.mode = passing
	case facts.Length == nil && len(facts.ContentType) > 0 && !bytes.Contains(facts.ContentType, []byte("json")):
		r.mode = passing // it may be another kind of stream
		r.decideHead()
	default:
		r.mode = whole
	}
}

// decideHead asks about the head of a stream.
func (r *responses) decideHead() {
	x := r.lane.conn.exchange()
	u := &unit{lane: r.lane, on: Head, raw: r.raw, head: r.head, status: r.status, talk: x.talk, ex: x}
	u.scan()
	r.raw = nil
	r.lane.conn.gate.decide(u)
	r.cutIfDue()
}

func (r *responses) content(p []byte) {
	switch r.mode {
	case whole:
		r.grow(len(p))
	case joining:
		r.events.Feed(p, func([]byte) { r.count++ })
		if r.ours || !r.chunked {
			r.joinPiece(p)
		}
	case stream:
		r.events.Feed(p, func(raw []byte) { r.event(slices.Clone(raw)) })
	}
	if r.mode != whole {
		r.cutIfDue()
	}
}

func (r *responses) event(raw []byte) {
	x := r.lane.conn.exchange()
	e := wire.ParseEvent(raw)
	if len(e.Data) == 0 || r.lane.dead {
		r.plainEvent(raw)
		return
	}
	if e.Name == "endpoint" {
		if t := r.lane.conn.gate.talkOfTarget(string(e.Data)); t != nil {
			x.talk = t
		}
	}
	u := &unit{lane: r.lane, on: Event, raw: raw, payload: slices.Clone(e.Data), status: r.status, talk: x.talk, ex: x}
	u.scan()
	r.lane.conn.gate.decide(u)
	r.count++
	r.cutIfDue()
}

// joinPiece passes on a piece of an event that is not looked at.
func (r *responses) joinPiece(p []byte) {
	over := r.events.Pending() == 0
	r.lane.pass(r.framed(slices.Clone(p)), !over, r.part)
	if r.raw, r.part = nil, !over; over {
		r.mode = stream
	}
}

func (r *responses) begun() bool {
	return len(r.raw) > 0 || r.ours && r.mode == stream && r.events.Pending() > 0
}

// give: what has begun passes, an event up to its end, a body whole.
func (r *responses) give() {
	switch {
	case r.mode == between:
		r.early = true
	case r.mode == whole:
		r.mode = passing
	case r.mode == stream && r.ours:
		r.mode = joining
		r.joinPiece(r.events.Clone().Rest())
		return
	case r.mode == stream:
		r.mode, r.plain, r.part = joining, nil, true
		if !r.chunked {
			r.lane.pass(r.raw, true, false)
			r.raw = nil
			return
		}
	}
	r.letGo()
}

// plainEvent is an event that passes as it came.
func (r *responses) plainEvent(raw []byte) {
	if r.ours || !r.chunked {
		r.lane.pass(r.framed(raw), false, false)
		if !r.chunked {
			r.raw = nil
		}
		return
	}
	r.plain = append(r.plain, raw)
}

// copyChunks makes the chunks ours from here on.
func (r *responses) copyChunks() {
	if !r.chunked {
		r.raw = nil
		return
	}
	if !r.ours {
		r.ours = true
		for _, e := range r.plain {
			r.lane.pass(r.framed(e), false, false)
		}
		r.plain = nil
	}
}

// framed is a piece of content as it must be written.
func (r *responses) framed(b []byte) []byte {
	if !r.chunked || len(b) == 0 {
		return b
	}
	out := fmt.Appendf(nil, "%x\r\n", len(b))
	return append(append(out, b...), '\r', '\n')
}

func (r *responses) trailer(raw []byte) {
	if r.mode == stream && r.ours {
		r.endStream(append([]byte("0\r\n"), raw...))
	}
}

// endStream ends a response whose chunks are ours.
func (r *responses) endStream(last []byte) {
	if rest := r.events.Rest(); rest != nil {
		r.lane.pass(r.framed(rest), false, false)
	}
	r.lane.add(&item{data: last, ready: true, last: true})
	r.ours, r.mode = false, passing
	r.raw = nil
}

func (r *responses) end() {
	c := r.lane.conn
	switch {
	case r.mode == whole:
		r.decideBody()
	case r.mode == stream && r.ours:
		r.endStream([]byte("0\r\n\r\n"))
	case r.mode == stream:
		r.lane.add(&item{data: r.raw, ready: true, last: true})
		r.raw = nil
	}
	r.mode = between
	if len(c.exchanges) > 0 {
		c.exchanges = slices.Delete(c.exchanges, 0, 1)
	}
	c.answerNext()
}

// decideBody asks about a response that is complete.
func (r *responses) decideBody() {
	x := r.lane.conn.exchange()
	head, _ := wire.ParseHead(r.head)
	u := r.lane.whole(x, r.raw, r.head, r.body, head.Get("Content-Encoding"))
	r.raw, r.body = nil, nil
	u.status = r.status
	u.scan()
	if x.cut != nil {
		r.cutWhole(u, x.cut)
		return
	}
	r.lane.conn.gate.decide(u)
}

func (r *responses) rest() {
	switch {
	case r.mode == whole && r.framer.UntilClose():
		r.decideBody()
		r.mode = between
	case r.mode == stream && !r.chunked:
		if rest := r.events.Rest(); rest != nil {
			r.lane.pass(rest, false, false)
		}
		r.raw = nil
	}
	if r.ours && r.mode == stream {
		r.raw = r.framed(r.events.Rest())
	}
	r.letGo()
}

func (r *responses) idle() bool { return len(r.raw) == 0 && !r.ours && r.mode != whole }
