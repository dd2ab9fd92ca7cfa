package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// headline is a finding in a line, said of a row: what shows there, or what the
// row is evidence of.
func (sc *scene) headline(r *library.Recording, f *diagnose.Finding, row int) []term.Seg {
	title := safe.Line(f.Rule.Title)
	sign, st := sc.severity(f.Severity)
	switch {
	case r.Findings.Muted[f.Rule.ID]:
		return []term.Seg{term.S(sc.th.Dim, safe.Text(sc.sg.Dot)+" "), term.S(sc.th.Dim, "muted: "+title)}
	case !r.ShowsAtRow(f, row):
		return []term.Seg{term.S(sc.th.Dim, safe.Text(sc.sg.Dot)+" "), term.S(sc.th.Dim, "evidence of "), term.S(st, safe.Text(sign)+" "), term.S(sc.th.Dim, title)}
	}
	return []term.Seg{term.S(st, safe.Text(sign)+" "), term.S(term.Plain, title)}
}

// How eagerly findings are reviewed.
type haste uint8

const (
	reviewMuch  haste = iota // recordings with much news
	reviewStale              // with any
	reviewAll                // all recordings
)

type reviewMsg struct{}

// later is news of the checkers that waits: whether there is some, and whether
// a timer runs for it.
type later struct{ due, timed bool }

// reviewSoon comes back to the news that can wait.
func (m *Model) reviewSoon() tea.Cmd {
	if !m.later.due || m.later.timed {
		return nil
	}
	m.later.timed = true
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return reviewMsg{} })
}

func (reviewMsg) take(m *Model) tea.Cmd {
	m.later.timed = false
	m.review(reviewStale)
	return nil
}

// review brings the findings of recordings up to date and says whether any
// changed.
func (m *Model) review(how haste) bool {
	changed := false
	m.later.due = false
	for _, r := range m.recs {
		if how != reviewAll {
			r.FinishFindings()
			if !r.Findings.Stale() {
				continue
			}
		}
		if how == reviewMuch && r.Findings.Waits() {
			m.later.due = true
			continue
		}
		changed = true
		m.arrange(r)
	}
	if changed {
		m.dirty = true
		m.findings.stale = true
	}
	return changed
}

// arrange arranges the findings of a recording, and the list where a filter
// asks for them.
func (m *Model) arrange(r *library.Recording) {
	rows := r.ArrangeFindings()
	if l := &m.list; r == l.Rec && l.query != nil && l.query.AsksFindings {
		if l.frames {
			l.reset(l.Scope, true, l.query)
		} else {
			l.changed(rows)
		}
	}
}

// severity is the sign of a severity.
func (sc *scene) severity(s diagnose.Severity) (string, term.Style) {
	switch s {
	case diagnose.Error:
		return sc.sg.Err, sc.th.Err
	case diagnose.Warning:
		return sc.sg.Warn, sc.th.Warn
	case diagnose.Note:
		return sc.sg.Note, sc.th.Note
	}
	return sc.sg.Dot, sc.th.Dim
}

// tally counts findings by severity in a few cells: all of them, or the worst.
func (sc *scene) tally(t library.Tally, short bool) []term.Seg {
	var out []term.Seg
	for s := diagnose.Error; s <= diagnose.Note; s++ {
		if t[s] == 0 || short && len(out) > 0 {
			continue
		}
		sign, st := sc.severity(s)
		out = append(out, term.S(st, safe.Text(sign)+term.Number(t[s])+" "))
	}
	if len(out) > 0 {
		out = append(out, term.S(term.Plain, "  "))
	}
	return out
}

// found is the sign of a row, or of a frame when frames is set: what shows
// there, or a dot for evidence of what shows elsewhere.
func (sc *scene) found(x *library.Findings, id uint64, frames bool) (string, term.Style) {
	at, evidence := x.ShowsAtRow[int32(id)], len(x.ByRow[int32(id)]) > 0
	if frames {
		at, evidence = x.ShowsAtFrame[id], len(x.ByFrame[id]) > 0
	}
	if at == 0 && !evidence {
		return "", term.Plain
	}
	return sc.severity(at)
}
