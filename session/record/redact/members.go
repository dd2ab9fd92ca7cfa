package redact

import (
	"bytes"
	"encoding/binary"
	"slices"

	"midwire/session/wire"
)

// Members are found in the text and not in the parsed JSON: the payload may be
// a part of one, several lines of an SSE block, or JSON within a string within
// JSON, as tools like to return it. Every colon is looked at: in front of it may
// stand a name, behind it the rest of a URL.

// scan is one pass over one payload.
type scan struct {
	*edit
	tails *wire.Tails
	own   bool   // the user named members
	open  inside // what the payload ended within
}

func newScan(e *edit) scan { return scan{edit: e, tails: tails(), own: len(e.r.keys) > 0} }

// inside is a secret that continues where a payload ends.
type inside struct {
	quote quote
	depth int  // objects and arrays that are open; 0 with a string alone
	text  bool // within a string
	kind  kind
}

func (o inside) isOpen() bool { return o.depth > 0 || o.text }

// members masks the values of JSON members with secret names, and what is
// secret in URLs. before is what the part before left, nil for none; tail and
// open are for the part that follows.
func (r *Redactor) members(p *pass, f *wire.Frame, before *partial) (tail []byte, open inside) {
	if before == nil && f.Part != wire.More {
		switch n := p.names; {
		case n == nil || !n.Known:
			p.step(members)
		case r.mayBeMembers(n, p.data):
			p.step(func(e *edit) { // no other colons matter
				s, next := newScan(e), 0
				for _, i := range n.Colons {
					if i >= next {
						next = s.member(i)
					}
				}
			})
		}
		return nil, inside{}
	}
	p.step(func(e *edit) {
		s := newScan(e)
		from := 0
		if before != nil { // what the part before ended with was written already
			e.src = append(before.tail, e.src...)
			e.kept = len(before.tail)
			from = s.goOn(before.open)
		}
		s.run(from)
		tail = tailOf(e.src)
		if open = s.open; open.isOpen() {
			tail = unfinished(e.src)
		}
	})
	return tail, open
}

func members(e *edit) {
	s := newScan(e)
	s.run(0)
}

// mayBeMembers keeps of some names those that matter.
func (r *Redactor) mayBeMembers(n *wire.Names, data []byte) bool {
	m := scan{edit: &edit{r: r, src: data}, tails: n.Matter}
	n.Colons = slices.DeleteFunc(n.Colons, func(i int) bool { return !m.mayBeMember(i) })
	return len(n.Colons) > 0
}

func (m *scan) run(i int) {
	src := m.src
	for {
		n := bytes.IndexByte(src[i:], ':')
		if n < 0 {
			return
		}
		i += n
		switch {
		case i > 8 && src[i-1] == '"' && !m.own && !m.tails.May(binary.LittleEndian.Uint64(src[i-9:i-1])):
			i++
		case i > 0 && beforeColon[src[i-1]] && m.mayBeMember(i):
			i = m.member(i)
		case i+2 < len(src) && src[i+2] == '/' && (src[i+1] == '/' || src[i+1] == '\\'):
			i = m.url(i, false)
		default:
			i++
		}
	}
}

const (
	nameWord = '"' | 'n'<<8 | 'a'<<16 | 'm'<<24 | 'e'<<32 // "name
	keyWord  = '"' | 'k'<<8 | 'e'<<16 | 'y'<<24           // "key
)

// beforeColon has what may stand in front of the colon of a member: a quote,
// and white space. The letters end a quote or white space within a string.
var beforeColon = func() (s [256]bool) {
	for _, c := range "\"2 \n\r\tnrt" {
		s[c] = true
	}
	return s
}()

