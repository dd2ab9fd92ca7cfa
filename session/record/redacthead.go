package record

import (
	"bytes"
	"strings"

	"midwire/session/coded"
)

// head masks credentials in the head of a request or a response, or in
// trailers. Names, order and spacing of the lines stay as they are.
func (r *redactor) head(dst, src []byte) ([]byte, bool) { return r.fields(dst, src, false) }

// unframed masks credentials in bytes of an HTTP connection that are not
// framed: any line may be that of a field or of a request.
func (r *redactor) unframed(dst, src []byte) ([]byte, bool) { return r.fields(dst, src, true) }

// fields masks credentials in lines of fields, of which the first, or every
// one, may be a start line.
func (r *redactor) fields(dst, src []byte, every bool) ([]byte, bool) {
	masked, first := false, true
	within := noSecret // what a continuation line belongs to
	for line := range bytes.Lines(src) {
		text := line
		for len(text) > 0 && (text[len(text)-1] == '\n' || text[len(text)-1] == '\r') {
			text = text[:len(text)-1]
		}
		end := line[len(text):]
		hit := false
		name, _, isField := bytes.Cut(text, []byte(":"))
		switch {
		case len(text) > 0 && (text[0] == ' ' || text[0] == '\t'):
			dst, hit = r.value(dst, text, within)
		case isField && !(first && isRequestLine(name)):
			within = r.fieldSecret(trimEnd(name))
			dst = append(append(dst, name...), ':')
			dst, hit = r.value(dst, text[len(name)+1:], within)
		case first:
			dst, hit = r.links(dst, text)
			if !hit {
				dst = append(dst, text...)
			}
		default:
			dst = append(dst, text...)
		}
		dst = append(dst, end...)
		masked, first = masked || hit, every
	}
	return dst, masked
}

// isRequestLine says whether what stands before the first colon belongs to a
// request line, whose target may hold one.
func isRequestLine(name []byte) bool {
	for _, c := range trimEnd(name) {
		if c == ' ' || c == '?' || c == '/' {
			return true
		}
	}
	return false
}

// trimEnd removes blanks before a colon, which some send.
func trimEnd(name []byte) []byte {
	for len(name) > 0 && (name[len(name)-1] == ' ' || name[len(name)-1] == '\t') {
		name = name[:len(name)-1]
	}
	return name
}

// secrecy says what of a header field is secret.
type secrecy uint8

const (
	noSecret   secrecy = iota
	allSecret          // the whole value
	scheme             // what follows the first word
	cookies            // the values of a list of name=value
	setCookie          // the value of the first name=value, not its attributes
	link               // parameters and password of a URL
	bodyCoding         // nothing; it says how the body is compressed
)

func (r *redactor) fieldSecret(name []byte) secrecy {
	var small [64]byte
	if len(name) > len(small) || len(name) < 3 {
		return r.ownKey(name)
	}
	lower := small[:len(name)]
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		lower[i] = c
	}
	switch string(lower) {
	case "authorization", "proxy-authorization":
		return scheme
	case "cookie", "set-cookie2": // a list of cookies (RFC 2965)
		return cookies
	case "set-cookie":
		return setCookie
	case "location", "referer", "content-location", "link", "refresh", "www-authenticate", "x-original-url", "x-original-uri", "x-forwarded-uri", "x-rewrite-url":
		return link
	case "dpop", "apikey", "api-key", "x-amzn-oidc-data":
		return allSecret
	case "content-encoding":
		return bodyCoding
	}
	if bytes.HasPrefix(lower, []byte("mcp-")) {
		return r.ownParameter(name)
	}
	if bytes.HasSuffix(lower, []byte("-authorization")) { // as gateways pass it on
		return scheme
	}
	for _, end := range [...]string{"-token", "-api-key", "-apikey", "-secret", "-password", "-auth-key", "-access-key", "-functions-key", "-subscription-key", "-rapidapi-key", "-jwt-assertion"} {
		if len(lower) > len(end) && string(lower[len(lower)-len(end):]) == end {
			return allSecret
		}
	}
	return r.ownKey(name)
}

// ownParameter is ownKey for a header that begins with Mcp-. Mcp-Param-NAME
// repeats an argument of a tool (2026-07-28): who masks that by its name or
// place means the header too.
func (r *redactor) ownParameter(name []byte) secrecy {
	const before = "mcp-param-"
	if len(name) > len(before) && strings.EqualFold(string(name[:len(before)]), before) {
		argument := name[len(before):]
		for _, p := range r.paths {
			if strings.EqualFold(p[len(p)-1], string(argument)) {
				return allSecret
			}
		}
		if r.ownKey(argument) != noSecret {
			return allSecret
		}
	}
	return r.ownKey(name)
}

// ownKey says whether the user asked for that name.
func (r *redactor) ownKey(name []byte) secrecy {
	for _, k := range r.keys {
		if len(k) == len(name) && strings.EqualFold(k, string(name)) {
			return allSecret
		}
	}
	return noSecret
}

// value appends the value of a field, or a continuation of it, masked.
func (r *redactor) value(dst, v []byte, s secrecy) ([]byte, bool) {
	switch s {
	case bodyCoding:
		r.coding = coded.Parse(string(v))
		fallthrough
	case noSecret:
		return append(dst, v...), false
	}
	from := len(v) - len(bytes.TrimLeft(v, " \t"))
	to := len(bytes.TrimRight(v, " \t"))
	if from >= to {
		return append(dst, v...), false
	}
	start := len(dst)
	dst = append(dst, v[:from]...)
	text := v[from:to]
	switch s {
	case scheme:
		if i := bytes.IndexByte(text, ' '); i > 0 {
			rest := bytes.TrimLeft(text[i:], " ")
			dst = append(dst, text[:len(text)-len(rest)]...)
			text = rest
		}
		dst = r.appendMask(dst, text)
	case cookies:
		for i, pair := range bytes.Split(text, []byte(";")) {
			if i > 0 {
				dst = append(dst, ';')
			}
			dst = r.cookie(dst, pair)
		}
	case setCookie:
		pair, _, _ := bytes.Cut(text, []byte(";"))
		dst = append(r.cookie(dst, pair), text[len(pair):]...)
	case link:
		out, hit := r.links(dst, text)
		if !hit {
			out = append(dst, text...)
		}
		dst = out
	default:
		dst = r.appendMask(dst, text)
	}
	dst = append(dst, v[to:]...)
	return dst, !bytes.Equal(dst[start:], v)
}

func (r *redactor) cookie(dst, pair []byte) []byte {
	name, value, ok := bytes.Cut(pair, []byte("="))
	if !ok {
		name, value = nil, bytes.TrimLeft(pair, " ")
		dst = append(dst, pair[:len(pair)-len(value)]...)
	} else {
		dst = append(append(dst, name...), '=')
	}
	return r.appendMask(dst, value)
}
