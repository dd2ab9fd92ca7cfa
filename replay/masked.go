package replay

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/jsonpath"
	"midwire/session/wire"
)

// A recording has masks in the place of credentials. They are never sent: what
// they stand for has to be given, or the replay says which it lacks.

// mark begins a mask; eight hexadecimal digits follow.
const mark = "redacted:"

const maskLength = len(mark) + 8

// findMask returns the first mask in a text, "" for none.
func findMask(text []byte) string {
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(mark))
		if i < 0 {
			return ""
		}
		from += i + len(mark)
		if end := from + 8; end <= len(text) && isHex(text[from:end]) {
			return string(text[end-maskLength : end])
		}
	}
}

// HasMask says whether a text has a mask in the place of a credential.
func HasMask(text string) bool { return findMask([]byte(text)) != "" }

func isHex(b []byte) bool {
	for _, c := range b {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func isMask(text string) bool { return len(text) == maskLength && findMask([]byte(text)) == text }

// MaskedValue is a credential that the recording does not hold.
type MaskedValue struct {
	Step   int32
	Header string        // name of a header, or
	Target string        // the request's target, or
	Path   jsonpath.Path // a place in the payload; nil also for one that no path leads to
	Mask   string
}

// place says where a masked value is.
func (m *MaskedValue) place() string {
	switch {
	case m.Header != "":
		return "header " + m.Header
	case m.Target != "":
		return "URL " + m.Target
	case m.Path == nil:
		return "the body"
	}
	return m.own().String()
}

// own is the path in the message, for one of a batch.
func (m *MaskedValue) own() jsonpath.Path {
	if len(m.Path) > 0 && m.Path[0].Kind == jsonpath.Element {
		return m.Path[1:]
	}
	return m.Path
}

// masked notes what a step needs and the recording does not hold.
func (c *correlator) masked(step int32, payload []byte) {
	note := func(m MaskedValue) {
		m.Step = step
		c.Masked = append(c.Masked, m)
	}
	if h, ok := c.Script.head(step); ok {
		if mask := findMask([]byte(h.Target)); mask != "" {
			note(MaskedValue{Target: h.Target, Mask: mask})
		}
		for _, f := range h.Fields {
			// Cookies are the server's to hand out again.
			if mask := findMask([]byte(f.Value)); mask != "" && !strings.EqualFold(f.Name, "Cookie") {
				note(MaskedValue{Header: f.Name, Mask: mask})
			}
		}
	}
	mask := findMask(payload)
	if mask == "" {
		return
	}
	before := len(c.Masked)
	jsonpath.Leaves(payload, nil, func(p jsonpath.Path, value []byte) bool {
		if mask := findMask(value); mask != "" && len(p) > 0 {
			note(MaskedValue{Path: slices.Clone(p), Mask: mask})
		}
		return true
	})
	if len(c.Masked) == before {
		note(MaskedValue{Mask: mask})
	}
}

// lack is what is missing, each once, and how to give it.
type lack struct {
	what, how []string
}

func (l *lack) add(what, how string) {
	if !slices.Contains(l.what, what) {
		l.what, l.how = append(l.what, what), append(l.how, how)
	}
}

// credentials says which values the recording masks and nobody gave.
func (p *Plan) credentials(opt *Options) error {
	var headers, urls, places lack
	skip := p.skipped(opt)
	for at := 0; at < len(p.Masked); at++ {
		m := &p.Masked[at]
		switch {
		case skip[m.Step]:
		case m.Header != "":
			if _, given := field(opt.Header, m.Header); !given && opt.URL != nil && !p.knows(m.Mask) {
				headers.add(m.Header, fmt.Sprintf("--header '%s: …', or leave it out with --header '%s:'", m.Header, m.Header))
			}
		case m.Target != "":
			if p.sendsMasked(m, opt) {
				urls.add(m.Target, fmt.Sprintf("--set %s=…, or with the whole URL as --to; a ? at its end leaves the query out", m.Mask))
			}
		default:
			end := at
			for end < len(p.Masked) && p.Masked[end].Step == m.Step {
				end++
			}
			p.lacks(p.Masked[at:end], &places)
			at = end - 1
		}
	}
	var missing []string
	if len(headers.what) > 0 {
		missing = append(missing, "header "+strings.Join(headers.what, ", ")+" (give it with "+headers.how[0]+")")
	}
	if len(urls.what) > 0 {
		missing = append(missing, "a part of the URL "+urls.what[0]+" (give it with "+urls.how[0]+")")
	}
	if len(places.what) > 0 {
		missing = append(missing, strings.Join(places.what, ", ")+" (give it with "+places.how[0]+")")
	}
	if len(missing) > 0 {
		return fmt.Errorf("the recording masks %s", strings.Join(missing, ", and "))
	}
	return nil
}

// knows says whether the user gave what a mask stands for.
func (p *Plan) knows(mask string) bool {
	return slices.ContainsFunc(p.Options.Set, func(s Setting) bool { return s.Was == mask })
}

// keepsPaths says whether the recorded paths are sent to a target.
func (p *Plan) keepsPaths(u *url.URL) bool {
	return (u.Path == "" || u.Path == "/") && p.Script.Header.Tap == "http"
}

// sendsMasked says whether what is masked of a recorded URL would be sent. Over
// HTTP+SSE the server says where to.
func (p *Plan) sendsMasked(m *MaskedValue, opt *Options) bool {
	if opt.URL == nil || opt.Transport == "sse" || p.Script.Sessions[p.Script.Steps[m.Step].Session].Transport == session.TransportSSE {
		return false
	}
	u := *opt.URL
	aimAs(&u, p.keepsPaths(opt.URL), m.Target)
	mask := findMask([]byte(u.RequestURI()))
	return mask != "" && !p.knows(mask)
}

// lacks notes what of the payload of one step is still masked when all that the
// user and the new server give is in it.
func (p *Plan) lacks(masked []MaskedValue, places *lack) {
	payload, _, err := p.payload(masked[0].Step, func(int32) (string, bool) { return "", true })
	if err != nil || findMask(payload) == "" {
		return
	}
	found := false
	for i := range masked {
		m := &masked[i]
		value := m.Path.Get(payload)
		mask := findMask(value)
		if m.Path == nil || mask == "" {
			continue
		}
		found = true
		if own := m.own(); own[0].Name == "params" && wire.Text(value) == mask {
			places.add(own.String(), "--set "+own.String()+"=…")
		} else {
			places.add(own.String(), "--set "+mask+"=…")
		}
	}
	if !found {
		frame := p.Script.Steps[masked[0].Step].Frame
		places.add(fmt.Sprintf("a part of #%d", frame), "a recording made with --keep-secrets, or leave its session out with --session")
	}
}

// maskIn says where in the head of a request a mask stands, "" for nowhere.
func maskIn(req *http.Request) string {
	if findMask([]byte(req.URL.RequestURI())) != "" {
		return "its URL"
	}
	for name, values := range req.Header {
		for _, v := range values {
			if findMask([]byte(v)) != "" {
				return "header " + name
			}
		}
	}
	return ""
}
