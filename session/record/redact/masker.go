package redact

import "midwire/session/wire"

// Masker masks secrets in frames that are about to be given away, as they are
// masked in what a tap writes. Masks that are there already stay. It belongs
// to one goroutine.
type Masker struct {
	r     *Redactor
	opt   Options
	key   []byte
	known map[uint64]body // of frames: what heads said about them
}

// NewMasker returns a Masker for frames in the order of their recording, or for
// single ones. Its masks say which credentials are the same within what it was
// given, and nothing beyond. With Options.Keep it masks nothing.
func NewMasker(opt Options) *Masker {
	if opt.Keep {
		return &Masker{}
	}
	key := RunKey()
	return &Masker{New(opt, key), opt, key, map[uint64]body{}}
}

// Fresh returns a Masker that makes the same masks and has seen no frame.
func (m *Masker) Fresh() *Masker {
	if m.r == nil {
		return m
	}
	return &Masker{New(m.opt, m.key), m.opt, m.key, m.known}
}

// Frame masks the payload of a frame. The new payload is valid until the next
// call.
func (m *Masker) Frame(f *wire.Frame) {
	if m.r == nil {
		return
	}
	about := m.r.bodyOf(f)
	if about != (body{}) {
		m.known[f.N] = about
	}
	m.mask(f, about)
}

// Single is Frame for one that is taken out of its order. If it was seen in its
// order once, what its head said is known.
func (m *Masker) Single(f *wire.Frame) {
	if m.r == nil {
		return
	}
	clear(m.r.parts)
	about, ok := m.known[f.N]
	if !ok {
		about = m.r.bodyOf(f)
	}
	m.mask(f, about)
}

func (m *Masker) mask(f *wire.Frame, about body) {
	if data, masked := m.r.frame(f, about, nil); masked {
		f.Data, f.Masked = data, true
	}
}

// Text masks a text of ours that may quote the traffic: JSON and URLs in it, and
// what looks like a token. What merely speaks of credentials stays.
func (m *Masker) Text(s string) string {
	if m.r == nil || s == "" {
		return s
	}
	f := wire.Frame{Kind: wire.KindNote, Data: []byte(s)}
	m.Single(&f)
	return string(f.Data)
}

// Command masks a command line.
func (m *Masker) Command(args []string) []string {
	if m.r == nil {
		return args
	}
	out := Args(args)
	for i := range out {
		out[i] = m.Text(out[i])
	}
	return out
}
