package gate

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"midwire/session/encoding"
	"midwire/session/wire"
)

// unit is one thing that is decided about: a line, an HTTP message, an event.
type unit struct {
	lane    *lane
	on      Kind
	raw     []byte // as it was received
	payload []byte // decoded, without what is around it
	head    []byte // of an HTTP message
	status  int    // of a response
	eol     string // of a line
	coding  encoding.Coding
	msgs    []Message // one at least
	talk    *talk
	ex      *exchange // HTTP only

	now     []byte // the payload that goes out, once it is another; not nil then
	headNow []byte // the head that goes out; of an event the block with other fields
	framed  bool   // a gate frame mentions it
	rule    *armed // that changed it
	ref     reference
}

func (l *lane) whole(x *exchange, raw, head, body []byte, coding string) *unit {
	u := &unit{lane: l, on: Body, raw: raw, head: head, payload: body, talk: x.talk, ex: x}
	u.coding = encoding.Parse(coding)
	if plain, ok := u.coding.Decode(body); ok {
		u.payload = plain
	}
	if len(body) == 0 {
		u.on = Head
	}
	return u
}

// reference is what the recording calls a unit, once it is in it.
type reference struct {
	frame atomic.Uint64
	x     atomic.Uint32
}

// tell records what is done with the unit. The first time it must be the latest
// that was received on its lane.
func (u *unit) tell(e wire.Gate) {
	first := !u.framed
	u.framed = true
	u.lane.conn.carrier.Tell(u.lane.dir, func(frame uint64, x uint32) (wire.Gate, uint32) {
		if first {
			u.ref.frame.Store(frame)
			u.ref.x.Store(x)
			go u.lane.conn.gate.news() // its number is known: the observer must not wait for us
		}
		e.Frame = u.ref.frame.Load()
		return e, u.ref.x.Load()
	})
}

// passable reports whether what follows the unit may pass it: lines and events have
// no order of their own, messages of a connection have.
func (u *unit) passable() bool { return u.on == Line || u.on == Event }

// frame is what goes out, with what the stream needs around it.
func (u *unit) frame() []byte {
	b := u.bytes()
	if r, ok := u.lane.reader.(*responses); ok && u.on == Event {
		return r.framed(b)
	}
	return b
}

func (u *unit) scan() {
	base := Message{Dir: u.lane.dir, On: u.on, Head: u.head, Payload: u.payload, Status: u.status}
	if u.ex != nil {
		base.Verb, base.Method, base.Tool = u.ex.verb, u.ex.method, u.ex.tool
	}
	if u.talk != nil {
		base.Session = u.talk.id
	}
	wire.ScanMessages(u.payload, func(i int, rpc wire.Message) bool {
		m := base
		m.RPC, m.Batch, m.Method = rpc, i, string(rpc.Method)
		m.Tool = toolOf(&rpc)
		u.msgs = append(u.msgs, m)
		return len(u.msgs) < 1000
	})
	if u.msgs == nil {
		u.msgs = []Message{base}
		return
	}
	for i := range u.msgs {
		u.relate(&u.msgs[i])
	}
}

func (u *unit) relate(m *Message) {
	if u.talk == nil {
		return
	}
	u.talk.begin(m)
	if !m.isResponse() {
		return
	}
	c, ok := u.talk.answered(m)
	if ok {
		m.Method, m.Tool = c.method, c.tool
	} else if u.ex != nil && u.ex.method != "" && u.lane.dir == wire.ToClient {
		m.Method, m.Tool = u.ex.method, u.ex.tool
	}
}

// requests reports whether there is a request in the unit, which wants an answer.
func (u *unit) requests() bool {
	return slices.ContainsFunc(u.msgs, func(m Message) bool { return m.RPC.Kind == wire.MsgRequest })
}

func (u *unit) set(payload []byte) {
	if u.now = payload; payload == nil {
		u.now = []byte{}
	}
}

func (u *unit) changed() bool { return u.now != nil || u.headNow != nil }

func (u *unit) current() []byte {
	if u.now != nil {
		return u.now
	}
	return u.payload
}

func (u *unit) currentHead() []byte {
	if u.headNow != nil {
		return u.headNow
	}
	return u.head
}

// bytes is what goes out.
func (u *unit) bytes() []byte {
	switch {
	case !u.changed():
		return u.raw
	case u.on == Line:
		return append(slices.Clone(u.current()), u.eol...)
	case u.on == Event:
		return eventWith(u.eventBlock(), u.payload, u.current())
	case u.on == Head:
		return u.currentHead()
	}
	body := u.coding.Encode(u.current())
	head := sized(u.currentHead(), len(body))
	return append(head, body...)
}

func (u *unit) eventBlock() []byte {
	if u.headNow != nil {
		return u.headNow
	}
	return u.raw
}

// sized is a head for a body of that length: neither chunked nor with another
// length.
func sized(head []byte, n int) []byte {
	return wire.SetField(dropField(head, "Transfer-Encoding"), "Content-Length", strconv.Itoa(n))
}

// eventWith is a block of an event stream with other data.
func eventWith(block, was, data []byte) []byte {
	if bytes.Equal(was, data) {
		return block
	}
	if from, to, ok := wire.EventData(block); ok && !bytes.ContainsAny(data, "\r\n") {
		return slices.Concat(block[:from], data, block[to:])
	}
	var out []byte
	for line := range bytes.Lines(block) {
		if text := bytes.TrimRight(line, "\r\n"); len(text) > 0 && !bytes.HasPrefix(text, []byte("data")) {
			out = append(append(out, text...), '\n')
		}
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n") {
		out = append(append(append(out, "data: "...), strings.TrimRight(line, "\r")...), '\n')
	}
	return append(out, '\n')
}

// dropField is a head, or a block of an event stream, without a field.
func dropField(head []byte, name string) []byte {
	var out []byte
	first := true
	for line := range bytes.Lines(head) {
		_, is := wire.CutField(line, name)
		if !is || first && bytes.HasPrefix(line, []byte("HTTP/")) {
			out = append(out, line...)
		}
		first = false
	}
	return out
}
