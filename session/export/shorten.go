package export

import (
	"bytes"
	"encoding/json"
	"fmt"

	"midwire/session/wire"
)

const (
	// MaxWhole is the maximum size in bytes of a payload that is exported whole: some
	// formats take ten times its length in memory.
	MaxWhole = 32 << 20

	shortRoom = 8 << 20 // what is left of a longer one, at most
	longText  = 16 << 10
)

// omitted stands for what was left out of a payload. Nothing of it is shown:
// a credential that is cut in two would not be recognised.
func omitted(n int) string { return fmt.Sprintf("[midwire: %d bytes left out]", n) }

// Shorten leaves long texts and more out of a payload that is longer than
// MaxWhole, and reports whether it did. A JSON-RPC message stays one, with its id,
// method and what is short. The frame has its own payload then.
func Shorten(f *wire.Frame) bool {
	if len(f.Data) <= MaxWhole {
		return false
	}
	data := f.Data
	if f.Kind == wire.KindEvent {
		e := wire.ParseEvent(data)
		if data = e.Data; len(data) > MaxWhole {
			data = shortJSON(data)
		}
		var event []byte
		if e.Name != "" && len(e.Name) <= longText {
			event = fmt.Appendf(event, "event: %s\n", e.Name)
		}
		if e.HasID && len(e.ID) <= longText {
			event = fmt.Appendf(event, "id: %s\n", e.ID)
		}
		f.Data = fmt.Appendf(event, "data: %s\n\n", data)
		return true
	}
	f.Data = shortJSON(data)
	return true
}

// shortJSON shortens a payload. What is no JSON is left out.
func shortJSON(data []byte) []byte {
	var s shortener
	text := bytes.TrimSpace(data)
	switch {
	case len(text) == 0:
	case text[0] == '{' && s.message(text):
		return s.out
	case text[0] == '[' && s.batch(text):
		return s.out
	}
	return []byte(omitted(len(data)))
}

// appendText appends a text as JSON.
func appendText(dst []byte, text string) []byte {
	quoted, _ := json.Marshal(text) // never fails
	return append(dst, quoted...)
}

// shortener writes the short form of a payload.
type shortener struct{ out []byte }

// batch keeps as many messages as there is room for.
func (s *shortener) batch(array []byte) bool {
	s.out = append(s.out, '[')
	ok, fits := true, true
	valid := wire.Items(array, func(i int, v []byte) bool {
		if fits = len(s.out) < shortRoom; !fits {
			return true // the rest must be valid too
		}
		if i > 0 {
			s.out = append(s.out, ',')
		}
		if len(v) > 0 && v[0] == '{' {
			ok = ok && s.message(v)
		} else {
			s.value(v)
		}
		return true
	})
	s.out = append(s.out, ']')
	return valid && ok
}

// message keeps the members of an object that are short, and of others what is
// short in them.
func (s *shortener) message(object []byte) bool {
	s.out = append(s.out, '{')
	first := true
	valid := wire.Each(object, func(key, v []byte) bool {
		if len(key) > longText || len(s.out) >= shortRoom && len(v) > longText || len(s.out) >= 2*shortRoom {
			return true
		}
		if !first {
			s.out = append(s.out, ',')
		}
		first = false
		s.out = append(appendText(s.out, string(key)), ':')
		s.value(v)
		return true
	})
	s.out = append(s.out, '}')
	return valid
}

// value writes a value without its long texts. When it is too long all the
// same, an object that says so stands for it.
func (s *shortener) value(v []byte) {
	from := len(s.out)
	for at := 0; at < len(v); {
		i := bytes.IndexByte(v[at:], '"')
		if i < 0 {
			i = len(v) - at
		}
		if len(s.out)-from+i > shortRoom {
			s.out = s.out[:from]
			if v[0] == '{' {
				s.out = append(s.out, `{"midwire":`...)
				s.out = append(appendText(s.out, omitted(len(v))), '}')
			} else {
				s.out = appendText(s.out, omitted(len(v)))
			}
			return
		}
		s.out = append(s.out, v[at:at+i]...)
		if at += i; at == len(v) {
			return
		}
		end := wire.StringEnd(v, at)
		if end-at > longText {
			s.out = appendText(s.out, omitted(end-at-2))
		} else {
			s.out = append(s.out, v[at:end]...)
		}
		at = end
	}
}
