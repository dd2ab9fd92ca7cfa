package wire

import "slices"

// clone is a copy with its own memory and without a room.
func (j *Pieces) clone() Pieces {
	c := Pieces{size: j.size}
	if j.size == 0 {
		return c
	}
	c.buf = make([]byte, 0, j.size)
	if j.parts == nil {
		c.buf = append(c.buf, j.buf...)
	}
	for _, p := range j.parts {
		c.buf = append(c.buf, p...)
	}
	return c
}

// Clone returns a stream in the same state that shares no memory with this one.
func (s *HTTPStream) Clone() *HTTPStream {
	c := *s
	c.buf, c.head, c.facts = s.buf.clone(), nil, HeadFacts{}
	c.methods = slices.Clone(s.methods)
	return &c
}

// Clone returns a framer in the same state that shares no memory with this one.
func (f *EventFramer) Clone() *EventFramer {
	c := *f
	c.buf = f.buf.clone()
	return &c
}
