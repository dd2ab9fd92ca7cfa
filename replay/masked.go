package replay

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"midwire/session/jsonpath"
	"midwire/session/wire"
	"midwire/session/words"
)

// A recording has masks instead of credentials. They are never sent: what
// they stand for has to be given, or the replay says which it lacks.

// mark begins a mask; eight hexadecimal digits follow.
const mark = "redacted:"

const maskLength = len(mark) + 8

// FindMask returns the first mask in a text, "" for none.
func FindMask(text []byte) string {
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

// HasMask reports whether a text has a mask instead of a credential.
func HasMask(text string) bool { return FindMask([]byte(text)) != "" }

func isHex(b []byte) bool {
	return len(bytes.Trim(b, "0123456789abcdef")) == 0
}

func isMask(text string) bool { return len(text) == maskLength && FindMask([]byte(text)) == text }

// MaskedValue is a credential that the recording does not hold.
type MaskedValue struct {
	Header string        // name of a header, or
	Target string        // the request's target, or
	Path   jsonpath.Path // a place in the payload; nil also for one that no path leads to
	Mask   string
}

func (m *MaskedValue) place() string {
	switch {
	case m.Header != "":
		return "header " + m.Header
	case m.Target != "":
		return "URL " + m.Target
	case m.Path == nil:
		return "the body"
	}
	return m.messagePath().String()
}

// messagePath is the path in the message, for one of a batch.
func (m *MaskedValue) messagePath() jsonpath.Path {
	if len(m.Path) > 0 && m.Path[0].Kind == jsonpath.Element {
		return m.Path[1:]
	}
	return m.Path
}

// masked notes what a step needs and the recording does not hold.
func (c *correlator) masked(step int32, payload []byte) {
	note := func(m MaskedValue) {
		c.Masked[step] = append(c.Masked[step], m)
	}
	if h, ok := c.Script.RequestHead(step); ok {
		if mask := FindMask([]byte(h.Target)); mask != "" {
			note(MaskedValue{Target: h.Target, Mask: mask})
		}
		for _, f := range h.Fields {
			// Cookies are the server's to issue again.
			if mask := FindMask([]byte(f.Value)); mask != "" && !strings.EqualFold(f.Name, "Cookie") {
				note(MaskedValue{Header: f.Name, Mask: mask})
			}
		}
	}
	mask := FindMask(payload)
	if mask == "" {
		return
	}
	before := len(c.Masked[step])
	jsonpath.Leaves(payload, nil, func(p jsonpath.Path, value []byte) bool {
		if mask := FindMask(value); mask != "" && len(p) > 0 {
			note(MaskedValue{Path: slices.Clone(p), Mask: mask})
		}
		return true
	})
	if len(c.Masked[step]) == before {
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

// Missing says which values the recording masks and no one gave, as an error;
// nil when there are none.
func (p *Plan) Missing(to *Destination) error {
	var headers, urls, places lack
	var skip map[int32][]string
	if to.OnlyRead {
		skip = p.Guarded()
	}
	for _, e := range p.Events {
		if e.Kind != EventStep || skip[e.Index] != nil {
			continue
		}
		body := false
		for i := range p.Masked[e.Index] {
			switch m := &p.Masked[e.Index][i]; {
			case m.Header != "":
				if to.URL != nil && !p.knows(m.Mask) && !hasField(to.Header, m.Header) {
					headers.add(m.Header, fmt.Sprintf(
						"--header '%s: …', or leave it out with --header '%s:'", m.Header, m.Header))
				}
			case m.Target == "":
				body = true
			case p.sendsMasked(e.Index, m.Target, to):
				urls.add(m.Target, fmt.Sprintf(
					"--set %s=…, or with the whole URL as --to; a ? at its end leaves the query out", m.Mask))
			}
		}
		if body {
			p.lacks(e.Index, &places)
		}
	}
	var missing []string
	if len(headers.what) > 0 {
		missing = append(missing, "header "+headers.words(len(headers.what)))
	}
	if len(urls.what) > 0 {
		missing = append(missing, "a part of the URL "+urls.words(1))
	}
	if len(places.what) > 0 {
		missing = append(missing, places.words(len(places.what)))
	}
	if len(missing) > 0 {
		return fmt.Errorf("the recording masks %s", strings.Join(missing, ", and "))
	}
	return nil
}

// words names the first n, and says how the first is given.
func (l *lack) words(n int) string {
	return words.List(l.what[:n], 10) + " (give it with " + l.how[0] + ")"
}

// hasField looks up a header without regard to case.
func hasField(header map[string][]string, name string) bool {
	names := slices.Collect(maps.Keys(header))
	return slices.ContainsFunc(names, func(k string) bool { return strings.EqualFold(k, name) })
}

// knows reports whether the user gave what a mask stands for.
func (p *Plan) knows(mask string) bool {
	return slices.ContainsFunc(p.Options.Set, func(s Setting) bool { return s.Was == mask })
}

// lacks notes what of the payload of one step is still masked when all that the
// user and the new server give is in it.
func (p *Plan) lacks(step int32, places *lack) {
	payload, _, err := p.Payload(step, func(int32) (string, bool) { return "", true })
	if err != nil || FindMask(payload) == "" {
		return
	}
	found := false
	for i := range p.Masked[step] {
		m := &p.Masked[step][i]
		value := m.Path.Get(payload)
		mask := FindMask(value)
		if m.Path == nil || mask == "" {
			continue
		}
		found = true
		if own := m.messagePath(); own[0].Name == "params" && wire.Text(value) == mask {
			places.add(own.String(), "--set "+own.String()+"=…")
		} else {
			places.add(own.String(), "--set "+mask+"=…")
		}
	}
	if !found {
		frame := p.Script.Steps[step].Frame
		places.add(fmt.Sprintf("a part of #%d", frame),
			"a recording made with --keep-secrets, or leave its session out with --session")
	}
}
