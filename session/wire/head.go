package wire

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// Head is the reading of a raw HTTP/1 head. Either Method or Status is set.
type Head struct {
	Method, Target string
	Status         int
	Reason         string
	Proto          string // "HTTP/1.1"
	Fields         []Field
}

// Field is one header line, its name spelled as it was sent.
type Field struct{ Name, Value string }

// ParseHead reads the head of a request or a response, with or without the
// blank line that ends it. It is tolerant of what servers tolerate (bare line
// feeds, odd names) and returns false when there is no start line.
func ParseHead(raw []byte) (Head, bool) {
	line, rest := cutText(string(CutHead(raw)))
	first, other, _ := strings.Cut(line, " ")
	var h Head
	if strings.HasPrefix(first, "HTTP/") {
		code, reason, _ := strings.Cut(other, " ")
		status, err := strconv.Atoi(code)
		if err != nil || len(code) != 3 {
			return h, false
		}
		h.Proto, h.Status, h.Reason = first, status, reason
	} else {
		i := strings.LastIndexByte(other, ' ')
		if i < 0 || !strings.HasPrefix(other[i+1:], "HTTP/") || first == "" {
			return h, false
		}
		h.Method, h.Target, h.Proto = first, other[:i], other[i+1:]
	}
	h.Fields = make([]Field, 0, strings.Count(rest, "\n"))
	for len(rest) > 0 {
		line, rest = cutText(rest)
		if name, value, ok := strings.Cut(line, ":"); ok {
			h.Fields = append(h.Fields, Field{name, strings.Trim(value, " \t")})
		}
	}
	return h, true
}

// cutText returns the first line without its terminator, and what follows.
func cutText(s string) (line, rest string) {
	line, rest, ok := strings.Cut(s, "\n")
	if ok {
		line = strings.TrimSuffix(line, "\r")
	}
	return line, rest
}

// CutLine returns the first line without its terminator, "\n" or "\r\n", and
// what follows. Both share memory with b.
func CutLine(b []byte) (line, rest []byte) {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return b, nil
	}
	line, rest = b[:i], b[i+1:]
	if i > 0 && line[i-1] == '\r' {
		line = line[:i-1]
	}
	return line, rest
}

// Get returns the first value of a header, "" when it is absent. Names are
// compared without regard to case.
func (h *Head) Get(name string) string {
	for _, f := range h.Fields {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// Has reports whether a header is present, if only with an empty value.
func (h *Head) Has(name string) bool {
	return slices.ContainsFunc(h.Fields, func(f Field) bool { return strings.EqualFold(f.Name, name) })
}

// IsMediaType reports whether a Content-Type value names that media type.
func IsMediaType(value, media string) bool {
	v, _, _ := strings.Cut(value, ";")
	return strings.EqualFold(strings.TrimSpace(v), media)
}

// CutField returns what follows the colon of a line of a head that is a field of
// that name in any case; ok is false for any other line.
func CutField(line []byte, name string) (value []byte, ok bool) {
	if len(line) <= len(name) || line[len(name)] != ':' || !equalFold(line[:len(name)], name) {
		return nil, false
	}
	return line[len(name)+1:], true
}

// HeadValue returns the first value of a header of a raw head without parsing
// all of it; "" when it is absent.
func HeadValue(raw []byte, name string) string {
	_, rest := CutLine(raw)
	for len(rest) > 0 {
		var line []byte
		line, rest = CutLine(rest)
		if value, ok := CutField(line, name); ok {
			return string(bytes.Trim(value, " \t"))
		}
	}
	return ""
}

// HeadValues returns all values of a header of a raw head, joined by commas as
// RFC 9110 5.3 allows.
func HeadValues(raw []byte, name string) string {
	_, rest := CutLine(raw)
	all := ""
	for len(rest) > 0 {
		var line []byte
		line, rest = CutLine(rest)
		if value, ok := CutField(line, name); ok {
			if all != "" {
				all += ", "
			}
			all += strings.Trim(string(value), " \t")
		}
	}
	return all
}

// SetField returns a copy of a head with a field as given: instead of the first one of
// that name, whose spelling stays, or at the end. Others of that name are left out.
func SetField(head []byte, name, value string) []byte {
	var out []byte
	done := false
	for line := range bytes.Lines(head) {
		text := bytes.TrimRight(line, "\r\n")
		_, same := CutField(text, name)
		switch {
		case same && done:
			continue
		case same:
			out = append(out, text[:len(name)]...)
		case len(text) > 0 || done:
			out = append(out, line...)
			continue
		default:
			out = append(out, name...)
		}
		out = append(append(append(out, ": "...), value...), line[len(text):]...)
		if done = true; !same {
			out = append(out, line...) // the blank line
		}
	}
	return out
}

// CutHead returns what is looked at of a head: all of it, or of a long one the beginning.
func CutHead(raw []byte) []byte { return raw[:min(len(raw), maxHead)] }
