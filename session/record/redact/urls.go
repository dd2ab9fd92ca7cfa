package redact

import (
	"bytes"
	"net/url"
)

var (
	hostEnds  = setOf("\"'<> \t\r\n`/?#\\")
	urlEnds   = setOf("\"'<> \t\r\n`?#;")
	nameEnds  = setOf("=?&#;\"'\\<> \t\r\n")
	valueEnds = setOf("&#;\"'\\<> \t\r\n")
	pathEnds  = setOf("/?&#;\"'\\<> \t\r\n") // of a parameter of a path: /a;b=c/d?e=f
	between   = setOf("?&#;")
	linkMarks = setOf(":?&#;")
	linkHints = setOf("?&#;@")
)

// URL masks the parameters and the password of one URL.
func (r *Redactor) URL(s string) string {
	e := edit{r: r, src: []byte(s)}
	e.links(0, len(s))
	return string(e.finish())
}

// links masks what is secret in the URLs and the request targets in
// src[from:to].
func (e *edit) links(from, to int) {
	text := e.src[:to]
	for i := from; i < to; {
		i += indexOf(text[i:], linkMarks)
		switch {
		case i >= to:
		case text[i] != ':':
			i = e.query(i, to, true)
		case bytes.HasPrefix(text[i:], []byte("://")):
			i = e.url(i, true)
		default:
			i++
		}
	}
}

// url masks what is secret in the URL whose :// or :\/\/ is at i: the password
// before its host, or all that stands there in a web address with nothing else,
// and parameters. In free text, which is no link, a parameter that is called code or
// key is only taken for a secret when it looks like one. It returns where the URL ends.
func (e *edit) url(i int, isLink bool) int {
	web := bytes.HasSuffix(e.src[:i], []byte("http")) || bytes.HasSuffix(e.src[:i], []byte("https"))
	for i++; i < len(e.src) && (e.src[i] == '/' || e.src[i] == '\\'); i++ {
	}
	host := e.src[i : i+indexOf(e.src[i:], hostEnds)]
	if at := bytes.LastIndexByte(host, '@'); at >= 0 {
		from := i
		colon := bytes.IndexByte(host[:at], ':')
		if colon >= 0 {
			from += colon + 1
		}
		if (colon >= 0 || web) && !isMask(host[:at]) && !isPlaceholder(e.src[from:i+at]) {
			e.mask(from, i+at)
		}
		i += at
	}
	i += indexOf(e.src[i:], urlEnds)
	if i >= len(e.src) || !between[e.src[i]] {
		return i
	}
	return e.query(i, len(e.src), isLink)
}

// query masks parameters from a ?, # or ; at i on, and returns where they end.
func (e *edit) query(i, to int, isLink bool) int {
	src := e.src[:to]
	ends := pathEnds
	for i < to {
		switch {
		case between[src[i]]:
			if src[i] == '?' || src[i] == '#' {
				ends = valueEnds
			}
			i++
		case src[i] == '/' && ends == pathEnds:
			i += indexOf(src[i:], urlEnds)
			continue
		case bytes.HasPrefix(src[i:], []byte(`\u0026`)): // & as some write it in JSON
			i += len(`\u0026`)
		default:
			return i
		}
		name := src[i : i+indexOf(src[i:], nameEnds)]
		i += len(name)
		if i < to && src[i] == '=' {
			i++
		} else if bytes.HasPrefix(src[i:], []byte(`\u003d`)) {
			i += len(`\u003d`)
		} else {
			continue
		}
		n := indexOf(src[i:], ends)
		if n > 0 && e.r.isParameter(name, src[i:i+n], isLink) {
			e.mask(i, i+n)
		}
		i += n
	}
	return i
}

// isParameter reports whether a parameter of a URL or a form carries a credential,
// or is one that the user named. Its name may be percent-encoded.
func (r *Redactor) isParameter(name, value []byte, isLink bool) bool {
	if bytes.IndexByte(name, '%') >= 0 || bytes.IndexByte(name, '+') >= 0 {
		if plain, err := url.QueryUnescape(string(name)); err == nil {
			name = []byte(plain)
		}
	}
	if r.ownKey(name) {
		return true
	}
	switch k := secretName(name); k {
	case noSecret:
		return false
	case inURL:
		return isLink || len(value) > 7 && len(bytes.Trim(value, "0123456789")) > 0
	case keyLike:
		return isShouting(name)
	default:
		return isCredential(value, k)
	}
}

// set is a set of bytes.
type set [256]bool

func setOf(all string) *set {
	var s set
	for i := range len(all) {
		s[all[i]] = true
	}
	return &s
}

// indexOf is how many bytes come before the first of a set.
func indexOf(b []byte, ends *set) int {
	for i, c := range b {
		if ends[c] {
			return i
		}
	}
	return len(b)
}
