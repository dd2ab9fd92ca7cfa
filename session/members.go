package session

import (
	"cmp"

	"midwire/session/defect"
	"midwire/session/outline"
	"midwire/session/wire"
)

// members are those of an object that is a part of the message in hand: it is read once,
// for all who ask.
type members struct {
	of     []byte // the object, nil for none
	keys   [16][]byte
	values [16][]byte
	n      int
	more   bool // it has more of them
}

func (m *members) read(object []byte) {
	m.of, m.n, m.more = object, 0, false
	wire.Members(object, func(key, value []byte) bool {
		if m.n == len(m.keys) {
			m.more = true
			return false
		}
		m.keys[m.n], m.values[m.n] = key, value
		m.n++
		return true
	})
}

// each is wire.Members of object.
func (m *members) each(object []byte, yield func(key, value []byte) bool) {
	if !same(m.of, object) {
		m.read(object)
	}
	if m.more {
		wire.Members(object, yield)
		return
	}
	for i := range m.n {
		if !yield(m.keys[i], m.values[i]) {
			return
		}
	}
}

// get returns a member of object, or what lies within it, nil when it is not
// there.
func (m *members) get(object []byte, path []string) []byte {
	if len(path) == 0 || len(object) == 0 {
		return object
	}
	if !same(m.of, object) {
		m.read(object)
	}
	if m.more {
		return wire.Get(object, path...)
	}
	for i := m.n - 1; i >= 0; i-- { // of duplicate members the last counts
		if string(m.keys[i]) == path[0] {
			if len(path) == 1 {
				return m.values[i]
			}
			return wire.Get(m.values[i], path[1:]...)
		}
	}
	return nil
}

// Ahead is what any goroutine can read of a frame in isolation, before the tracker takes it.
type Ahead struct {
	message        wire.Message // its payload, if that is one
	params, result members
	meta           members          // params._meta
	head           fields           // of the head that it is
	outline        *outline.Outline // of the message, nil for none
}

// Read reads a frame, whose bytes it shares, and the outline of its message with those
// that were read before.
func (a *Ahead) Read(f *wire.Frame, outlines *outline.Outlines) {
	defer defect.Recover("", f.N, func(*defect.Defect) { *a = Ahead{} }) // the tracker reads it, and says so
	a.head.head = nil
	if f.Kind == wire.KindRequest || f.Kind == wire.KindResponse {
		a.head.read(f.Data)
	}
	a.message, _ = wire.ScanMessage(f.Payload())
	a.params.read(a.message.Params)
	a.result.read(a.message.Result)
	a.meta.read(a.params.get(a.message.Params, metaPath))
	a.outline = nil
	if len(a.message.Raw) > 0 {
		a.outline = outlines.Of(a.message.Raw)
	}
}

// ApplyAhead is Apply of a frame of which a was read.
func (t *Tracker) ApplyAhead(f *wire.Frame, a *Ahead) Step {
	t.ahead = a
	return t.Apply(f)
}

// headRead are the fields of the head in hand, if they were read ahead.
func (t *Tracker) headRead() *fields { return &cmp.Or(t.ahead, &t.own).head }

// same says whether two slices are one piece of memory, which is not empty.
func same(a, b []byte) bool { return len(a) > 0 && len(a) == len(b) && &a[0] == &b[0] }

// messages is wire.ScanMessages of the payload in hand.
func (t *Tracker) messages(payload []byte, yield func(i int, m wire.Message) bool) (n int) {
	if a := t.ahead; a != nil && same(a.message.Raw, payload) {
		yield(0, a.message)
		return 1
	}
	n, _ = wire.ScanMessages(payload, yield)
	return n
}
