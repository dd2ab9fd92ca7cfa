package redact

import (
	"bytes"
	"slices"
	"strings"

	"midwire/session/encoding"
	"midwire/session/words"
)

// fields masks credentials in lines of fields, of which the first, or every
// one, may be a start line: in the head of a message, in trailers, and in bytes
// of a connection that are not framed. Names, order and spacing stay.
func (e *edit) fields(every bool) {
	first := true
	within := noField // what a continuation line belongs to
	for i := 0; i < len(e.src); {
		end := len(e.src)
		if n := bytes.IndexByte(e.src[i:], '\n'); n >= 0 {
			end = i + n + 1
		}
		to := end
		for to > i && (e.src[to-1] == '\n' || e.src[to-1] == '\r') {
			to--
		}
		line := e.src[i:to]
		colon := bytes.IndexByte(line, ':')
		switch {
		case len(line) > 0 && (line[0] == ' ' || line[0] == '\t'):
			e.field(i, to, within)
		case colon >= 0 && !(first && isRequestLine(line[:colon])):
			within = e.r.fieldKind(bytes.TrimRight(line[:colon], " \t"))
			e.field(i+colon+1, to, within)
		case first:
			e.links(i, to)
		}
		i, first = end, every
	}
}

// isRequestLine reports whether what stands before the first colon belongs to a
// request line, whose target may hold one.
func isRequestLine(name []byte) bool {
	return bytes.ContainsAny(bytes.TrimRight(name, " \t"), " ?/")
}

// fieldKind says what of a header field is secret.
type fieldKind uint8

const (
	noField       fieldKind = iota // what is in its URLs
	allSecret                      // the whole value, but for a scheme
	scheme                         // what follows the first word
	cookies                        // the values of a list of name=value
	setCookie                      // the same, but for attributes of cookies
	contentCoding                  // nothing; it says how the body is coded
	transferCoding
	contentType // nothing is secret; it decides whether the body is a form
)

func (r *Redactor) fieldKind(name []byte) fieldKind {
	if len(r.keys)+len(r.paths) > 0 && r.ownField(name) {
		return allSecret
	}
	if len(name) < 3 {
		return noField
	}
	switch len(name) {
	case len("Cookie"):
		if bytes.EqualFold(name, []byte("Cookie")) {
			return cookies
		}
	case len("Set-Cookie"):
		if bytes.EqualFold(name, []byte("Set-Cookie")) {
			return setCookie
		}
	case len("Set-Cookie2"):
		if bytes.EqualFold(name, []byte("Set-Cookie2")) { // a list of cookies (RFC 2965)
			return cookies
		}
	case len("Content-Type"):
		if bytes.EqualFold(name, []byte("Content-Type")) {
			return contentType
		}
	case len("Content-Encoding"):
		if bytes.EqualFold(name, []byte("Content-Encoding")) {
			return contentCoding
		}
	case len("Transfer-Encoding"):
		if bytes.EqualFold(name, []byte("Transfer-Encoding")) {
			return transferCoding
		}
	}
	if !mayBeSecret(name) {
		return noField
	}
	if len(name) > len(mcpParam) && words.HasPrefix(string(name), mcpParam) {
		if asMember(name[len(mcpParam):]) == noSecret {
			return noField
		}
		return allSecret
	}
	switch secretName(name) {
	case noSecret, inURL:
		return noField
	case auth:
		return scheme
	}
	return allSecret
}

// mcpParam begins the name of a field that repeats an argument of a tool
// (2026-07-28).
const mcpParam = "Mcp-Param-"

// ownField reports whether the user named that field. Who masks an argument by
// its name or place means the field that repeats it too.
func (r *Redactor) ownField(name []byte) bool {
	if len(name) > len(mcpParam) && words.HasPrefix(string(name), mcpParam) {
		argument := name[len(mcpParam):]
		asked := func(p []string) bool { return strings.EqualFold(p[len(p)-1], string(argument)) }
		if slices.ContainsFunc(r.paths, asked) || r.ownKey(argument) {
			return true
		}
	}
	return r.ownKey(name)
}

// ownKey reports whether the user named that key.
func (r *Redactor) ownKey(name []byte) bool {
	return slices.ContainsFunc(r.keys, func(k string) bool {
		return words.Equal(k, string(name))
	})
}

// field masks the value of a field, or a continuation of it.
func (e *edit) field(from, to int, k fieldKind) {
	for from < to && (e.src[from] == ' ' || e.src[from] == '\t') {
		from++
	}
	for from < to && (e.src[to-1] == ' ' || e.src[to-1] == '\t') {
		to--
	}
	value := e.src[from:to]
	if len(value) == 0 {
		return
	}
	switch k {
	case noField:
		if indexOf(value, linkHints) < len(value) {
			e.links(from, to)
		}
	case contentCoding:
		e.r.head.content = e.r.head.content.Join(encoding.Parse(string(value)))
	case transferCoding:
		e.r.head.transfer = e.r.head.transfer.Join(encoding.Parse(string(value)))
	case contentType:
		e.r.head.form = formOf(value)
	case cookies, setCookie:
		e.cookies(from, to, k == setCookie)
	case scheme:
		if i := bytes.IndexByte(value, ' '); i > 0 {
			from += len(value) - len(bytes.TrimLeft(value[i:], " "))
		}
		if rest := e.src[from:to]; !isPlaceholder(rest) && !isWay(rest) {
			e.mask(from, to)
		}
	default:
		from += schemeLen(value)
		if isCredential(e.src[from:to], mode) {
			e.mask(from, to)
		}
	}
}

// cookies masks values in a list of name=value, and what has no name. In
// Set-Cookie attributes stay, and a further cookie may follow one behind a comma.
func (e *edit) cookies(from, to int, attributes bool) {
	for first := true; from < to; first = false {
		end := from + indexOf(e.src[from:to], cookieEnds)
		eq := bytes.IndexByte(e.src[from:end], '=')
		name := bytes.TrimSpace(e.src[from:max(from+eq, from)])
		start := from + eq + 1
		switch {
		case attributes && !first && isAttribute(name):
			if comma := bytes.IndexByte(e.src[start:end], ','); comma >= 0 {
				start += comma + 1
				if eq := bytes.IndexByte(e.src[start:end], '='); eq >= 0 {
					e.mask(start+eq+1, end)
				}
			}
		case eq >= 0 || first || !attributes:
			for start < end && e.src[start] == ' ' && eq < 0 {
				start++
			}
			e.mask(start, end)
		}
		from = end + 1
	}
}

var cookieEnds = setOf(";")

var attributes = wordSet("path domain expires max-age samesite priority version comment port")

func isAttribute(name []byte) bool { return attributes()[words.Fold(string(name))] }

// schemes are the words in front of a credential that say how it is used.
var schemes = wordSet("bearer basic token digest apikey api-key key negotiate ntlm dpop hmac jwt oauth bot splunk sso-key geniekey gnap aws4-hmac-sha256")

// schemeLen is the length of such a word at the beginning of a value, with the
// blank behind it.
func schemeLen(value []byte) int {
	i := bytes.IndexByte(value[:min(len(value), 24)], ' ')
	if i < 2 {
		return 0
	}
	var small [24]byte
	lower := small[:copy(small[:], value[:i])]
	for j, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[j] = c | 0x20
		}
	}
	if !schemes()[string(lower)] {
		return 0
	}
	return len(value) - len(bytes.TrimLeft(value[i:], " "))
}
