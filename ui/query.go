package ui

import (
	"strings"

	"midwire/session"
	"midwire/session/wire"
)

// query is a parsed filter: every term must hold.
type query struct {
	text  string
	terms []term
	texts []string // of the terms that look into payloads too, in lower case
	// findings says that rows pass or not by their findings, which may come late.
	findings bool
}

// subject is what a term looks at.
type subject struct {
	rec   *recording
	index int          // of the row; -1 for none
	row   *session.Row // nil for a frame that belongs to no row
	frame *meta        // set in the view of frames
	id    uint32       // of what is shown: the row, or the frame
	found *found       // what the payloads hold as far as they were searched
}

type term struct {
	not  bool
	hold func(subject) bool
	text int // 1 + index into query.texts; 0 for a term that is about the row alone
}

// holds says whether the term is true, by the row or by its payloads.
func (t *term) holds(s subject) bool {
	return t.hold(s) || t.text > 0 && s.found.has(t.text-1, s.id)
}

func rowSubject(rec *recording, i int, f *found) subject {
	return subject{rec: rec, index: i, row: rec.t.Row(i), id: uint32(i), found: f}
}

// frameSubject is about a frame by itself and by its row.
func frameSubject(rec *recording, m *meta, f *found) subject {
	s := subject{rec: rec, index: int(m.Row), frame: m, id: uint32(m.N), found: f}
	if m.Row >= 0 {
		s.row = rec.t.Row(int(m.Row))
	}
	return s
}

// match says whether a row or frame passes. A nil query lets everything pass.
func (q *query) match(s subject) bool {
	if q == nil {
		return true
	}
	for i := range q.terms {
		if t := &q.terms[i]; t.holds(s) == t.not {
			return false
		}
	}
	return true
}

// wanted is the first text that a row must have, "" for none.
func (q *query) wanted() string {
	if q == nil {
		return ""
	}
	for _, t := range q.terms {
		if t.text > 0 && !t.not {
			return q.texts[t.text-1]
		}
	}
	return ""
}

// undecided says whether the payloads of a row could change what match says.
func (q *query) undecided(s subject) bool {
	open := false
	for i := range q.terms {
		t := &q.terms[i]
		held := t.hold(s)
		if t.text > 0 && !held {
			open = true
		} else if held == t.not {
			return false
		}
	}
	return open
}

// queryError says what is wrong with a filter and at which byte of it.
type queryError struct {
	at   int
	text string
	from int // where the word begins
}

func (e *queryError) Error() string { return e.text }

// parseQuery reads a filter. An empty one is nil, which shows everything.
func parseQuery(text string) (*query, *queryError) {
	q := &query{text: text}
	not := false
	for _, w := range splitWords(text) {
		if w.open {
			return nil, &queryError{at: w.at, text: "the quote is not closed"}
		}
		if !w.quoted && (w.s == "not" || w.s == "!") {
			not = !not
			continue
		}
		if !w.quoted && w.s == "and" {
			continue
		}
		t := term{not: not}
		not = false
		if !w.quoted {
			for len(w.s) > 1 && (w.s[0] == '!' || w.s[0] == '-') {
				t.not = !t.not
				w.s, w.at = w.s[1:], w.at+1
			}
		}
		hold, text, err := parseTerm(w)
		if err != nil {
			err.from = w.at
			return nil, err
		}
		if t.hold = hold; text != "" {
			q.texts = append(q.texts, strings.ToLower(text))
			t.text = len(q.texts)
		}
		q.terms = append(q.terms, t)
		q.findings = q.findings || !w.quoted && (strings.HasPrefix(w.s, "finding") || strings.HasPrefix(w.s, "severity"))
	}
	if not {
		return nil, &queryError{at: len(text), text: "not what? a term must follow"}
	}
	if len(q.terms) == 0 {
		return nil, nil
	}
	return q, nil
}

// word is one word of a filter and where it begins.
type word struct {
	s      string
	at     int
	quoted bool // began with a quote: never a keyword
	open   bool // its quote is not closed
}

// splitWords cuts a filter at spaces outside quotes and takes the quotes out.
func splitWords(text string) []word {
	var out []word
	for i := 0; i < len(text); {
		if text[i] == ' ' {
			i++
			continue
		}
		w := word{at: i, quoted: text[i] == '"'}
		var b strings.Builder
		in := false
		for ; i < len(text) && (in || text[i] != ' '); i++ {
			if text[i] == '"' {
				in = !in
				continue
			}
			b.WriteByte(text[i])
		}
		w.s, w.open = b.String(), in
		out = append(out, w)
	}
	return out
}

// freeText looks for text in everything a row shows, and in the kind of a frame.
func freeText(want string) func(subject) bool {
	want = strings.ToLower(want)
	return func(s subject) bool {
		if s.frame != nil && contains(s.frame.Kind.String(), want) {
			return true
		}
		if s.row == nil {
			return false
		}
		w := s.rec.words.of(s.index)
		return contains(s.rec.t.Name(s.row.Name), want) || contains(w.target, want) || contains(w.result, want)
	}
}

// contains is strings.Contains of a lower-case want, whatever the case of s.
func contains(s, want string) bool {
	if len(want) > len(s) {
		return false
	}
	return strings.Contains(strings.ToLower(s), want)
}

func (s subject) dir() wire.Dir {
	if s.frame != nil {
		return s.frame.Dir
	}
	return s.row.Dir
}

func (s subject) session() *session.Session {
	if s.row != nil {
		return s.rec.session(int(s.row.Session))
	}
	if s.frame != nil {
		return s.rec.session(int(s.frame.Session))
	}
	return nil
}
