package redact

import (
	"bytes"
	"strings"
)

// texts masks what reads like a credential in a text that is no JSON: a line of
// a log, a command for a shell. That is NAME=VALUE, --name VALUE, and fields as
// in "Authorization: Bearer VALUE".
func texts(e *edit) {
	src := e.src
	inURL := 0 // up to here
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case c == ':' && i+2 < len(src) && src[i+1] == '/' && src[i+2] == '/':
			if i >= inURL {
				inURL = e.url(i, e.r.plain) // what stands between its semicolons is looked at too
			}
			i += 2
		case c == '=' || c == ':':
			i = e.assigned(i)
		case c == ' ' || c == '\t':
			i = e.flagged(i)
		case c == '?':
			i = max(i, e.query(i, len(src), e.r.plain)-1)
		}
	}
}

// assigned masks the value behind the = or : at i, if the name in front of it
// says so. It returns the last byte that need not be looked at again.
func (e *edit) assigned(i int) int {
	end := i
	if i > 0 && e.src[i-1] == '\'' { // as Python prints a dictionary
		end--
	}
	name := nameBefore(e.src[:end])
	if len(name) < 3 || !mayBeSecret(name) {
		return i
	}
	k := secretName(name)
	if k == noSecret || k == inURL {
		return i
	}
	from := i + 1
	if e.src[i] == ':' {
		from += len(e.src[from:]) - len(bytes.TrimLeft(e.src[from:], " "))
	}
	to := from + valueLen(e.src[from:], e.src[i] == ':')
	if from < to && (e.src[from] == '"' || e.src[from] == '\'') && e.src[to-1] == e.src[from] && to-from > 1 {
		from, to = from+1, to-1
	}
	scheme := schemeLen(e.src[from:to])
	if !e.r.plain || e.src[i] != ':' {
		from += scheme
	}
	if from >= to || e.src[from] == '-' && to-from == 1 || !isCredential(e.src[from:to], k) {
		return i
	}
	if e.src[i] == ':' && !e.r.plain && end == i && !isFieldName(name, k) &&
		(k != sure && scheme == 0 || !hasDigit(e.src[from:to])) {
		return i
	}
	e.mask(from, to)
	return to - 1
}

// isFieldName reports whether a name in front of a colon is that of a field: prose
// has words like token and password there too.
func isFieldName(name []byte, k kind) bool {
	return bytes.IndexByte(name, '-') > 0 || k == auth || bytes.EqualFold(name, []byte("cookie"))
}

func hasDigit(b []byte) bool { return bytes.ContainsAny(b, "0123456789") }

// flagged masks the value behind the blank at i, if there is a flag before it.
func (e *edit) flagged(i int) int {
	name := nameBefore(e.src[:i])
	if len(name) < 4 || name[0] != '-' || !mayBeSecret(name) {
		return i
	}
	from := i + len(e.src[i:]) - len(bytes.TrimLeft(e.src[i:], " \t"))
	to := from + valueLen(e.src[from:], false)
	if from < to && (e.src[from] == '"' || e.src[from] == '\'') && to-from > 1 {
		from, to = from+1, to-1
	}
	if from >= to || e.src[from] == '-' && !bytes.HasPrefix(e.src[from:], []byte(pemStart)) ||
		isWord(e.src[from:to]) || !isFlag(name, e.src[from:to]) {
		return i
	}
	e.mask(from, to)
	return to - 1
}

// prose are the words that follow the name of a flag in a sentence, as in "--token or set NAME".
var prose = wordSet("a an and are argument arguments as be can cannot command either environment env flag flags for from if in is " +
	"it missing must not of on option options or parameter parameters provided required set should the to using variable via was when with you your")

// isWord reports whether what follows a flag is a word of the sentence around it.
func isWord(value []byte) bool {
	return len(value) <= 12 && prose()[strings.TrimRight(string(value), ".,;:!?)")]
}

// isFlag reports whether a flag or a variable of that name has a credential for
// its value.
func isFlag(name, value []byte) bool {
	k := secretName(name)
	return k != noSecret && k != inURL && isCredential(value, k)
}

// nameBefore is the name that b ends with.
func nameBefore(b []byte) []byte {
	i := len(b)
	for i > 0 && len(b)-i < maxName && isNameByte(b[i-1]) {
		i--
	}
	return b[i:]
}

func isNameByte(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

var (
	fieldEnds = setOf("'\"\r\n")
	argEnds   = setOf(" \t\r\n'\"&;,")
)

// valueLen is how long a value is: up to its closing quote, the next blank or
// what else ends it. That of a field extends to the end of what contains it.
func valueLen(b []byte, field bool) int {
	if len(b) == 0 {
		return 0
	}
	if c := b[0]; c == '"' || c == '\'' {
		if n := bytes.IndexByte(b[1:], c); n >= 0 {
			return n + 2
		}
	}
	if bytes.HasPrefix(b, []byte(pemStart)) {
		return pemLen(b)
	}
	if field {
		return indexOf(b, fieldEnds)
	}
	return indexOf(b, argEnds)
}
