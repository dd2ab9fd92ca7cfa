package session

import (
	"cmp"
	"strings"

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
	more   bool   // it has more of them
	names  uint64 // a bit for each, by traits of it: most that are asked for are not there
}

func (m *members) read(object []byte) {
	m.of, m.n, m.more, m.names = object, 0, false, 0
	wire.Members(object, func(key, value []byte) bool {
		if m.n == len(m.keys) {
			m.more = true
			return false
		}
		m.keys[m.n], m.values[m.n] = key, value
		m.names |= traits(string(key))
		m.n++
		return true
	})
}

// each is wire.Members of object.
func (m *members) each(object []byte, yield func(key, value []byte) bool) {
	if !sameMemory(m.of, object) {
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

// traits is the bit of a name in members.names.
func traits(name string) uint64 {
	if name == "" {
		return 1
	}
	return 1 << ((len(name)*7 + int(name[0]) + int(name[len(name)-1])) & 63)
}

// get returns a member of object, or what lies within it, nil when it is not
// there.
func (m *members) get(object []byte, path []string) []byte {
	if len(path) == 0 || len(object) == 0 {
		return object
	}
	if !sameMemory(m.of, object) {
		m.read(object)
	}
	if m.more {
		return wire.Get(object, path...)
	}
	if m.names&traits(path[0]) == 0 {
		return nil
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
	said           said             // in the content of the result
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
	a.said.read(a.result.get(a.message.Result, contentPath))
}

// said is how the text in the content of a result begins.
type said struct {
	content []byte // nil for none
	text    string
}

// maxSaid is about how many bytes of each block are read of it.
const maxSaid, wholeText = 256, 64 << 10

var contentPath = []string{"content"}

func (s *said) read(content []byte) {
	s.content, s.text = content, contentText(content, maxSaid)
}

// contentText is the text of content, of each block about so many bytes, without space
// around it.
func contentText(content []byte, most int) (text string) {
	if len(content) == 0 || content[0] != '[' {
		return ""
	}
	wire.Items(content, func(i int, block []byte) bool {
		switch said := wire.TextStart(wire.Get(block, "text"), most); {
		case i == 0:
			text = said
		case said != "":
			text += "\n" + said
		}
		return len(text) < min(most, 4096)
	})
	return strings.TrimSpace(text)
}

// ApplyAhead is Apply of a frame of which a was read.
func (t *Tracker) ApplyAhead(f *wire.Frame, a *Ahead) Step {
	t.ahead = a
	return t.Apply(f)
}

// headRead are the fields of the head in hand, if they were read ahead.
func (t *Tracker) headRead() *fields { return &cmp.Or(t.ahead, &t.own).head }

// sameMemory says whether two slices are one piece of memory, which is not empty.
func sameMemory(a, b []byte) bool { return len(a) > 0 && len(a) == len(b) && &a[0] == &b[0] }

// messages is wire.ScanMessages of the payload in hand.
func (t *Tracker) messages(payload []byte, yield func(i int, m wire.Message) bool) (n int) {
	if a := t.ahead; a != nil && sameMemory(a.message.Raw, payload) {
		yield(0, a.message)
		return 1
	}
	n, _ = wire.ScanMessages(payload, yield)
	return n
}
