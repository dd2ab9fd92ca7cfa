package record

import (
	"bytes"
	"math"

	"midwire/session/wire"
)

// cursor reads the metadata of a line member by member. Once something is not
// as expected ok is false and everything it returns is empty.
type cursor struct {
	b  []byte
	i  int
	ok bool
}

func (c *cursor) fail() { c.ok = false }

// name reads `"name":`.
func (c *cursor) name() []byte {
	word := c.word()
	if !c.ok || c.i >= len(c.b) || c.b[c.i] != ':' {
		c.fail()
		return nil
	}
	c.i++
	return word
}

// word reads a short string without escapes in it.
func (c *cursor) word() []byte {
	in := c.text()
	if bytes.IndexByte(in, '\\') >= 0 {
		c.fail()
		return nil
	}
	return in
}

// text reads a string and returns its inside, escapes not decoded.
func (c *cursor) text() []byte {
	if c.i >= len(c.b) || c.b[c.i] != '"' {
		c.fail()
		return nil
	}
	from := c.i + 1
	for i := from; i < len(c.b); i++ {
		switch c.b[i] {
		case '"':
			c.i = i + 1
			return c.b[from:i]
		case '\\':
			i++
		}
	}
	c.fail()
	return nil
}

// last reads the string that ends the line.
func (c *cursor) last() []byte {
	end := len(c.b) - 2
	if c.i >= end || c.b[c.i] != '"' || c.b[end] != '"' {
		c.fail()
		return nil
	}
	in := c.b[c.i+1 : end]
	if bytes.IndexByte(in, '"') < 0 && (len(in) == 0 || in[len(in)-1] != '\\') {
		return in
	}
	// Quotes in it must be escaped, and the one at its end must not.
	if c.text(); c.i != end+1 {
		c.fail()
		return nil
	}
	return in
}

func (c *cursor) number() uint64 {
	from, v := c.i, uint64(0)
	for ; c.i < len(c.b) && c.b[c.i] >= '0' && c.b[c.i] <= '9'; c.i++ {
		if v > (math.MaxInt64-9)/10 {
			c.fail()
			return 0
		}
		v = v*10 + uint64(c.b[c.i]-'0')
	}
	if c.i == from {
		c.fail()
	}
	return v
}

func (c *cursor) signed() int64 {
	if c.i < len(c.b) && c.b[c.i] == '-' {
		c.i++
		return -int64(c.number())
	}
	return int64(c.number())
}

func (c *cursor) number32() uint32 {
	v := c.number()
	if v > math.MaxUint32 {
		c.fail()
		return 0
	}
	return uint32(v)
}

func (c *cursor) truth() bool {
	rest := c.b[c.i:]
	switch {
	case bytes.HasPrefix(rest, []byte("true")):
		c.i += 4
		return true
	case bytes.HasPrefix(rest, []byte("false")):
		c.i += 5
		return false
	}
	c.fail()
	return false
}

func (c *cursor) direction(f *wire.Frame) {
	switch string(c.word()) {
	case ">":
		f.Dir = wire.ToServer
	case "<":
		f.Dir = wire.ToClient
	default:
		c.fail()
	}
}

func (c *cursor) part(f *wire.Frame) {
	switch string(c.word()) {
	case "more":
		f.Part = wire.More
	case "cut":
		f.Part = wire.Cut
	default:
		c.fail()
	}
}

func (c *cursor) eol(f *wire.Frame) {
	switch in := c.text(); string(in) {
	case "":
		f.EOL = ""
	case `\n`:
		f.EOL = "\n"
	case `\r\n`:
		f.EOL = "\r\n"
	default:
		c.fail() // odd: the careful parser decodes it
	}
}

func (c *cursor) comma() {
	if c.i >= len(c.b) || c.b[c.i] != ',' {
		c.fail()
		return
	}
	c.i++
}
