package intercept

import (
	"strings"

	"midwire/intercept/gate"
	"midwire/session/wire"
)

// maxBody is the longest body that is kept in memory to be recorded as one
// frame. A longer one is recorded in parts. See also whole.
const maxBody = 64 << 20

// leftBefore is how long before the end of an exchange its client must have left for that
// to be worth recording, in nanoseconds.
const leftBefore = 100e6

// exchanges records what passes on one client connection. It belongs to the
// observer.
type exchanges struct {
	tap  *Tap
	conn uint32
	up   *wire.HTTPStream
	down *wire.HTTPStream

	lastUp   lastFrame // of each direction, for the gate
	lastDown lastFrame
	answers  int // responses of the gate's own that are still to come here

	left int64 // when the client's side ended, 0 for not yet

	asking  *exchange   // whose request is under way
	waiting []*exchange // whose responses have not ended, in order of the requests
}

// lastFrame is the number of a frame and of its exchange.
type lastFrame struct {
	n uint64
	x uint32
}

type exchange struct {
	x        uint32
	request  content
	response content
	events   *wire.EventFramer // when the response is an event stream
	coded    bool              // an event stream that is compressed
}

type content struct {
	data wire.Pieces
	any  bool // there was a body, if only an empty one
}

func newExchanges(t *Tap, conn uint32) *exchanges {
	return &exchanges{tap: t, conn: conn, up: wire.NewRequestStream(), down: wire.NewResponseStream()}
}

// requests is the stream that gets copies of what the client sends.
func (e *exchanges) requests() stream { return requestCopy{e} }

// responses is the stream that gets copies of what the server sends.
func (e *exchanges) responses() stream { return responseCopy{e} }

type requestCopy struct{ *exchanges }

type responseCopy struct{ *exchanges }

func (e *exchanges) frame(t int64, x uint32, k wire.Kind, d wire.Dir, part wire.Part, data []byte) {
	e.tap.append(t, wire.Frame{Kind: k, Dir: d, Conn: e.conn, X: x, Part: part, Data: data})
	last := &e.lastUp
	if d == wire.ToClient {
		last = &e.lastDown
	}
	*last = lastFrame{e.tap.frame.N, x}
}

func (r requestCopy) feed(t int64, p []byte) {
	for len(p) > 0 || r.up.Ended() {
		tok, n := r.up.Next(p)
		switch tok {
		case wire.TokenHead:
			r.begin(t, r.up.Head(), r.up.Facts().Method)
		case wire.TokenContent:
			r.collect(t, r.asking.x, wire.ToServer, &r.asking.request, p[:n], r.up.Ended())
		case wire.TokenTrailer:
			r.flush(t, r.asking.x, wire.ToServer, &r.asking.request, wire.Whole)
			r.frame(t, r.asking.x, wire.KindTrailer, wire.ToServer, wire.Whole, r.up.Head())
		case wire.TokenEnd:
			r.flush(t, r.asking.x, wire.ToServer, &r.asking.request, wire.Whole)
			r.asking = nil
		case wire.TokenRaw:
			r.raw(t, wire.ToServer, r.up, p[:n])
		}
		p = p[n:]
	}
}

// begin records the head of a request and numbers its exchange.
func (e *exchanges) begin(t int64, head []byte, method string) {
	x := e.tap.newExchange()
	e.asking = x
	e.waiting = append(e.waiting, x)
	e.down.Expect(method)
	e.frame(t, x.x, wire.KindRequest, wire.ToServer, wire.Whole, head)
}

func (r responseCopy) feed(t int64, p []byte) {
	for len(p) > 0 || r.down.Ended() {
		tok, n := r.down.Next(p)
		switch tok {
		case wire.TokenHead:
			r.answered(t, r.down.Head(), r.down.Facts())
		case wire.TokenContent:
			r.content(t, p[:n])
		case wire.TokenTrailer:
			x := r.current()
			r.settle(t, x, wire.Whole)
			r.frame(t, x.x, wire.KindTrailer, wire.ToClient, wire.Whole, r.down.Head())
		case wire.TokenEnd:
			c := wire.Close{By: wire.ByServer, Clean: true}
			if r.answers > 0 {
				r.answers--
				c.By = wire.ByUs
			}
			r.finish(t, c)
		case wire.TokenRaw:
			r.raw(t, wire.ToClient, r.down, p[:n])
		}
		p = p[n:]
	}
}

// current is the exchange whose response is under way. A response without a
// request (408 on an idle connection) gets its own exchange.
func (e *exchanges) current() *exchange {
	if len(e.waiting) == 0 {
		e.waiting = append(e.waiting, e.tap.newExchange())
	}
	return e.waiting[0]
}

func (e *exchanges) answered(t int64, head []byte, h *wire.HeadFacts) {
	x := e.current()
	e.frame(t, x.x, wire.KindResponse, wire.ToClient, wire.Whole, head)
	if h.Status == 101 {
		e.up.MakeRaw("switched protocols")
	}
	if wire.IsMediaType(string(h.ContentType), "text/event-stream") {
		x.coded = h.Encoding != nil && !strings.EqualFold(string(h.Encoding), "identity")
		if !x.coded {
			x.events = &wire.EventFramer{}
		}
	}
}

