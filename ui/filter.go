package ui

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/filter"
	"midwire/ui/query"
	"midwire/ui/term"
)

// filterLine is the line of the filter among the text entries.
type filterLine struct{ filter.Line }

func newFilterLine(keeper filter.Keeper) filterLine { return filterLine{filter.New(keeper)} }

// edit begins to write a filter.
func (f *filterLine) edit(m *Model) tea.Cmd {
	if m.list.Rec == nil || m.chosen.card {
		return nil
	}
	if m.lay.list.W == 0 {
		m.focusPane(paneList)
	}
	m.stay()
	m.entry = f
	return f.Edit(m)
}

func (f *filterLine) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	if k.String() == "ctrl+c" {
		return m.quit(true)
	}
	cmd := f.Key(m, k)
	if !f.Writing() {
		m.entry = nil
	}
	return cmd
}

func (f *filterLine) update(m *Model, msg tea.Msg) tea.Cmd         { return f.Update(m, msg) }
func (f *filterLine) end(*Model)                                   { f.End() }
func (f *filterLine) draw(l *term.Line, m *Model) int              { return f.Draw(l, m, m.toast.text) }
func (f *filterLine) hints() (keys [][2]safe.Text, note safe.Text) { return f.Hints() }

// write replaces the filter as if it had been typed.
func (f *filterLine) write(m *Model, text string) {
	f.Write(m, text)
	m.list.Scan(idsPerScan)
	m.list.Reveal()
}

// Show implements filter.Host.
func (m *Model) Show(q *query.Query) {
	m.detail.LookForFilter(q.Wanted())
	l := &m.list
	follow := l.Follow
	l.Reset(l.Scope, l.RawFrames, q)
	l.Follow = follow
}

// drawOffers puts over the screen what completion offers.
func (m *Model) drawOffers(screen []string) []string {
	at := m.lay.status.Y
	foot := filter.Foot{Top: at - m.lay.rule.H, Y: at, Below: m.lay.hints.H > 0}
	return m.filter.DrawOffers(screen, &m.scene().Screen, foot)
}

// filterHidden says whether something else stands in the status line.
func (m *Model) filterHidden() bool {
	return m.toast.text != "" || m.view != nil && !m.view.Area().OfList() || m.entry != nil || m.replay.Running()
}
