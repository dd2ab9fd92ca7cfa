// Package words makes small texts for people: counts, sizes, joined and
// shortened strings. It does not make text safe to print: see package safe.
package words

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Count writes a number of things: "1 call", "3 calls".
func Count(n int, noun string) string { return CountOf(n, noun, noun+"s") }

// CountOf is Count for nouns with their own plural.
func CountOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Holds reports whether a text holds one of the parts.
func Holds(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// Join puts a blank between two strings that are not empty.
func Join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// List lists names, no more than so many of them.
func List(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(len(names)-most) + " more"
}

// Clip cuts a text after at most n bytes, between two characters. What is left of a string is
// memory of its own, so that the whole can be freed.
func Clip[T string | []byte](s T, n int) T {
	if len(s) <= n {
		return s
	}
	end := n // of what is no UTF-8
	for at := n; at > n-utf8.UTFMax && at >= 0; at-- {
		if utf8.RuneStart(s[at]) {
			end = at
			break
		}
	}
	if text, is := any(s).(string); is {
		return T(strings.Clone(text[:end]))
	}
	return s[:end]
}

// Ellipsis is Clip with a sign that something was cut off.
func Ellipsis(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Clip(s, n) + "…"
}

// Line is the beginning of a text with its white space reduced to single
// blanks.
func Line(s string, n int) string {
	return Ellipsis(strings.Join(strings.Fields(Clip(s, 2*n)), " "), n)
}

// Excerpt is the beginning of a text on one line.
func Excerpt(b []byte, n int) string {
	b = bytes.TrimSpace(b)
	if len(b) <= n {
		return Line(string(b), n)
	}
	return Line(string(Clip(b, n)), n) + "…"
}

// Size writes a number of bytes: 240, 4.1k, 2.0M.
func Size(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 1000_000:
		return strconv.FormatFloat(float64(n)/1000, 'f', 1, 64) + "k"
	}
	return strconv.FormatFloat(float64(n)/1000_000, 'f', 1, 64) + "M"
}

// Pattern is a regular expression that is compiled when it is first needed: what package
// variables do, every start of midwire waits for.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
