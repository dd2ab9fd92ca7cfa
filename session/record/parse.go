package record

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"midwire/session/defect"
	"midwire/session/wire"
)

var (
	errNoObject = errors.New("it is not a JSON object")
	errNoNumber = errors.New("it has no frame number")
	errPayload  = errors.New("its payload is broken")
)

// payload is where in a line the payload lies, still encoded.
type payload struct {
	form      form
	pre, post []byte // insides of JSON strings
	body      []byte // JSON, or the inside of a string
	length    int    // "len", -1 when absent
}

// parseLine reads one line without its line feed. f.Data shares memory with
// line, which is overwritten where a payload has to be decoded: it becomes
// the frame's. It keeps no state, so that lines can be parsed in parallel.
func parseLine(line []byte, f *wire.Frame) (err error) {
	defer defect.Fails("the reading of a line", &err)
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' {
		return errNoObject
	}
	line = line[:len(line):len(line)] // decoding must not reach the next line
	p, ok := parseFast(line, f)
	if !ok {
		var err error
		if p, err = parseAny(line, f); err != nil {
			return err
		}
	}
	if f.N == 0 {
		return errNoNumber
	}
	return p.decode(f)
}

// parseFast reads a line as a Writer lays it out. It returns false for
// anything else, and has changed nothing but f then.
func parseFast(line []byte, f *wire.Frame) (payload, bool) {
	*f = wire.Frame{}
	p := payload{length: -1}
	c := cursor{b: line, i: 1, ok: true}
	eol := false
	for c.ok {
		switch name := c.name(); string(name) {
		case "k":
			f.Kind = wire.ParseKind(string(c.word()))
		case "eol":
			c.eol(f)
			eol = true
		case "pre":
			p.pre = c.text()
		case "post":
			p.post = c.text()
		case "json":
			p.form, p.body = asJSON, c.b[c.i:len(c.b)-1]
			setEOL(f, eol)
			return p, c.ok && p.whole(f)
		case "text":
			p.form, p.body = asText, c.last()
			setEOL(f, eol)
			return p, c.ok
		case "b64":
			p.form, p.body = asBase64, c.last()
			setEOL(f, eol)
			return p, c.ok
		default:
			if !p.member(&c, name, f) {
				return p, false
			}
		}
		c.comma()
	}
	return p, false
}

// member reads a member that is the same however the line is laid out. It returns
// false for any other.
func (p *payload) member(c *cursor, name []byte, f *wire.Frame) bool {
	switch string(name) {
	case "n":
		f.N = c.number()
	case "t":
		f.T = c.signed()
	case "d":
		c.direction(f)
	case "c":
		f.Conn = c.number32()
	case "x":
		f.X = c.number32()
	case "part":
		c.part(f)
	case "masked":
		f.Masked = c.truth()
	case "len":
		p.length = int(c.number())
	default:
		return false
	}
	return true
}

func setEOL(f *wire.Frame, given bool) {
	if !given {
		f.EOL = usualEOL(f.Kind, f.Part)
	}
}

// decode puts the payload into f.Data.
func (p *payload) decode(f *wire.Frame) error {
	var err error
	switch p.form {
	case asText:
		f.Data, err = unescape(p.body)
	case asBase64:
		f.Data, err = unbase64(p.body)
	default:
		err = p.decodeJSON(f)
	}
	if err != nil {
		return err
	}
	// Someone may have edited the recording by hand: then the payload is
	// what is there.
	f.Len = len(f.Data)
	if f.Masked && p.length >= 0 {
		f.Len = p.length
	}
	return nil
}

// decodeJSON joins what an event has around its data. Other kinds have
// nothing around it, and nothing is moved.
func (p *payload) decodeJSON(f *wire.Frame) error {
	if len(p.pre)+len(p.post) == 0 {
		f.Data = p.body
		return nil
	}
	pre, err := unescape(p.pre)
	if err != nil {
		return err
	}
	post, err := unescape(p.post)
	if err != nil {
		return err
	}
	var small [64]byte
	end := append(small[:0], post...) // the body is going to cover it
	// In a line as a Writer lays it out there is room behind pre: post and
	// the names of the members stood there.
	if size := len(pre) + len(p.body) + len(end); cap(pre) < size {
		pre = append(make([]byte, 0, size), pre...)
	}
	f.Data = append(append(pre, p.body...), end...)
	return nil
}

// whole reports whether a JSON payload that reaches to the end of its line is one.
// The stated length proves it, unless secrets were masked, the user edited the
// recording by hand, or it is an event.
func (p *payload) whole(f *wire.Frame) bool {
	return len(p.body) == p.length && !f.Masked && len(p.pre)+len(p.post) == 0 || wire.Valid(p.body)
}

// parseAny reads a line whose members stand in any order, with white space
// between them and unknown ones among them: edited by hand, passed through
// another program, or written by a later midwire.
func parseAny(line []byte, f *wire.Frame) (payload, error) {
	*f = wire.Frame{}
	p := payload{length: -1}
	eol, bad := false, ""
	valid := wire.Each(line, func(key, value []byte) bool {
		c := cursor{b: value, ok: true}
		switch string(key) {
		case "k":
			f.Kind = wire.ParseKind(wire.Text(value))
		case "eol":
			f.EOL, eol = wire.Text(value), true
		case "pre":
			p.pre = unbraced(value)
		case "post":
			p.post = unbraced(value)
		case "json":
			p.form, p.body = asJSON, value
		case "text":
			p.form, p.body = asText, unbraced(value)
		case "b64":
			p.form, p.body = asBase64, unbraced(value)
		default:
			p.member(&c, key, f)
		}
		if !c.ok && bad == "" {
			bad = string(key)
		}
		return true
	})
	switch {
	case !valid:
		return p, errNoObject
	case bad != "":
		return p, fmt.Errorf("member %q has a wrong value", bad)
	}
	setEOL(f, eol)
	p.detach()
	return p, nil
}

// detach copies what decodeJSON would move within the line: here the members may
// stand in any order.
func (p *payload) detach() {
	if len(p.pre)+len(p.post) > 0 {
		p.pre, p.post = slices.Clip(bytes.Clone(p.pre)), bytes.Clone(p.post)
	}
}

func unbraced(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' {
		return nil
	}
	return value[1 : len(value)-1]
}
