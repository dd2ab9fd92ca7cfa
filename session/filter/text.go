package filter

import (
	"bytes"
	"strings"

	"midwire/session/words"
)

// TextMatch reports whether text has what a term looks for: a regular expression,
// exactly this, or this in it, whatever the case.
func TextMatch(n *Node) func(string) bool {
	want := words.Fold(n.Value)
	switch n.Op {
	case "~":
		return n.Match.MatchString
	case "=":
		return func(s string) bool { return words.Equal(s, want) }
	}
	return func(s string) bool { return words.Contains(s, want) }
}

// Compare reports whether a number is what a term asks for: its range, from low to high.
func Compare(v int64, op string, low, high int64) bool {
	switch op {
	case ">":
		return v > high
	case ">=":
		return v >= low
	case "<":
		return v < low
	case "<=":
		return v <= high
	}
	return v >= low && v <= high
}

// HeadMatch reports whether an HTTP head has what a term of the key header or http
// looks for: in a field, or in the first line.
func HeadMatch(n *Node) func(head []byte) bool {
	name, want := "", words.Fold(n.Value)
	if field, value, ok := strings.Cut(want, "="); ok && n.Op != "~" && n.Key == "header" {
		name, want = field, value
	}
	in := func(line []byte) bool {
		if n.Match != nil {
			return n.Match.Match(line)
		}
		return words.Contains(string(line), want)
	}
	return func(head []byte) bool {
		first, rest, _ := bytes.Cut(head, []byte("\n"))
		if n.Key == "http" {
			return in(bytes.TrimSpace(first))
		}
		for line := range bytes.Lines(rest) {
			line = bytes.TrimSpace(line)
			if name == "" {
				if len(line) > 0 && in(line) {
					return true
				}
				continue
			}
			field, value, _ := bytes.Cut(line, []byte(":"))
			if words.Equal(string(field), name) && words.Contains(string(value), want) {
				return true
			}
		}
		return false
	}
}
