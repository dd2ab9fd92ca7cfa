package record

import (
	"bytes"
	"net/url"
	"strings"
)

// links masks the parameters of URLs wherever they stand in a text, and the
// passwords in them. Where there is nothing to mask it appends nothing.
func (r *redactor) links(dst, src []byte) ([]byte, bool) {
	start := len(dst)
	out, masked := r.passwords(dst, src)
	if !masked {
		return r.parameters(dst, src, false)
	}
	if again, more := r.parameters(nil, out[start:], false); more {
		return append(out[:start], again...), true
	}
	return out, true
}

// passwords masks what stands before the host of a URL: the password, or all
// of it in a web address that has nothing else there.
func (r *redactor) passwords(dst, src []byte) ([]byte, bool) {
	kept := 0
	for i := 0; ; {
		next := bytes.Index(src[i:], []byte("://"))
		if next < 0 {
			break
		}
		web := bytes.HasSuffix(src[:i+next], []byte("http")) || bytes.HasSuffix(src[:i+next], []byte("https"))
		i += next + len("://")
		authority := src[i : i+untilAny(src[i:], "/?#\"'\\<> \t\r\n")]
		at := bytes.LastIndexByte(authority, '@')
		if at < 0 {
			continue
		}
		from := i
		if colon := bytes.IndexByte(authority[:at], ':'); colon >= 0 {
			from += colon + 1
		} else if !web {
			continue
		}
		if isMask(authority[:at]) {
			continue
		}
		if secret := src[from : i+at]; len(secret) > 0 && !isMask(secret) {
			dst = r.appendMask(append(dst, src[kept:from]...), secret)
			kept = i + at
		}
		i += at
	}
	if kept == 0 {
		return dst, false
	}
	return append(dst, src[kept:]...), true
}

// form is for a body that begins with a parameter.
func (r *redactor) form(dst, src []byte) ([]byte, bool) { return r.parameters(dst, src, true) }

func (r *redactor) parameters(dst, src []byte, form bool) ([]byte, bool) {
	if bytes.IndexByte(src, '=') < 0 {
		return dst, false
	}
	between, ends := "?&#;", valueEnds
	if form {
		between, ends = "&", "& \t\r\n"
	}
	kept, masked, begun := 0, false, form
	for i := 0; i < len(src); {
		if !begun {
			next := bytes.IndexAny(src[i:], between)
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
		value := src[i : i+untilAny(src[i:], ends)]
		if len(value) > 0 && !isMask(value) && r.parameterSecret(name) {
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

// parameterSecret says whether a parameter carries a credential, or is one
// that the user named. Its name may be percent-encoded.
func (r *redactor) parameterSecret(name []byte) bool {
	if bytes.IndexByte(name, '%') >= 0 {
		if plain, err := url.QueryUnescape(string(name)); err == nil {
			name = []byte(plain)
		}
	}
	return secretParameter(name) || r.ownKey(name) != noSecret
}

// formParts masks the values of telling names in a body of multipart/form-data
// (RFC 7578).
func (r *redactor) formParts(dst, src []byte) ([]byte, bool) {
	kept := 0
	for i := 0; ; {
		next := bytes.Index(src[i:], []byte("name=\""))
		if next < 0 {
			break
		}
		i += next + len("name=\"")
		name := src[i : i+untilAny(src[i:], "\"\r\n")]
		head := bytes.Index(src[i:], []byte("\r\n\r\n"))
		if head < 0 {
			break
		}
		if i += len(name); !r.parameterSecret(name) {
			continue
		}
		i += head - len(name) + len("\r\n\r\n")
		end := bytes.Index(src[i:], []byte("\r\n--"))
		if end < 0 {
			end = len(src) - i
		}
		if secret := src[i : i+end]; len(secret) > 0 && !isMask(secret) {
			dst = r.appendMask(append(dst, src[kept:i]...), secret)
			kept = i + end
		}
		i += end
	}
	if kept == 0 {
		return dst, false
	}
	return append(dst, src[kept:]...), true
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
	case "token", "code", "key", "jwt", "auth", "sig", "signature", "pwd", "passwd", "pass", "assertion", "clientassertion", "codeverifier", "devicecode", "idtokenhint", "bearer":
		return true
	}
	for _, end := range [...]string{"apikey", "accesskey", "secret", "password", "accesstoken", "refreshtoken", "idtoken", "authtoken", "apitoken", "bearertoken", "subjecttoken", "actortoken", "securitytoken", "signature"} {
		if bytes.HasSuffix(plain, []byte(end)) {
			return true
		}
	}
	return false
}

// looksLikeForm says whether a body can be name=value&name=value.
func looksLikeForm(b []byte) bool {
	if len(b) > 0 && (b[0] == '[' || b[0] == '{' || b[0] == '<') {
		return false
	}
	n := untilAny(b, "={<\" \t\r\n")
	return n > 0 && n < len(b) && b[n] == '='
}

// url masks the parameters and the password of one URL.
func (r *redactor) url(s string) string {
	if out, masked := r.links(nil, []byte(s)); masked {
		return string(out)
	}
	return s
}
