package session

import (
	"bytes"

	"midwire/session/encoding"
	"midwire/session/wire"
)

// decode undoes the coding of the body in hand, which has its number in t.src.
// One that is beyond the tracker's budget is not read here, nor later.
func (t *Tracker) decode(c encoding.Coding, body []byte) []byte {
	if c == encoding.None {
		return body
	}
	plain, ok := t.budget.Decode(c, body)
	if !ok {
		c = encoding.Unknown
	}
	t.codings[t.src.frame] = c
	return plain
}

// decoder decodes a stream that arrives in pieces, by decoding all of it again
// and passing over what was returned before. That is quadratic, so the work is
// bounded: a stream that has used up its budget is decoded only each time it
// has grown by half.
type decoder struct {
	coding encoding.Coding
	budget *encoding.Budget // of the tracker
	raw    []byte
	fresh  int // bytes of raw that were not decoded yet
	given  int // decoded bytes returned so far
	spent  int
	next   int // length of raw at which to decode again
	failed bool
}

// maxKept bounds the bytes of messages that are kept of compressed streams: no frame has them.
const maxKept = 16 << 20

// keep keeps a message that the piece of a stream in hand made whole, and returns its position
// among those of that piece: together they are as a batch.
func (t *Tracker) keep(message []byte) (position int) {
	n := t.src.frame
	if t.kept += len(message); t.kept > maxKept {
		return 0
	}
	had := t.pieces[n]
	if t.inPiece++; had == nil {
		t.pieces[n], t.inPiece = bytes.Clone(message), 0
		return 0
	}
	if t.inPiece == 1 {
		had = append(append([]byte{'['}, had...), ']')
	}
	t.pieces[n] = append(append(append(had[:len(had)-1], ','), message...), ']')
	return t.inPiece
}

const (
	maxFolded    = 16 << 20
	decodeBudget = 64 << 20
)

// feed takes the next piece and returns what can be read now and was not
// before. The result is valid until the next call.
func (u *decoder) feed(p []byte, last bool) []byte {
	if u.failed || len(u.raw)+len(p) > maxFolded {
		u.failed = true
		u.raw = nil
		return nil
	}
	u.raw = append(u.raw, p...)
	u.fresh += len(p)
	if !last && len(u.raw) < u.next {
		return nil
	}
	out, _ := u.budget.Resume(u.coding, u.raw, u.fresh, u.given)
	u.fresh = 0
	if u.budget.Refused() {
		u.failed, u.raw = true, nil
		return nil
	}
	u.given += len(out)
	if u.spent += len(u.raw) + u.given; u.spent > decodeBudget {
		u.next = len(u.raw) + len(u.raw)/2
	}
	return out
}

// folded takes a part of a compressed event stream.
func (t *Tracker) folded(ex *exchange, f *wire.Frame) {
	if ex.fold == nil {
		ex.fold = &decoder{coding: ex.outCoding, budget: &t.budget}
		ex.framer = &wire.EventFramer{}
	}
	ex.framer.Feed(ex.fold.feed(f.Data, f.Part != wire.More), func(raw []byte) {
		t.eventData(ex, raw)
	})
}
