package record

import (
	"bytes"
	"strings"
)

// links masks the parameters of URLs wherever they stand in a text, and
// nothing else. Where there is nothing to mask it appends nothing.
func (r *redactor) links(dst, src []byte) ([]byte, bool) { return r.parameters(dst, src, false) }

// form is links for a text that begins with a parameter.
func (r *redactor) form(dst, src []byte) ([]byte, bool) { return r.parameters(dst, src, true) }

func (r *redactor) parameters(dst, src []byte, begun bool) ([]byte, bool) {
	if bytes.IndexByte(src, '=') < 0 {
		return dst, false
	}
	kept, masked := 0, false
	for i := 0; i < len(src); {
		if !begun {
			next := bytes.IndexAny(src[i:], "?&#")
			if next < 0 {
				break
			}
			i += next + 1
		}
		begun = false
		name := src[i : i+untilAny(src[i:], nameEnds)]
		i += len(name)
		if i >= len(src) || src[i] != '=' {
			continue
		}
		i++
		value := src[i : i+untilAny(src[i:], valueEnds)]
		if len(value) > 0 && !isMask(value) && (secretParameter(name) || r.ownKey(name) != noSecret) {
			dst = r.appendMask(append(dst, src[kept:i]...), value)
			kept, masked = i+len(value), true
		}
		i += len(value)
	}
	if masked {
		dst = append(dst, src[kept:]...)
	}
	return dst, masked
}

const (
	nameEnds  = "=?&#;\"'\\<> \t\r\n"
	valueEnds = "&#;\"'\\<> \t\r\n"
)

func untilAny(b []byte, ends string) int {
	for i, c := range b {
		if strings.IndexByte(ends, c) >= 0 {
			return i
		}
	}
	return len(b)
}

// secretParameter says whether a query parameter of that name carries a
// credential. Session ids do not count: without them a recording explains
// nothing.
func secretParameter(name []byte) bool {
	var small [32]byte
	if len(name) == 0 || len(name) > len(small) {
		return false
	}
	plain := small[:0]
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != '_' && c != '-' {
			plain = append(plain, c)
		}
	}
	switch string(plain) {
	case "token", "code", "key", "jwt", "auth", "sig", "signature", "pwd", "passwd", "pass", "clientassertion", "codeverifier", "bearer":
		return true
	}
	for _, end := range [...]string{"apikey", "accesskey", "secret", "password", "accesstoken", "refreshtoken", "idtoken", "authtoken", "apitoken", "bearertoken", "subjecttoken"} {
		if bytes.HasSuffix(plain, []byte(end)) {
			return true
		}
	}
	return false
}

// looksLikeForm says whether a body can be name=value&name=value.
func looksLikeForm(b []byte) bool {
	n := untilAny(b, "=&{[<\" \t\r\n")
	return n > 0 && n < len(b) && b[n] == '='
}

// url masks the parameters and the password of one URL.
func (r *redactor) url(s string) string {
	if i, j := strings.Index(s, "://"), strings.IndexByte(s, '@'); i > 0 && j > i && !strings.ContainsAny(s[i+3:j], "/?#") {
		if user, password, ok := strings.Cut(s[i+3:j], ":"); ok {
			s = s[:i+3] + user + ":" + string(r.appendMask(nil, []byte(password))) + s[j:]
		}
	}
	if out, masked := r.links(nil, []byte(s)); masked {
		return string(out)
	}
	return s
}
