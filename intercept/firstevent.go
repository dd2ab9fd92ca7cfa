package intercept

import (
	"bytes"
	"net/url"
	"strings"

	"midwire/session/words"
)

type eventState int

const (
	eventOpen     eventState = iota // the first event may still be an endpoint event that must change
	eventOther                      // it is not
	eventEndpoint                   // it is, and complete
)

const byteOrderMark = "\xef\xbb\xbf"

// firstEvent reads the beginning of an event stream, as it comes, up to the
// first event (WHATWG HTML, 9.2.6), and finds the URL of the target's origin
// in it when it is an endpoint event. What has no data, like a comment or a
// retry time, is no event.
type firstEvent struct {
	target *url.URL

	kept []byte // the content, but what was dropped
	line []byte // the line that has not ended
	next bool   // this is not the first line, before which a byte order mark may stand
	cr   bool   // the last byte was a carriage return, a line feed may belong to it
	name string // the block's event field
	// Where in kept the only data line of the block begins, and its URL is. end
	// is 0 while there is none.
	data, from, end int
}

func (f *firstEvent) feed(p []byte) eventState {
	for len(p) > 0 {
		n := bytes.IndexAny(p, "\r\n")
		if n == 0 && f.cr && p[0] == '\n' {
			f.cr = false
			f.kept, p = append(f.kept, p[0]), p[1:]
			continue
		}
		if n < 0 {
			f.cr = false
			f.line, f.kept = append(f.line, p...), append(f.kept, p...)
			break
		}
		f.cr = p[n] == '\r'
		f.line, f.kept = append(f.line, p[:n]...), append(f.kept, p[:n+1]...)
		p = p[n+1:]
		if state := f.endLine(); state != eventOpen {
			f.kept = append(f.kept, p...)
			return state
		}
		f.line, f.next = f.line[:0], true
	}
	if name, value, ok := bytes.Cut(f.text(), []byte(":")); ok && string(name) == "data" && !f.mayChange(value) {
		return eventOther
	}
	return eventOpen
}

func (f *firstEvent) text() []byte {
	if f.next {
		return f.line
	}
	return bytes.TrimPrefix(f.line, []byte(byteOrderMark))
}

func (f *firstEvent) endLine() eventState {
	text := f.text()
	name, value, _ := bytes.Cut(text, []byte(":"))
	switch {
	case len(text) == 0 && f.end == 0:
		f.name = ""
	case len(text) == 0 && f.name == "endpoint":
		return eventEndpoint
	case len(text) == 0:
		return eventOther
	case string(name) == "event":
		f.name = string(bytes.TrimPrefix(value, []byte(" ")))
	case string(name) == "data":
		value = bytes.TrimLeft(value, " \t")
		u, err := url.Parse(string(bytes.TrimRight(value, " \t")))
		if err != nil || !sameOrigin(u, f.target) || !f.mayChange(value) {
			return eventOther
		}
		f.end = len(f.kept) - 1
		f.data, f.from = f.end-len(f.line), f.end-len(value)
	}
	return eventOpen
}

// mayChange reports whether a data line that starts with that value may have to
// change.
func (f *firstEvent) mayChange(value []byte) bool {
	if f.end > 0 || f.name != "" && f.name != "endpoint" {
		return false
	}
	value = bytes.TrimLeft(value, " \t")
	for _, start := range []string{f.target.Scheme + "://", "//"} {
		if n := min(len(start), len(value)); words.Equal(string(value[:n]), start[:n]) {
			return true
		}
	}
	return false
}

// held is how many bytes at the end of what is kept may have to change.
func (f *firstEvent) held() int {
	text := f.text()
	switch {
	case f.end > 0:
		return len(f.kept) - f.data
	case len(f.line) == 0, !f.mayChange(nil):
		return 0
	case bytes.HasPrefix(text, []byte("data:")), strings.HasPrefix("data:", string(text[:min(len(text), 5)])),
		!f.next && strings.HasPrefix(byteOrderMark, string(text[:min(len(text), 3)])):
		return len(f.line)
	}
	return 0
}

func (f *firstEvent) drop(n int) {
	f.kept = append(f.kept[:0], f.kept[n:]...)
	f.data, f.from, f.end = f.data-n, f.from-n, max(f.end-n, 0)
}

// parts is what is kept, cut before and behind the URL of an endpoint event.
func (f *firstEvent) parts() (before, url, after []byte) {
	return f.kept[:f.from], f.kept[f.from:f.end], f.kept[f.end:]
}

// sameOrigin reports whether an absolute or scheme-relative URL is of the target.
func sameOrigin(u, target *url.URL) bool {
	if u.Host == "" || u.Scheme != "" && u.Scheme != target.Scheme {
		return false
	}
	port := func(h *url.URL) string {
		if p := h.Port(); p != "" {
			return p
		}
		if target.Scheme == "https" {
			return "443"
		}
		return "80"
	}
	return HostName(u.Hostname()) == HostName(target.Hostname()) && port(u) == port(target)
}
