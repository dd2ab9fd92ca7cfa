package redact

import (
	"bytes"

	"midwire/session/wire"
)

// maxPaths is how many paths one editor follows.
const maxPaths = 64

// editor copies one valid JSON value and masks what stands at certain paths,
// or what matches the user's patterns. The result is valid as well. It goes
// through the text once, however deep that is nested.
type editor struct {
	*edit
	paths  [][]string
	values bool
	stack  []level
}

// level is an object or array, and how far the paths lead to it.
type level struct {
	object bool
	at     place
}

type place struct {
	depth int    // names on the way here; arrays have none
	match uint64 // bit i: the first depth names of paths[i] lead here
}

// run edits the value src[i:to].
func (e *editor) run(i, to int) {
	here := place{match: 1<<len(e.paths) - 1} // of the value that comes next
	for i < to {
		switch c := e.src[i]; {
		case c == '"':
			end := wire.StringEnd(e.src, i)
			if n := len(e.stack); n > 0 && e.stack[n-1].object && isKey(e.src, end) {
				i = e.key(i, end, &here)
				continue
			}
			e.text(i, end)
			i = end
		case c == '{' || c == '[':
			e.stack = append(e.stack, level{c == '{', here})
			i++
		case c == '}' || c == ']':
			e.stack = e.stack[:max(len(e.stack)-1, 0)]
			e.next(&here)
			i++
		case c == ',':
			e.next(&here)
			i++
		case c == '-' || c >= '0' && c <= '9':
			end := i + bareValue(e.src[i:], 0)
			e.number(i, end)
			i = end
		default:
			i++
		}
	}
}

// next sets the place of the next value in the innermost array; in an object
// its name does.
func (e *editor) next(here *place) {
	if n := len(e.stack); n > 0 {
		*here = e.stack[n-1].at
	}
}

func isKey(b []byte, i int) bool {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i < len(b) && b[i] == ':'
}

// key handles the name src[from:to] of a member, and its value when a path
// ends there. It returns where to continue.
func (e *editor) key(from, to int, here *place) int {
	around := e.stack[len(e.stack)-1].at
	*here = place{depth: around.depth + 1}
	hide := false
	if around.match != 0 {
		name := wire.Text(e.src[from:to])
		for i, p := range e.paths {
			if around.match>>i&1 == 1 && around.depth < len(p) && p[around.depth] == name {
				here.match |= 1 << i
				hide = hide || len(p) == here.depth
			}
		}
	}
	e.text(from, to)
	if !hide {
		return to
	}
	from = to + bytes.IndexByte(e.src[to:], ':') + 1
	from = skipBlank(e.src, from, quote{})
	to = wire.ValueEnd(e.src, from)
	secret := e.src[from:to]
	if secret[0] == '"' {
		secret = secret[1 : len(secret)-1]
	}
	if len(secret) > 0 && string(secret) != "null" && !isMask(secret) {
		e.replace(from, to, e.r.appendMask(nil, secret))
	}
	return to
}

// text masks what matches in the string src[from:to].
func (e *editor) text(from, to int) {
	if !e.values {
		return
	}
	text := e.src[from+1 : to-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		text = []byte(wire.Text(e.src[from:to]))
	}
	if out, hit := e.r.match(text); hit {
		e.replace(from, to, out)
	}
}

func (e *editor) number(from, to int) {
	if !e.values {
		return
	}
	if _, hit := e.r.match(e.src[from:to]); hit {
		e.replace(from, to, e.r.appendMask(nil, e.src[from:to]))
	}
}

// replace puts a string in place of src[from:to].
func (e *editor) replace(from, to int, text []byte) {
	e.put(from, to, append(wire.AppendEscaped([]byte{'"'}, text), '"'))
}
