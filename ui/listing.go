package ui

import (
	"midwire/ui/library"
	"midwire/ui/messages"
)

// severalSessions is how many sessions are shown together.
func (m *Model) severalSessions() int {
	if r := m.list.Rec; r != nil && m.list.Session == library.AllSessions {
		return len(r.Tracker.Sessions())
	}
	return 1
}

// Choose implements messages.Host.
func (m *Model) Choose(c *messages.Chooser) { m.dialog = dialog{kind: chooseDialog, choose: c} }

// FilterText implements messages.Host.
func (m *Model) FilterText() string { return m.filter.Text() }

// WriteFilter implements messages.Host.
func (m *Model) WriteFilter(text string) { m.filter.write(m, text) }

// Narrow shows one session, or all; the selection stays on its message where it
// is among them.
func (m *Model) Narrow(session int) {
	l := &m.list
	if l.Rec == nil || session == l.Session {
		return
	}
	m.remember()
	l.Narrow(session, idsPerScan, func() {
		m.revealInTree()
		m.rearrange()
		l.Resize(m.layout.rows())
	})
}

// Grow gives the pane with the focus n lines more, or columns where the panes
// stand beside each other, within the bounds of the layout.
func (m *Model) Grow(n int) {
	if (m.focus == paneDetail) == m.layout.beside {
		n = -n
	}
	if m.layout.beside {
		n *= 2
	}
	m.moveDivider(n)
}

// moveDivider moves the line between list and detail up, or right.
func (m *Model) moveDivider(n int) {
	a := &m.layoutOptions
	if m.layout.list.W == 0 || m.layout.detail.W == 0 {
		return
	}
	if m.layout.beside {
		before := m.layout.list.W
		a.wider += n
		m.rearrange()
		a.wider += m.layout.list.W - before - n
		return
	}
	before := m.layout.detail.H
	a.grown[a.mode()] += n
	m.rearrange()
	a.grown[a.mode()] += m.layout.detail.H - before - n
}

// onDivider says whether a cell is on the line between list and detail.
func (m *Model) onDivider(x, y int) bool {
	list, detail := m.layout.list, m.layout.detail
	switch {
	case list.W == 0 || detail.W == 0:
		return false
	case m.layout.beside:
		return y >= list.Y && y < list.Y+list.H && (x == detail.X || x == detail.X-1)
	}
	return x >= list.X && x < list.X+list.W && (y == detail.Y || m.layout.boxed && y == detail.Y-1)
}

// dragTo moves the divider to where the mouse is.
func (m *Model) dragTo(x, y int) {
	m.dirty = true
	if m.layout.beside {
		m.moveDivider(x - m.layout.detail.X)
	} else {
		m.moveDivider(m.layout.detail.Y - y)
	}
}

// clickLane chooses the session of a lane; a second click shows it alone.
func (m *Model) clickLane(line int) {
	if m.layout.boxed {
		line--
	}
	i := m.strip.At(line)
	if i < 0 {
		return
	}
	m.focusPane(paneList)
	if again := m.Clicked(uint32(i) | 1<<31); m.list.GoToSession(i) && again {
		m.Narrow(i)
	}
}
