package record

import (
	"bytes"
	"strings"

	"midwire/session/wire"
)

// Members are found in the text and not in the parsed JSON: the payload may be
// a part of one, several lines of an SSE block, or JSON within a string within
// JSON, as tools like to answer. The quotes of such a member have backslashes
// before them: 1, 3, 7 … for each level. That number is its quoting.

// members masks the values of JSON members with telling names.
func (r *redactor) members(p *pass, f *wire.Frame) {
	var unit stream
	resumed := 0
	if len(r.cut) > 0 {
		unit = stream{f.Kind, f.Dir, f.X}
		resumed = r.cut[unit]
		delete(r.cut, unit)
	}
	if resumed == 0 {
		if from, _ := r.nextName(p.data, 0); from < 0 {
			return
		}
	}
	m := members{r: r}
	p.step(func(dst, src []byte) ([]byte, bool) {
		m.src, m.out = src, dst
		m.run(resumed)
		return append(m.out, src[m.kept:]...), m.masked
	})
	if m.open > 0 && f.Part == wire.More {
		r.cut[stream{f.Kind, f.Dir, f.X}] = m.open
	}
}

// nextName finds the next string at or after from that is one of the names,
// and returns where its inside begins and ends; -1 when there is none.
func (r *redactor) nextName(src []byte, from int) (int, int) {
	if len(r.keys) > 0 {
		return r.nextOwnName(src, from)
	}
	// All the usual names have an underscore in them, and little else has.
	for {
		i := bytes.IndexByte(src[from:], '_')
		if i < 0 {
			return -1, -1
		}
		begin, end := from+i, from+i+1
		for begin > from && isNameByte(src[begin-1]) {
			begin--
		}
		for end < len(src) && isNameByte(src[end]) {
			end++
		}
		if begin > 0 && src[begin-1] == '"' && secretMember(src[begin:end]) {
			return begin, end
		}
		from = end
	}
}

func isNameByte(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

func secretMember(name []byte) bool {
	var small [32]byte
	if len(name) > len(small) {
		return false
	}
	lower := small[:len(name)]
	for i, c := range name {
		if c != '_' {
			c |= 0x20 // a letter
		}
		lower[i] = c
	}
	switch string(lower) {
	case "access_token", "refresh_token", "id_token", "client_secret", "code_verifier", "client_assertion",
		"registration_access_token", "device_code", "subject_token", "actor_token":
		return true
	}
	return false
}

// nextOwnName is nextName when the user asked for names too.
func (r *redactor) nextOwnName(src []byte, from int) (int, int) {
	for {
		i := bytes.IndexByte(src[from:], '"')
		if i < 0 {
			return -1, -1
		}
		from += i + 1
		rest := src[from:]
		for _, k := range r.keys {
			if len(rest) > len(k) && (rest[len(k)] == '"' || rest[len(k)] == '\\') && strings.EqualFold(string(rest[:len(k)]), k) {
				return from, from + len(k)
			}
		}
		n := 0
		for n < len(rest) && isNameByte(rest[n]) {
			n++
		}
		if secretMember(rest[:n]) {
			return from, from + n
		}
	}
}

// members is one pass over one payload.
type members struct {
	r      *redactor
	src    []byte
	out    []byte
	kept   int // src up to here is in out
	masked bool
	open   int // the payload ended within a value of this quoting plus 1
}

func (m *members) run(resumed int) {
	from := 0
	if resumed > 0 {
		end, closed := valueEnd(m.src, 0, resumed-1)
		m.replace(0, end, "", "")
		if !closed {
			m.open = resumed
		}
		from = end
	}
	for {
		begin, end := m.r.nextName(m.src, from)
		if begin < 0 {
			return
		}
		from = m.member(begin, end)
	}
}

// member masks the value of the member whose name is src[begin:end], if that
// is what it is, and returns where to look on.
func (m *members) member(begin, end int) int {
	quoting := backslashes(m.src[:begin-1])
	if quoting&(quoting+1) != 0 {
		return end
	}
	quote := m.src[begin-1-quoting : begin]
	i, ok := m.pass(end, quote)
	if !ok {
		return end
	}
	i = skipBlank(m.src, i, quoting)
	if i >= len(m.src) || m.src[i] != ':' {
		return end
	}
	i = skipBlank(m.src, i+1, quoting)
	if from, ok := m.pass(i, quote); ok {
		to, closed := valueEnd(m.src, from, quoting)
		m.replace(from, to, "", "")
		if !closed {
			m.open = quoting + 1
		}
		return to
	}
	if m.r.ownKey(m.src[begin:end]) == noSecret {
		return end
	}
	to := i + bareValue(m.src[i:], quoting)
	if to > i && string(m.src[i:to]) != "null" {
		m.replace(i, to, string(quote), string(quote))
	}
	return max(to, end)
}

// pass steps over a quote with its backslashes.
func (m *members) pass(i int, quote []byte) (int, bool) {
	if i > len(m.src) || !bytes.HasPrefix(m.src[i:], quote) {
		return i, false
	}
	return i + len(quote), true
}

func (m *members) replace(from, to int, before, after string) {
	secret := m.src[from:to]
	if len(secret) == 0 || isMask(secret) {
		return
	}
	m.out = append(append(m.out, m.src[m.kept:from]...), before...)
	m.out = append(m.r.appendMask(m.out, secret), after...)
	m.kept, m.masked = to, true
}

// backslashes counts those at the end of b.
func backslashes(b []byte) int {
	return len(b) - len(bytes.TrimRight(b, `\`))
}

// skipBlank steps over white space, which within quoted JSON may be escaped.
func skipBlank(b []byte, i, quoting int) int {
	for i < len(b) {
		switch c := b[i]; {
		case c == '\n' && bytes.HasPrefix(b[i+1:], []byte("data:")): // the next line of an event
			i += len("\ndata:")
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case c == '\\' && quoting > 0:
			n := i
			for n < len(b) && b[n] == '\\' {
				n++
			}
			if n >= len(b) || b[n] != 'n' && b[n] != 'r' && b[n] != 't' {
				return i
			}
			i = n + 1
		default:
			return i
		}
	}
	return i
}

// valueEnd finds where the string ends that was opened before i by a quote of
// that quoting. It ends with the text around it at the latest: a line, or the
// string it is in. closed is false when b ended first.
func valueEnd(b []byte, i, quoting int) (end int, closed bool) {
	begin := i
	for i < len(b) {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			n = len(b) - i
		}
		if eol := bytes.IndexAny(b[i:i+n], "\r\n"); eol >= 0 {
			return i + eol, true
		}
		if i += n; i == len(b) {
			break
		}
		before := backslashes(b[begin:i])
		depth := before % (quoting + 1)
		if depth < quoting || before/(quoting+1)%2 == 0 {
			return i - depth, true
		}
		i++
	}
	return len(b), false
}

// bareValue is the length of a value that is no string: a number, a word, or,
// where it is not itself within a string, an object or array.
func bareValue(b []byte, quoting int) int {
	if len(b) > 0 && (b[0] == '{' || b[0] == '[') {
		if quoting > 0 {
			return 0
		}
		return jsonEnd(b, 0)
	}
	for i, c := range b {
		if c != '-' && c != '+' && c != '.' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return i
		}
	}
	return len(b)
}
