package syntax

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

const maxDepth = 200

// jsonReader reads JSON with comments and trailing commas.
type jsonReader struct {
	data []byte
	at   int
}

func parseJSON(data []byte) (*Node, error) {
	r := &jsonReader{data: data}
	n, err := r.value(0)
	if err == nil {
		err = r.space()
	}
	if err == nil && r.at < len(data) {
		err = r.wrong("there is more after the value")
	}
	return n, err
}

func (r *jsonReader) wrong(what string) error {
	return fmt.Errorf("line %d: %s", lineAt(r.data, r.at), what)
}

// peek is the next byte, 0 at the end.
func (r *jsonReader) peek() byte {
	if r.at < len(r.data) {
		return r.data[r.at]
	}
	return 0
}

func (r *jsonReader) space() error {
	for r.at < len(r.data) {
		rest := r.data[r.at:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			r.at++
		case bytes.HasPrefix(rest, []byte("//")):
			if i := bytes.IndexAny(rest, "\r\n"); i >= 0 {
				r.at += i
			} else {
				r.at = len(r.data)
			}
		case bytes.HasPrefix(rest, []byte("/*")):
			i := bytes.Index(rest[2:], []byte("*/"))
			if i < 0 {
				return r.wrong("a comment does not end")
			}
			r.at += i + 4
		default:
			return nil
		}
	}
	return nil
}

func (r *jsonReader) value(depth int) (*Node, error) {
	if err := r.space(); err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, r.wrong("it is nested too deeply")
	}
	n := &Node{From: r.at}
	var err error
	switch r.peek() {
	case '{':
		n.Kind = Map
		err = r.readItems('}', func() error { return r.member(n, depth) })
	case '[':
		n.Kind = List
		err = r.readItems(']', func() error {
			item, err := r.value(depth + 1)
			n.Items = append(n.Items, item)
			return err
		})
	case '"':
		n.Kind = String
		n.Text, err = r.text()
		n.To = r.at
	default:
		n.Text, err = r.word()
		n.To = r.at
	}
	return n, err
}

// readItems reads what stands between brackets, divided by commas; one may stand
// after the last.
func (r *jsonReader) readItems(end byte, one func() error) error {
	r.at++
	for {
		if err := r.space(); err != nil {
			return err
		}
		if r.peek() == end {
			r.at++
			return nil
		}
		if err := one(); err != nil {
			return err
		}
		if err := r.space(); err != nil {
			return err
		}
		switch r.peek() {
		case ',':
			r.at++
		case end:
		default:
			return r.wrong(fmt.Sprintf("a comma or %q is missing", end))
		}
	}
}

func (r *jsonReader) member(n *Node, depth int) error {
	m := Member{From: r.at, Last: r.at, Inline: true}
	if r.peek() != '"' {
		return r.wrong("a name in quotes is missing")
	}
	var err error
	if m.Name, err = r.text(); err != nil {
		return err
	}
	m.To = r.at
	if err := r.space(); err != nil {
		return err
	}
	if r.peek() != ':' {
		return r.wrong("a colon is missing")
	}
	r.at++
	m.Value, err = r.value(depth + 1)
	n.Members = append(n.Members, m)
	return err
}

func (r *jsonReader) text() (s string, err error) {
	for i := r.at + 1; i < len(r.data); i++ {
		switch r.data[i] {
		case '\\':
			i++
		case '"':
			if json.Unmarshal(r.data[r.at:i+1], &s) != nil {
				return "", r.wrong("this is no string of JSON")
			}
			r.at = i + 1
			return s, nil
		}
	}
	return "", r.wrong("a string does not end")
}

// word reads a number, true, false or null.
func (r *jsonReader) word() (string, error) {
	rest := r.data[r.at:]
	if i := bytes.IndexAny(rest, " \t\r\n,:]}/\"[{"); i >= 0 {
		rest = rest[:i]
	}
	if !json.Valid(rest) {
		return "", r.wrong("a value is missing")
	}
	r.at += len(rest)
	return string(rest), nil
}
