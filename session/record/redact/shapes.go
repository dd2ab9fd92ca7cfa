package redact

import (
	"bytes"

	"midwire/session/wire"
)

// What looks like a token: a beginning that nothing else has, and enough behind
// it. In a recording such a text is data, whatever its name is, and stays; what
// leaves the machine is masked.

// shape is how the tokens of an issuer look.
type shape struct {
	start string
	what  string             // what it is called
	size  func(b []byte) int // how long the token is that b starts with, 0 for none
}

var shapes = [...]shape{
	{"ghp_", "a GitHub token", atLeast(20, false)},
	{"gho_", "a GitHub token", atLeast(20, false)},
	{"ghu_", "a GitHub token", atLeast(20, false)},
	{"ghs_", "a GitHub token", atLeast(20, false)},
	{"ghr_", "a GitHub token", atLeast(20, false)},
	{"github_pat_", "a GitHub token", atLeast(20, false)},
	{"glpat-", "a GitLab token", atLeast(16, true)},
	{"npm_", "an npm token", atLeast(30, false)},
	{"hf_", "a Hugging Face token", atLeast(30, false)},
	{"sk-", "an API key", secretKeyLen},
	{"sk_live_", "a Stripe key", atLeast(16, false)},
	{"rk_live_", "a Stripe key", atLeast(16, false)},
	{"xoxa-", "a Slack token", atLeast(10, true)},
	{"xoxb-", "a Slack token", atLeast(10, true)},
	{"xoxp-", "a Slack token", atLeast(10, true)},
	{"xoxr-", "a Slack token", atLeast(10, true)},
	{"xoxs-", "a Slack token", atLeast(10, true)},
	{"xoxe-", "a Slack token", atLeast(10, true)},
	{"xapp-", "a Slack token", atLeast(10, true)},
	{"AKIA", "an AWS access key", awsLen},
	{"ASIA", "an AWS access key", awsLen},
	{"AIza", "a Google API key", exactly(35)},
	{"eyJ", "a JWT", jwtLen},
	{pemStart, "a private key", pemLen},
}

const pemStart = "-----BEGIN"

// pairs finds the first two bytes of a shape, and its second and third: both bytes
// of such a pair have a bit in common, and no others that stand beside each other.
var pairs = func() (p struct{ left, right [256]uint64 }) {
	bits := map[string]uint64{}
	for _, sh := range shapes {
		for _, pair := range []string{sh.start[:2], sh.start[1:3]} {
			bit, ok := bits[pair]
			if !ok {
				bit = 1 << len(bits)
				bits[pair] = bit
			}
			p.left[pair[0]] |= bit
			p.right[pair[1]] |= bit
		}
	}
	return p
}()

// byStart has the shapes by their first byte.
var byStart = func() (by [256][]shape) {
	for _, sh := range shapes {
		by[sh.start[0]] = append(by[sh.start[0]], sh)
	}
	return by
}()

// token finds the next text at or after from that looks like a token, and says
// what it is; "" when there is none.
func token(b []byte, from int) (begin, end int, what string) {
	for i := from; i+1 < len(b); i += 2 { // every shape has a pair at one of two places
		if pairs.left[b[i]]&pairs.right[b[i+1]] == 0 {
			continue
		}
		for at := max(i-1, from); at <= i; at++ {
			if n, what := tokenAt(b, at); n > 0 {
				return at, at + n, what
			}
		}
	}
	return len(b), len(b), ""
}

// tokenAt is how long the token is that begins at i, 0 for none, and what it is.
func tokenAt(b []byte, i int) (n int, what string) {
	list := byStart[b[i]]
	if len(list) == 0 || i > 0 && (isTokenByte(b[i-1]) || b[i-1] == '-') && !isEscaped(b, i) {
		return 0, ""
	}
	for _, sh := range list {
		if len(b)-i > len(sh.start) && string(b[i:i+len(sh.start)]) == sh.start {
			if n := sh.size(b[i:]); n > 0 {
				return n, sh.what
			}
		}
	}
	return 0, ""
}

// isEscaped reports whether the letter in front of b[i] belongs to an escape.
func isEscaped(b []byte, i int) bool {
	return i > 1 && b[i-2] == '\\' || i > 5 && b[i-6] == '\\' && b[i-5] == 'u'
}

// Finder counts what looks like a token in the frames of a recording, in their
// order, in compressed bodies too. The zero value is ready to use; it belongs to
// one goroutine.
type Finder struct {
	Found map[string]int // by what it looks like; nil for none

	heads *Redactor
}

