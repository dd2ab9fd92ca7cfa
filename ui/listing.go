package ui

import (
	"midwire/ui/keymap"
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

// chosenSession is the session of the selected line, -1 for none.
func (m *Model) chosenSession() int {
	if m.list.Rec == nil || len(m.list.Visible) == 0 {
		return -1
	}
	id := m.list.Visible[m.list.SelectedIndex()]
	if m.list.RawFrames {
		if f := m.list.Rec.Frame(uint64(id)); f != nil {
			return int(f.Session)
		}
		return -1
	}
	return int(m.list.Rec.Tracker.Row(int(id)).Session)
}

// listCommands change how the list shows its rows.
func (m *Model) listCommands() []keymap.Command {
	several := m.list.Rec != nil && len(m.list.Rec.Tracker.Sessions()) > 1
	alone := keymap.Unless(several, "this recording has one session")
	do := keymap.Do
	return []keymap.Command{
		{
			ID: "messages.group", Key: keymap.Bind("z", "z", "group by session, or by time"), Title: "group the messages by session",
			Words: "sections fold time", Hint: keymap.When(several && m.list.Session < 0, "group"), Group: keymap.Look, Why: alone,
			Run: do(m.list.Group),
		},
		{
			ID: "messages.fold", Key: keymap.Bind("h left", "", ""), Title: "fold the group",
			Run: do(func() { m.list.FoldAround() }),
		},
		{
			ID: "messages.next-session", Key: keymap.Bind("J", "J K", "next, previous session"), Title: "go to the next session",
			Hint: keymap.When(several, "session"), Group: keymap.Move, Why: alone, Run: do(func() { m.toSession(1) }),
		},
		{
			ID: "messages.previous-session", Key: keymap.Bind("K", "", ""), Title: "go to the previous session",
			Why: alone, Run: do(func() { m.toSession(-1) }),
		},
		{
			ID: "messages.only-session", Key: keymap.Bind("i", "i a", "only this session, all"), Title: "show only this session, or all",
			Words: "isolate narrow", Hint: keymap.When(several, "only this"), Group: keymap.Look, Why: alone, Run: do(m.onlySession),
		},
		{
			ID: "messages.all-sessions", Key: keymap.Bind("a", "", ""), Title: "show all sessions",
			Run: do(func() { m.narrow(library.AllSessions) }),
		},
		{
			ID: "messages.failing", Key: keymap.Bind("e", "e", "only what failed, or all"), Title: "show only what failed, or all",
			Words: "errors", Group: keymap.Look, Why: m.whyNotFilter, Run: do(m.onlyFailing),
		},
		{
			ID: "messages.sort", Key: keymap.Bind("o", "o O", "sort by, reverse"), Title: "sort the messages", Words: "order latency size method verdict time",
			Group: keymap.Look, Run: do(func() { m.choose(m.list.SortChooser(&m.scene().Screen)) }),
		},
		{ID: "messages.reverse", Key: keymap.Bind("O", "", ""), Title: "reverse the order", Run: do(m.list.Reverse)},
		{
			ID: "messages.columns", Key: keymap.Bind("C", "C", "choose the columns"), Title: "choose the columns", Words: "status id size bytes",
			Group: keymap.Look, Run: do(func() { m.choose(m.list.ColumnChooser()) }),
		},
		{
			ID: "messages.grow", Key: keymap.Bind("> +", "> <", "a larger, smaller pane"), Title: "make the list larger", Words: "resize divider",
			Group: keymap.Look, Run: do(func() { m.grow(1) }),
		},
		{ID: "messages.shrink", Key: keymap.Bind("< _", "", ""), Title: "make the list smaller", Run: do(func() { m.grow(-1) })},
		{ID: "detail.grow", Key: keymap.Bind(">", "", ""), Title: "make the detail larger", Run: do(func() { m.grow(1) })},
		{ID: "detail.shrink", Key: keymap.Bind("<", "", ""), Title: "make the detail smaller", Run: do(func() { m.grow(-1) })},
	}
}

func (m *Model) choose(c *messages.Chooser) {
	if m.list.Rec != nil {
		m.dialog = dialog{kind: chooseDialog, choose: c}
	}
}

// toSession goes to the next or an earlier session: to its message nearest to the
// selected one, or where only one session is shown, to that one alone.
func (m *Model) toSession(step int) {
	n := len(m.list.Rec.Tracker.Sessions())
	at := m.chosenSession()
	if m.list.Session >= 0 {
		m.narrow((m.list.Session + step + n) % n)
		return
	}
	if at < 0 && step < 0 {
		at = 0
	}
	for k := 1; k <= n; k++ {
		if m.goToSession((at + step*k + n*k) % n) {
			return
		}
	}
}

// goToSession selects the message of a session that is nearest to the selected
// one, and says whether there is one.
func (m *Model) goToSession(i int) bool {
	id, ok := m.list.NearestOf(i)
	if ok {
		m.list.Pause()
		m.list.Choose(id)
	}
	return ok
}

// onlySession shows the session of the selected message alone, or all again.
func (m *Model) onlySession() {
	switch at := m.chosenSession(); {
	case m.list.Session >= 0:
		m.narrow(library.AllSessions)
	case at >= 0:
		m.narrow(at)
	}
}

// narrow shows one session, or all; the selection stays on its message where it
// is among them.
func (m *Model) narrow(session int) {
	l := &m.list
	if l.Rec == nil || session == l.Session {
		return
	}
	m.remember()
	line, follow := l.SelectedLine()-l.FirstIndex(), l.Follow
	id := l.Selection
	l.Reset(library.Scope{Rec: l.Rec, Session: session}, l.RawFrames, l.Query)
	l.Scan(idsPerScan)
	l.Pick(id)
	m.revealInTree()
	m.rearrange()
	l.Resize(m.layout.rows())
	l.PutOnLine(line)
	l.Follow = follow
}

// failing is the filter for what failed, and the one that stood before.
type failing struct{ now, before string }

// onlyFailing shows only what failed, of what the filter keeps, or all again.
func (m *Model) onlyFailing() {
	const failed = "is:error or is:lost"
	text, f := m.filter.Text(), &m.failing
	if f.now != "" && text == f.now {
		m.filter.write(m, f.before)
		*f = failing{}
		return
	}
	*f = failing{failed, text}
	if text != "" {
		f.now = "(" + text + ") (" + failed + ")"
	}
	m.filter.write(m, f.now)
}

// grow gives the pane with the focus n lines more, or columns where the panes
// stand beside each other, within the bounds of the layout.
func (m *Model) grow(n int) {
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
	if again := m.Clicked(uint32(i) | 1<<31); m.goToSession(i) && again {
		m.narrow(i)
	}
}