// mayBeMember reports whether what stands in front of the colon at i can be a name
// that matters. It runs for every colon.
func (m *scan) mayBeMember(i int) bool {
	b := m.src[:i]
	n := len(b)
	if n < 4 {
		return m.own
	}
	switch b[n-1] {
	case '"':
		n--
	case '2':
		if !bytes.HasSuffix(b, []byte(unicodeQuote)) {
			return false
		}
		n -= len(unicodeQuote)
	case 'n', 'r', 't':
		return b[n-2] == '\\'
	default: // white space is rare there
		return true
	}
	for n > 0 && b[n-1] == '\\' {
		n--
	}
	if n < 8 {
		return true
	}
	w := binary.LittleEndian.Uint64(b[n-8 : n])
	if !m.own && (!m.tails.May(w) || (w>>24 == nameWord || w>>32 == keyWord) && !m.mayBePair(i+1)) {
		return false
	}
	h := &m.r.harmless[hashName(w)]
	return h.size == 0 || !bytes.HasSuffix(b[:n], h.text[:h.size])
}

// mayBePair reports whether the value that follows at i can be the name of a secret.
func (m *scan) mayBePair(i int) bool {
	if i < len(m.src) && m.src[i] == ' ' {
		i++
	}
	if i >= len(m.src) || m.src[i] != '"' {
		return true
	}
	value := m.src[i+1 : min(len(m.src), i+maxMember)]
	n := bytes.IndexByte(value, '"')
	return n < 0 || n > 2 && mayBeSecret(value[:n])
}

// harmless is a name that is no secret's, with the quote in front of it. Names
// come again and again, and to look them up is much cheaper than the rule.
type harmless struct {
	text [maxHarmless]byte
	size uint8
}

const (
	maxHarmless   = 31
	harmlessBits  = 7
	harmlessNames = 1 << harmlessBits
)

func hashName(end uint64) uint { return uint(end * 0x9e3779b97f4a7c15 >> (64 - harmlessBits)) }

// remember notes that src[from:to] is the name of no secret.
func (m *scan) remember(from, to int) {
	if from--; from < 0 || m.src[from] != '"' || to < 8 || to-from > maxHarmless {
		return
	}
	h := &m.r.harmless[hashName(binary.LittleEndian.Uint64(m.src[to-8:to]))]
	h.size = uint8(copy(h.text[:], m.src[from:to]))
}

// maxMember is how long the name of a member may be.
const maxMember = 256

// member masks the value of the member whose colon is at i, if there is one
// that is secret, and returns where to look on.
func (m *scan) member(i int) int {
	next := i + 1
	end := i
	for end > 0 && (m.src[end-1] == ' ' || m.src[end-1] == '\n' || m.src[end-1] == '\t' || m.src[end-1] == '\r') {
		end--
	}
	for end > 1 && (m.src[end-1] == 'n' || m.src[end-1] == 'r' || m.src[end-1] == 't') && m.src[end-2] == '\\' {
		end -= 1 + backslashes(m.src[:end-1])
	}
	q, to, ok := quoteBefore(m.src, end)
	if !ok {
		return next
	}
	from := m.nameStart(to, q)
	if from < 0 {
		return next
	}
	name := m.src[from:to]
	if bytes.IndexByte(name, '\\') >= 0 {
		name = unescaped(name)
	}
	own := m.own && m.r.ownKey(name)
	if !own && isPairName(name) {
		return m.pair(next, q)
	}
	k := asMember(name)
	if !own && k == noSecret {
		m.remember(from, to)
		return next
	}
	return m.value(next, q, k, own)
}

// nameStart finds where the string begins that ends at to.
func (m *scan) nameStart(to int, q quote) int {
	low := max(to-maxMember, 0)
	part := m.src[low:to]
	for {
		n := bytes.LastIndexByte(part, '"')
		if q.unicode {
			n = bytes.LastIndex(part, []byte(unicodeQuote))
		}
		if n < 0 {
			return -1
		}
		if backslashes(part[:n]) == q.slashes {
			if q.unicode {
				n += len(unicodeQuote) - 1
			}
			return low + n + 1
		}
		if !q.unicode {
			return -1
		}
		part = part[:n]
	}
}

