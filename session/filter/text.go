package filter

import (
	"bytes"
	"strings"
)

// TextMatch says whether text has what a term looks for: a regular expression,
// exactly this, or this in it, whatever the case.
func TextMatch(n *Node) func(string) bool {
	want := strings.ToLower(n.Value)
	switch n.Op {
	case "~":
		return n.Match.MatchString
	case "=":
		return func(s string) bool { return len(s) >= len(want)/2 && strings.EqualFold(s, want) }
	}
	return func(s string) bool { return Contains(s, want) }
}

// Contains is strings.Contains of a lower-case want, whatever the case of s.
// It makes no copy of what is ASCII.
func Contains(s, want string) bool {
	if want == "" {
		return true
	}
	for i := 0; i+len(want) <= len(s); i++ {
		k := 0
		for k < len(want) {
			c := s[i+k]
			if c >= 'A' && c <= 'Z' {
				c |= 0x20
			} else if c >= 0x80 {
				return strings.Contains(strings.ToLower(s), want)
			}
			if c != want[k] {
				break
			}
			k++
		}
		if k == len(want) {
			return true
		}
	}
	// A letter of another script may become shorter or ASCII in lower case.
	for i := range len(s) {
		if s[i] >= 0x80 {
			return strings.Contains(strings.ToLower(s), want)
		}
	}
	return false
}

// Compare says whether a number is what a term asks for: its range, from low to high.
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

// HeadMatch says whether an HTTP head has what a term of the key header or http
// looks for: in a field, or in the first line.
func HeadMatch(n *Node) func(head []byte) bool {
	name, want := "", strings.ToLower(n.Value)
	if field, value, ok := strings.Cut(want, "="); ok && n.Op != "~" && n.Key == "header" {
		name, want = field, value
	}
	in := func(line []byte) bool {
		if n.Match != nil {
			return n.Match.Match(line)
		}
		return bytes.Contains(bytes.ToLower(line), []byte(want))
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
			if strings.EqualFold(string(field), name) && bytes.Contains(bytes.ToLower(value), []byte(want)) {
				return true
			}
		}
		return false
	}
}