// Frame looks at a frame.
func (f *Finder) Frame(frame *wire.Frame) {
	if f.heads == nil {
		f.heads = &Redactor{bodies: map[stream]body{}, plain: true}
	}
	data, about := frame.Data, f.heads.bodyOf(frame)
	switch frame.Kind {
	case wire.KindRequest, wire.KindResponse:
		if namesCoding(data) { // all that it reads heads for
			f.heads.masked(frame, body{}, nil)
		}
	case wire.KindBody:
		if plain, ok := f.heads.budget.DecodeSome(about.coding(), data, maxUnfolded); ok {
			data = plain
		}
	}
	findTokens(data, func(what string) {
		if f.Found == nil {
			f.Found = map[string]int{}
		}
		f.Found[what]++
	})
}

// namesCoding reports whether a head has a field that says how its body is coded.
func namesCoding(head []byte) bool {
	const content, transfer = "content-encoding", "ransfer-encoding"
	for i, from := 0, 0; ; from = i + 1 {
		dash := bytes.IndexByte(head[from:], '-')
		if i = from + dash; dash < 0 || len(head) < i+len("-encoding") {
			return false
		}
		if i < len("content") {
			continue
		}
		name := head[i-len("content") : i+len("-encoding")]
		if bytes.EqualFold(name, []byte(content)) || bytes.EqualFold(name, []byte(transfer)) {
			return true
		}
	}
}

// findTokens calls found with the name of everything in a text that looks like a
// token.
func findTokens(text []byte, found func(what string)) {
	for i := 0; ; {
		_, end, what := token(text, i)
		if what == "" {
			return
		}
		found(what)
		i = end
	}
}

// tokens masks them.
func tokens(e *edit) {
	for i := 0; ; {
		from, to, what := token(e.src, i)
		if what == "" {
			return
		}
		e.mask(from, to)
		i = to
	}
}

func isTokenByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// run is the length of what b starts with that can be in a token.
func run(b []byte, dashes bool) int {
	for i, c := range b {
		if !isTokenByte(c) && !(dashes && c == '-') {
			return i
		}
	}
	return len(b)
}

// atLeast is for tokens with so many bytes or more in all.
func atLeast(size int, dashes bool) func([]byte) int {
	return func(b []byte) int {
		start := bytes.IndexAny(b[:min(len(b), 12)], "_-") + 1
		if n := start + run(b[start:], dashes); n >= size {
			return n
		}
		return 0
	}
}

// exactly is for tokens of four letters and so many more bytes.
func exactly(more int) func([]byte) int {
	return func(b []byte) int {
		if n := run(b, true); n == 4+more {
			return n
		}
		return 0
	}
}

// secretKeyLen is for sk-… of OpenAI, Anthropic and others: letters and numbers,
// which CSS classes and the like do not have so many of.
func secretKeyLen(b []byte) int {
	n := run(b, true)
	digits, upper := 0, 0
	for _, c := range b[:n] {
		if c >= '0' && c <= '9' {
			digits++
		} else if c >= 'A' && c <= 'Z' {
			upper++
		}
	}
	if n < 20 || digits == 0 || digits+upper < 3 {
		return 0
	}
	return n
}

// awsLen is for the ids of access keys: 20 capital letters and digits.
func awsLen(b []byte) int {
	n := run(b, true)
	if n != 20 || len(bytes.TrimLeft(b[:n], "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")) > 0 {
		return 0
	}
	return n
}

// jwtLen is for JSON Web Tokens: three parts in base64 (RFC 7519), or five
// (RFC 7516).
func jwtLen(b []byte) int {
	n, parts := 0, 0
	for {
		size := run(b[n:], true)
		if size < 2 && !(parts == 1 && size == 0) || parts == 0 && size < 10 {
			break
		}
		n += size
		parts++
		if parts == 5 || n >= len(b) || b[n] != '.' {
			break
		}
		n++
	}
	if parts < 3 {
		return 0
	}
	if b[n-1] == '.' {
		n--
	}
	return n
}

// pemLen is for private keys (RFC 7468), up to the quote or the end of the text
// that they are in when their own end is missing.
func pemLen(b []byte) int {
	line := b[:min(len(b), 64)]
	at := bytes.Index(line, []byte("PRIVATE KEY-----"))
	if at < 0 {
		return 0
	}
	at += len("PRIVATE KEY-----")
	rest := b[at:]
	if n := bytes.IndexAny(rest, `"'<`); n >= 0 {
		rest = rest[:n]
		for len(rest) > 0 && rest[len(rest)-1] == '\\' {
			rest = rest[:len(rest)-1]
		}
	}
	if n := bytes.Index(rest, []byte("-----END")); n >= 0 {
		if end := bytes.Index(rest[n+8:], []byte("KEY-----")); end >= 0 {
			return at + n + 8 + end + len("KEY-----")
		}
	}
	return at + len(rest)
}
