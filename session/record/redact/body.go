package redact

import (
	"midwire/session/encoding"
	"midwire/session/wire"
)

// body is what a head says about the body to come.
type body struct {
	content, transfer encoding.Coding
	form              formKind
}

func (b body) coding() encoding.Coding { return b.content.Join(b.transfer) }

// stream identifies what the parts of one unit have in common.
type stream struct {
	kind wire.Kind
	dir  wire.Dir
	x    uint32
}

// bodyOf returns what is known of a body, and forgets it when an exchange has no
// further one.
func (r *Redactor) bodyOf(f *wire.Frame) body {
	if f.Kind == wire.KindClose && len(r.parts) > 0 {
		for _, k := range [...]wire.Kind{wire.KindBody, wire.KindEvent, wire.KindLine} {
			delete(r.parts, stream{k, wire.ToServer, f.X})
			delete(r.parts, stream{k, wire.ToClient, f.X})
		}
	}
	if len(r.bodies) == 0 {
		return body{}
	}
	unit := stream{wire.KindBody, f.Dir, f.X}
	switch f.Kind {
	case wire.KindBody:
		b := r.bodies[unit]
		if f.Part != wire.More {
			delete(r.bodies, unit)
		}
		return b
	case wire.KindRequest, wire.KindResponse: // its own head, or the one after 1xx
		delete(r.bodies, unit)
	case wire.KindClose:
		delete(r.bodies, stream{wire.KindBody, wire.ToServer, f.X})
		delete(r.bodies, stream{wire.KindBody, wire.ToClient, f.X})
	}
	return body{}
}

// maxUnfolded is how long a compressed payload may be, unfolded, to be searched
// for secrets: the tap waits for the recording, and a bomb must not hold it up.
const maxUnfolded = 8 << 20

// decoded masks a compressed payload. One that has a secret is compressed
// again, every other stays as it was.
func (r *Redactor) decoded(f *wire.Frame, about body) ([]byte, bool) {
	c := about.coding()
	plain, ok := r.budget.DecodeSome(c, f.Data, maxUnfolded+1)
	if !ok || len(plain) > maxUnfolded {
		return f.Data, false
	}
	inner := *f
	inner.Data = plain
	data, masked := r.masked(&inner, body{form: about.form}, nil)
	if !masked {
		return f.Data, false
	}
	return c.Encode(data), true
}

// partial is what one part of a unit leaves for the next: its end, which may be
// the beginning of a name, and the secret that it ended within.
type partial struct {
	tail     []byte
	open     inside
	formTail []byte
	formOpen bool
}

// maxTail is how long the end is that is kept: longer than a name.
const maxTail = 2 * maxMember

// resume returns what the part before left, and nil when there is none.
func (r *Redactor) resume(f *wire.Frame) *partial {
	if len(r.parts) == 0 {
		return nil
	}
	unit := stream{f.Kind, f.Dir, f.X}
	before := r.parts[unit]
	delete(r.parts, unit)
	return before
}

func (r *Redactor) suspend(f *wire.Frame, p partial) {
	r.parts[stream{f.Kind, f.Dir, f.X}] = &p
}

// tailOf is a copy of the end of a part.
func tailOf(b []byte) []byte {
	return append([]byte(nil), b[max(len(b)-maxTail, 0):]...)
}
