package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/ui/library"
)

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
		m.report.rebuild(m)
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
