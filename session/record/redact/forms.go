package redact

import (
	"bytes"

	"midwire/session/words"
)

// formKind is what the Content-Type of a message says about its body.
type formKind uint8

const (
	unsaid     formKind = iota
	urlencoded          // application/x-www-form-urlencoded
	multipart           // multipart/form-data (RFC 7578)
)

func formOf(contentType []byte) formKind {
	kind, _, _ := bytes.Cut(contentType, []byte(";"))
	switch kind = bytes.TrimSpace(kind); {
	case bytes.EqualFold(kind, []byte("application/x-www-form-urlencoded")):
		return urlencoded
	case words.HasPrefix(string(kind), "multipart/"):
		return multipart
	}
	return unsaid
}

// forms masks the parameters of a body that is a form, or looks like one.
// before is what the part before left; tail and open are for the next.
func (r *Redactor) forms(p *pass, kind formKind, before *partial) (tail []byte, open bool) {
	said := kind == urlencoded
	switch {
	case kind != unsaid:
	case before == nil && looksLikeForm(p.data):
		kind = urlencoded
	case before == nil && bytes.HasPrefix(p.data, []byte("--")):
		kind = multipart
	default:
		return nil, false
	}
	p.step(func(e *edit) {
		if before != nil {
			e.src = append(before.formTail, e.src...)
			e.kept, open = len(before.formTail), before.formOpen
		}
		if kind == multipart {
			open = e.formParts(open)
		} else {
			open = e.form(open, said)
		}
		if !open {
			tail = tailOf(e.src)
		}
	})
	return tail, open
}

var (
	pairEnds      = setOf("&")
	wordEnds      = setOf("& \t\r\n")
	formNameEnds  = setOf("=&")
	partNameEnds  = setOf(";\r\n")
	plainNameEnds = setOf("={<\" \t\r\n")
)

// form masks the parameters of a form. open says that it begins within a secret;
// it returns whether it ends within one.
func (e *edit) form(open, said bool) bool {
	ends := wordEnds
	if said {
		ends = pairEnds
	}
	src := e.src
	i := 0
	if open {
		i = indexOf(src[e.kept:], ends) + e.kept
		e.mask(0, i)
	}
	for i < len(src) {
		open = false
		if src[i] == '&' {
			i++
		}
		i += len(src[i:]) - len(bytes.TrimLeft(src[i:], " \t\r\n"))
		from := i
		i += indexOf(src[i:], formNameEnds)
		name := src[from:i]
		if i >= len(src) || src[i] != '=' {
			continue
		}
		i++
		n := indexOf(src[i:], ends)
		value := bytes.TrimRight(src[i:i+n], " \t\r\n")
		if open = e.r.isParameter(name, value, true); open && len(value) > 0 {
			e.mask(i, i+len(value))
		}
		if i += n; i < len(src) && src[i] != '&' {
			i += indexOf(src[i:], pairEnds)
		}
	}
	return open
}

// maxPartHead is how long the head of a part may be behind its name.
const maxPartHead = 1 << 10

// formParts masks the values of secret names in the parts of a form.
func (e *edit) formParts(open bool) bool {
	src := e.src
	i := 0
	if open {
		if i, open = e.formPart(e.kept); open {
			return true
		}
	}
	for {
		next := bytes.Index(src[i:], []byte("name="))
		if next < 0 {
			return false
		}
		i += next + len("name=")
		name := bytes.Trim(src[i:i+indexOf(src[i:], partNameEnds)], `"`)
		i += len(name)
		rest := src[i:min(len(src), i+maxPartHead)]
		head, blank := bytes.Index(rest, []byte("\r\n\r\n")), 4
		if lf := bytes.Index(rest, []byte("\n\n")); lf >= 0 && (head < 0 || lf < head) {
			head, blank = lf, 2
		}
		if head < 0 {
			continue
		}
		if !e.r.isParameter(name, []byte("a value"), true) {
			continue
		}
		i, open = e.formPart(i + head + blank)
		if open {
			return true
		}
	}
}

// formPart masks the content of a part that begins at i.
func (e *edit) formPart(i int) (end int, open bool) {
	end = bytes.Index(e.src[i:], []byte("\n--"))
	if open = end < 0; open {
		end = len(e.src) - i
	}
	end += i
	to := end
	if !open && to > i && e.src[to-1] == '\r' {
		to--
	}
	e.mask(i, to)
	return end, open
}

// looksLikeForm reports whether a body can be name=value&name=value.
func looksLikeForm(b []byte) bool {
	if len(b) > 0 && (b[0] == '[' || b[0] == '{' || b[0] == '<') {
		return false
	}
	n := indexOf(b, plainNameEnds)
	return n > 0 && n < len(b) && b[n] == '='
}