// content records content of a response: events as they are complete, a
// compressed stream as it comes, everything else at its end.
func (e *exchanges) content(t int64, p []byte) {
	x := e.current()
	switch {
	case x.events != nil:
		x.events.Feed(p, func(raw []byte) {
			e.frame(t, x.x, wire.KindEvent, wire.ToClient, wire.Whole, raw)
		})
		if x.events.Pending() > e.tap.maxLine {
			e.frame(t, x.x, wire.KindEvent, wire.ToClient, wire.More, x.events.Rest())
		}
	case x.coded:
		x.response.any = true
		e.frame(t, x.x, wire.KindBody, wire.ToClient, wire.More, p)
	default:
		e.collect(t, x.x, wire.ToClient, &x.response, p, e.down.Ended())
	}
}

// collect keeps a piece of a body until the body is over. One that came in one
// piece is recorded at once.
func (e *exchanges) collect(t int64, x uint32, d wire.Dir, c *content, p []byte, last bool) {
	if last && !c.any {
		e.frame(t, x, wire.KindBody, d, wire.Whole, p)
		return
	}
	c.any, c.data.Room = true, e.tap.room
	c.data.Add(p)
	if c.data.Size() >= e.tap.maxBody {
		e.frame(t, x, wire.KindBody, d, wire.More, c.data.Take(nil))
		c.data.Release()
	}
}

func (e *exchanges) flush(t int64, x uint32, d wire.Dir, c *content, part wire.Part) {
	if c.any {
		e.frame(t, x, wire.KindBody, d, part, c.data.Take(nil))
	}
	c.data.Drop()
	*c = content{}
}

// settle records what is left of a response's content.
func (e *exchanges) settle(t int64, x *exchange, part wire.Part) {
	if x.events != nil {
		part = wire.Cut
		if x.events.Complete() {
			part = wire.Whole
		}
		if rest := x.events.Rest(); rest != nil {
			e.frame(t, x.x, wire.KindEvent, wire.ToClient, part, rest)
		}
		return
	}
	e.flush(t, x.x, wire.ToClient, &x.response, part)
}

func (e *exchanges) finish(t int64, c wire.Close) {
	x := e.current()
	if e.left != 0 && t-e.left >= leftBefore {
		c.Left = e.left
	}
	part := wire.Whole
	if !c.Clean {
		part = wire.Cut
	}
	e.settle(t, x, part)
	end := wire.Frame{Kind: wire.KindClose, Dir: wire.ToClient, Conn: e.conn, X: x.x, Data: e.tap.usualEnd}
	if c == (wire.Close{By: wire.ByServer, Clean: true}) {
		e.tap.append(t, end)
	} else {
		e.tap.fact(t, end, c)
	}
	e.waiting = append(e.waiting[:0], e.waiting[1:]...)
	if x != e.asking {
		e.tap.spare = append(e.tap.spare, x)
	}
}

// raw records bytes that are not framed, and once why.
func (e *exchanges) raw(t int64, d wire.Dir, s *wire.HTTPStream, p []byte) {
	if held := s.Head(); held != nil {
		p = held
		reason, _ := s.IsRaw()
		e.tap.fact(t, wire.Frame{Kind: wire.KindNote, Dir: d, Conn: e.conn}, wire.Note{Text: "not framed from here on: " + reason})
	}
	e.frame(t, 0, wire.KindRaw, d, wire.Whole, p)
}

// lost: with bytes missing no framing is certain any more.
func (r requestCopy) lost(_ int64, _ int64) { r.up.MakeRaw("bytes were not recorded") }

func (r responseCopy) lost(_ int64, _ int64) { r.down.MakeRaw("bytes were not recorded") }

// end records the end of the connection and with it of every exchange that is
// still open.
func (e *exchanges) end(t int64, c wire.Close) {
	if e.asking != nil {
		if e.up.InMessage() {
			e.flush(t, e.asking.x, wire.ToServer, &e.asking.request, wire.Cut)
		}
		e.asking.request.data.Drop()
	}
	if rest := e.up.Rest(); rest != nil {
		e.frame(t, 0, wire.KindRaw, wire.ToServer, wire.Cut, rest)
	}
	e.silenced(t, c)
	e.tap.fact(t, wire.Frame{Kind: wire.KindClose, Conn: e.conn}, c)
}

// silenced records the end of every exchange whose response has not come when the
// server's way is over. The client may keep the connection for as long as it likes.
func (e *exchanges) silenced(t int64, c wire.Close) {
	if rest := e.down.Rest(); rest != nil {
		e.frame(t, 0, wire.KindRaw, wire.ToClient, wire.Cut, rest)
	}
	for len(e.waiting) > 0 {
		end := c
		end.Clean = c.Clean && e.down.UntilClose() && c.By == wire.ByServer
		if e.down.UntilClose() && len(e.waiting) > 0 {
			e.down.MakeRaw("the connection has ended")
		}
		e.finish(t, end)
	}
}

// httpSeen is what the observer knows of an HTTP connection.
type httpSeen struct{ *exchanges }

func (s httpSeen) state() gate.State {
	st := gate.State{Up: s.up.Clone(), Down: s.down.Clone(), Waiting: len(s.waiting)}
	if len(s.waiting) > 0 && s.waiting[0].events != nil {
		st.Events = s.waiting[0].events.Clone()
	}
	return st
}

func (s httpSeen) latest(d wire.Dir) (uint64, uint32) {
	if d == wire.ToServer {
		return s.lastUp.n, s.lastUp.x
	}
	return s.lastDown.n, s.lastDown.x
}

func (s httpSeen) made(t int64, d wire.Dir, k wire.Kind, data []byte) {
	var x uint32
	if len(s.waiting) > 0 {
		x = s.waiting[0].x
	}
	s.frame(t, x, k, d, wire.Whole, data)
}

func (s httpSeen) countAnswer() { s.answers++ }
