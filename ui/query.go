package ui

import (
	"strings"

	"midwire/session"
	lang "midwire/session/filter"
	"midwire/session/wire"
	"midwire/ui/library"
)

// query is a filter made ready for rows and frames.
type query struct {
	text   string
	root   *cond
	probes []probe // what has to look into payloads
	heads  bool    // some of them look into HTTP heads
	// findings says that rows pass or not by their findings, which may come late.
	findings bool
}

// subject is what a term looks at.
type subject struct {
	rec   *library.Recording
	index int                // of the row; -1 for none
	row   *session.Row       // nil for a frame that belongs to no row
	frame *library.FrameInfo // set in the view of frames
	id    uint32             // of what is shown: the row, or the frame
	base  int64              // where time begins
	found *found             // what the payloads hold as far as they were searched
}

// cond is one node of a filter: a term, or what joins others.
type cond struct {
	kind  lang.Kind
	kids  []*cond
	hold  func(subject) bool // of a term
	probe int                // 1 + index into query.probes; 0 for a term that is about the row alone
}

// truth is what is known of a condition. What payloads must decide that were
// not read yet, or do not hold it, is open.
type truth uint8

const (
	isFalse truth = iota
	isOpen
	isTrue
)

func (c *cond) truth(s subject) truth {
	switch c.kind {
	case lang.Not:
		return isTrue - c.kids[0].truth(s)
	case lang.And, lang.Saved:
		out := isTrue
		for _, k := range c.kids {
			if out = min(out, k.truth(s)); out == isFalse {
				break
			}
		}
		return out
	case lang.Or:
		out := isFalse
		for _, k := range c.kids {
			if out = max(out, k.truth(s)); out == isTrue {
				break
			}
		}
		return out
	}
	switch {
	case c.hold(s) || c.probe > 0 && s.found.has(c.probe-1, s.id):
		return isTrue
	case c.probe > 0:
		return isOpen
	}
	return isFalse
}

// holds takes what is open for false.
func (c *cond) holds(s subject) bool {
	switch c.kind {
	case lang.Not:
		return !c.kids[0].holds(s)
	case lang.And, lang.Saved:
		for _, k := range c.kids {
			if !k.holds(s) {
				return false
			}
		}
		return true
	case lang.Or:
		for _, k := range c.kids {
			if k.holds(s) {
				return true
			}
		}
		return false
	}
	return c.hold(s) || c.probe > 0 && s.found.has(c.probe-1, s.id)
}

func rowSubject(rec *library.Recording, i int, f *found) subject {
	return subject{rec: rec, index: i, row: rec.Tracker.Row(i), id: uint32(i), found: f}
}

// frameSubject is about a frame by itself and by its row.
func frameSubject(rec *library.Recording, m *library.FrameInfo, f *found) subject {
	s := subject{rec: rec, index: int(m.Row), frame: m, id: uint32(m.N), found: f}
	if m.Row >= 0 {
		s.row = rec.Tracker.Row(int(m.Row))
	}
	return s
}

// match says whether a row or frame passes. A nil query lets everything pass.
func (q *query) match(s subject) bool { return q == nil || q.root.holds(s) }

// undecided says whether the payloads of a row could change what match says.
func (q *query) undecided(s subject) bool { return q.root.truth(s) == isOpen }

// wanted is the first text that a row must have, "" for none.
func (q *query) wanted() string {
	if q == nil {
		return ""
	}
	return q.root.wanted(q)
}

func (c *cond) wanted(q *query) string {
	if c.kind == lang.Not {
		return ""
	}
	if c.probe > 0 {
		return q.probes[c.probe-1].text
	}
	for _, k := range c.kids {
		if w := k.wanted(q); w != "" {
			return w
		}
	}
	return ""
}

type queryError = lang.Error

// parseQuery reads a filter without saved ones. An empty one is nil, which
// shows everything.
func parseQuery(text string) (*query, *queryError) { return readQuery(text, nil) }

// readQuery reads a filter. Where only its end is missing it returns besides
// the error what holds already.
func readQuery(text string, saved func(string) string) (*query, *queryError) {
	n, err := lang.Parse(text, saved)
	if n == nil {
		return nil, err
	}
	q := &query{text: text}
	q.root = q.build(n)
	return q, err
}

func (q *query) build(n *lang.Node) *cond {
	c := &cond{kind: n.Kind}
	for _, k := range n.Kids {
		c.kids = append(c.kids, q.build(k))
	}
	if n.Kind != lang.Term {
		return c
	}
	q.findings = q.findings || n.Key == "finding" || n.Key == "rule" || n.Key == "severity"
	if p, ok := probeOf(n); ok {
		q.probes = append(q.probes, p)
		q.heads = q.heads || p.kind == probeHeader || p.kind == probeHTTP
		c.probe = len(q.probes)
	}
	c.hold = holdOf(n)
	return c
}

// textMatch says whether text has what a term looks for: a regular expression,
// exactly this, or this in it, whatever the case.
func textMatch(n *lang.Node) func(string) bool {
	want := strings.ToLower(n.Value)
	switch n.Op {
	case "~":
		return n.Match.MatchString
	case "=":
		return func(s string) bool { return len(s) >= len(want)/2 && strings.EqualFold(s, want) }
	}
	return func(s string) bool { return contains(s, want) }
}

// freeText looks for text in everything a row shows, and in the kind of a frame.
func freeText(n *lang.Node) hold {
	has := textMatch(n)
	return func(s subject) bool {
		if s.frame != nil && has(s.frame.Kind.String()) {
			return true
		}
		if s.row == nil {
			return false
		}
		w := s.rec.Texts.Of(s.index)
		return has(s.rec.Tracker.Name(s.row.Name)) || has(w.Target) || has(w.Result)
	}
}

// contains is strings.Contains of a lower-case want, whatever the case of s.
// It makes no copy of what is ASCII.
func contains(s, want string) bool {
	if want == "" {
		return true
	}
	for i := 0; i+len(want) <= len(s); i++ {
		k := 0
		for k < len(want) {
			c := s[i+k]
			if c >= 'A' && c <= 'Z' {
				c |= 0x20
			} else if c >= 0x80 {
				return strings.Contains(strings.ToLower(s), want)
			}
			if c != want[k] {
				break
			}
			k++
		}
		if k == len(want) {
			return true
		}
	}
	// A letter of another script may become shorter or ASCII in lower case.
	for i := range len(s) {
		if s[i] >= 0x80 {
			return strings.Contains(strings.ToLower(s), want)
		}
	}
	return false
}

func (s subject) dir() wire.Dir {
	if s.frame != nil {
		return s.frame.Dir
	}
	return s.row.Dir
}

func (s subject) session() *session.Session {
	if s.row != nil {
		return s.rec.Session(int(s.row.Session))
	}
	if s.frame != nil {
		return s.rec.Session(int(s.frame.Session))
	}
	return nil
}
