package record

import (
	"crypto/rand"

	"midwire/session/wire"
)

// Masker masks secrets in frames that are about to be given away, as a Writer
// masks them in what it writes. Masks that are there already stay. It belongs
// to one goroutine.
type Masker struct {
	r   *redactor
	opt Options
	key []byte
}

// NewMasker returns a Masker for frames in the order of their recording, or for
// single ones. Its masks say which credentials are the same within what it was
// given, and nothing beyond. With Options.KeepSecrets it masks nothing.
func NewMasker(opt Options) *Masker {
	if opt.KeepSecrets {
		return &Masker{}
	}
	key := make([]byte, keySize)
	rand.Read(key) // never fails
	return &Masker{newRedactor(opt, key), opt, key}
}

// Again returns a Masker that makes the same masks and has seen no frame.
func (m *Masker) Again() *Masker {
	if m.r == nil {
		return m
	}
	return &Masker{newRedactor(m.opt, m.key), m.opt, m.key}
}

// Frame masks the payload of a frame. The new payload is valid until the next
// call.
func (m *Masker) Frame(f *wire.Frame) {
	if m.r == nil {
		return
	}
	data, masked := m.r.frame(f)
	if masked {
		f.Data, f.Masked = data, true
	}
}

// Single is Frame for one that is taken out of its order.
func (m *Masker) Single(f *wire.Frame) {
	if m.r != nil {
		clear(m.r.cut)
	}
	m.Frame(f)
}
