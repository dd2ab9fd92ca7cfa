package redact

import "bytes"

// An object or an array under a secret's name: {"credentials": {"user": "x",
// "pin": "y"}}, {"tokens": ["a", "b"]}. Its strings are masked, but for those
// that say what kind of credential it is, and whose.

// open are last words of names that are no secrets among credentials.
var innocent = wordSet(`name type kind method scheme provider scope scopes realm description title url uri endpoint host hostname domain path port at
	expires expiry expiration in audience aud issuer iss alg algorithm region id status site label format account version role user username
	email login text lemma pos tag enum required default file`)

// container masks what stands in the object or array at i, as far as it goes,
// and returns where to look on.
func (m *scan) container(i int, in inside) int {
	q, hide := in.quote, in.kind
	for i < len(m.src) {
		switch c := m.src[i]; {
		case c == '{' || c == '[':
			in.depth++
			i++
		case c == '}' || c == ']':
			i++
			if in.depth--; in.depth <= 0 {
				return i
			}
			if m.src[i-1] == '}' {
				hide = in.kind
			}
		case c == '"' || c == '\\':
			n := q.lengthAt(m.src, i)
			if n == 0 {
				if c == '"' {
					return i // the string around it ends
				}
				i += backslashesAhead(m.src[i:]) + 1 // an escape
				continue
			}
			from := i + n
			to, closed := q.end(m.src, from)
			next := skipBlank(m.src, to+n, q)
			if closed && next < len(m.src) && m.src[next] == ':' {
				hide = memberKind(m.src[from:to], in.kind)
				i = next + 1
				continue
			}
			m.text(from, to, hide, false)
			if !closed {
				in.text = true
				m.open = in
				return to
			}
			i = to + n
		case (c >= '0' && c <= '9' || c == '-') && hide == password && in.kind != password:
			to := i + bareValue(m.src[i:], q.slashes)
			m.maskAs(i, to, q.text(), q.text())
			i = to
		default:
			i++
		}
	}
	m.open = in
	return len(m.src)
}

// goOn masks what is left, in a new part, of a secret in the part before.
func (m *scan) goOn(in inside) int {
	i := 0
	if !in.isOpen() {
		return 0
	}
	if in.text {
		to, closed := in.quote.end(m.src, 0)
		m.mask(0, to)
		if !closed {
			m.open = in
			return to
		}
		i = to
		if n := in.quote.lengthAt(m.src, to); n > 0 && in.depth > 0 {
			i += n
		}
		in.text = false
	}
	if in.depth == 0 {
		return i
	}
	return m.container(i, in)
}

// unfinished is what a part ends with that may be the beginning of a quote.
func unfinished(b []byte) []byte {
	i := len(b)
	for n := len(unicodeQuote) - 1; n > 0; n-- {
		if bytes.HasSuffix(b, []byte(unicodeQuote[:n])) {
			i -= n
			break
		}
	}
	n := backslashes(b[:i])
	if n == 0 {
		return nil
	}
	return append([]byte(nil), b[i-n:]...)
}

// memberKind is what a member of a secret object is.
func memberKind(name []byte, around kind) kind {
	if len(name) > maxMember {
		return around
	}
	if k := asMember(name); k != noSecret {
		return k
	}
	var s spelled
	s.spell(name)
	if s.trim(); s.w > 0 && innocent()[string(s.word(s.w-1))] {
		return noSecret
	}
	return around
}

// schemaWords are members that only the description of a value has; lesser ones
// make a description when there is nothing else.
var (
	schemaWords = wordSet("$ref $defs anyOf oneOf allOf not properties items additionalProperties enum const minLength maxLength pattern inputSchema")
	lesserWords = wordSet("title description default examples example format deprecated readOnly writeOnly required optional hidden label placeholder help")
	schemaTypes = wordSet("string object array number integer boolean null")
)

// maxSchema is how far an object is looked into to know what it is: objects
// within objects must not be read again and again.
const maxSchema = 4 << 10

// isSchema reports whether an object describes a value and does not have one, as
// the parameters of a tool.
func isSchema(b []byte, q quote) bool {
	b = b[:min(len(b), maxSchema)]
	depth, lesser, others := 0, 0, 0
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == '{' || c == '[':
			depth++
			i++
		case c == '}' || c == ']':
			i++
			if depth--; depth == 0 {
				return others == 0
			}
		case c == '"' || c == '\\':
			n := q.lengthAt(b, i)
			if n == 0 {
				if c == '"' {
					return others == 0
				}
				i++
				continue
			}
			from := i + n
			to, _ := q.end(b, from)
			i = skipBlank(b, to+n, q)
			if depth != 1 || i >= len(b) || b[i] != ':' {
				continue
			}
			name := b[from:to]
			switch {
			case schemaWords()[string(name)], string(name) == "type" && isSchemaType(b, i+1, q):
				return true
			case lesserWords()[string(name)], bytes.HasPrefix(name, []byte("x-")):
				lesser++
			default:
				others++
			}
		default:
			i++
		}
	}
	return others == 0 && lesser > 0
}

// isSchemaType reports whether a type of JSON, or a list of them, follows at i.
func isSchemaType(b []byte, i int, q quote) bool {
	i = skipBlank(b, i, q)
	if i < len(b) && b[i] == '[' {
		i = skipBlank(b, i+1, q)
	}
	n := q.lengthAt(b, i)
	if n == 0 {
		return false
	}
	to, _ := q.end(b, i+n)
	return schemaTypes()[string(b[i+n:to])]
}