// value masks a value that follows at i, and returns where to look on.
func (m *scan) value(i int, q quote, k kind, own bool) int {
	i = skipBlank(m.src, i, q)
	if i >= len(m.src) {
		return i
	}
	if n := q.lengthAt(m.src, i); n > 0 {
		from := i + n
		to, closed := q.end(m.src, from)
		m.text(from, to, k, own)
		if !closed && (own || isCredential(m.src[from:to], k)) {
			m.open = inside{quote: q, text: true, kind: k}
		}
		return to
	}
	switch c := m.src[i]; {
	case own && c != '{' && c != '[' || own && !q.inString():
		to := i + bareValue(m.src[i:], q.slashes)
		if to > i && string(m.src[i:to]) != "null" {
			m.maskAs(i, to, q.text(), q.text())
		}
		return max(to, i)
	case c == '[':
		return m.container(i, inside{quote: q, kind: k})
	case c == '{' && k != auth && !isSchema(m.src[i:], q):
		return m.container(i, inside{quote: q, kind: k})
	case k == password && (c >= '0' && c <= '9' || c == '-'):
		to := i + bareValue(m.src[i:], q.slashes)
		m.maskAs(i, to, q.text(), q.text())
		return to
	}
	return i
}

// minCredential is how long the value of a member is at least that is taken for a
// credential when its name alone does not prove it.
const minCredential = 3

// text masks the inside of a string, but for the word that says how to log in.
func (m *scan) text(from, to int, k kind, own bool) {
	if !own {
		from += schemeLen(m.src[from:to])
		if k == noSecret || k == mode && to-from < minCredential || !isCredential(m.src[from:to], k) {
			for i := from; i < to; i++ {
				if m.src[i] == ':' && i+2 < to && m.src[i+2] == '/' {
					i = m.url(i, false)
				}
			}
			return
		}
	}
	m.mask(from, to)
}

// pair masks the value in {"name": "API_KEY", "value": "…"}, as lists of fields
// and of variables have it. The first value follows at i.
func (m *scan) pair(i int, q quote) int {
	i = skipBlank(m.src, i, q)
	n := q.lengthAt(m.src, i)
	if n == 0 {
		return i
	}
	from := i + n
	to, closed := q.end(m.src[:min(len(m.src), from+maxMember)], from)
	if !closed || to-from < 3 || !mayBeSecret(m.src[from:to]) {
		return i
	}
	k := secretName(m.src[from:to])
	if k == noSecret || k == inURL {
		return i
	}
	i = skipBlank(m.src, to+n, q)
	if i >= len(m.src) || m.src[i] != ',' {
		return to
	}
	i = skipBlank(m.src, i+1, q)
	for _, what := range [...]string{"value", "secret"} {
		word := q.text() + what + q.text()
		if !bytes.HasPrefix(m.src[i:], []byte(word)) {
			continue
		}
		i = skipBlank(m.src, i+len(word), q)
		if i >= len(m.src) || m.src[i] != ':' {
			return to
		}
		return m.value(i+1, q, k, false)
	}
	return to
}

func isPairName(name []byte) bool { return string(name) == "name" || string(name) == "key" }

// asMember reports whether a member of that name is a credential.
func asMember(name []byte) kind {
	switch k := secretName(name); {
	case k == inURL, k == keyLike && !isShouting(name) && !isField(name):
		return noSecret
	default:
		return k
	}
}

// bareValue is the length of a value that is no string: a number, a word, or,
// where it is not itself within a string, an object or array.
func bareValue(b []byte, quoting int) int {
	if len(b) > 0 && (b[0] == '{' || b[0] == '[') {
		if quoting > 0 {
			return 0
		}
		return wire.ValueEnd(b, 0)
	}
	return wire.BareEnd(b, 0)
}
