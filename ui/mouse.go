package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/ui/detail"
	"midwire/ui/view"
)

// click selects what is under the pointer and gives its pane the focus.
func (m *Model) click(at tea.Mouse) tea.Cmd {
	if at.Button != tea.MouseLeft || m.layout.Tiny {
		return nil
	}
	if m.dialog.pick != nil {
		return m.clickPick(at.X, at.Y)
	}
	if m.dialog.menu != nil {
		return m.clickMenu(at.X, at.Y)
	}
	if m.dialog.kind == replayDialog && m.dialog.at.Has(at.X, at.Y) {
		if cmd, taken := m.replay.Click(at.Y - m.dialog.at.Y - 1); taken {
			return cmd
		}
	}
	if m.dialog.kind != noDialog {
		m.dialog = dialog{}
		return nil
	}
	m.endEntry()
	if m.view != nil {
		if r := m.layout.View; r.Has(at.X, at.Y) {
			return m.view.Click(m, at.X-r.X, at.Y-r.Y)
		}
		return nil
	}
	switch {
	case m.layout.Detail.Has(at.X, at.Y):
		m.focusPane(paneDetail)
		if at.Y == m.layout.Detail.Y {
			m.clickTab(at.X - m.layout.Detail.X)
		} else {
			return m.clickDetail(at.X, at.Y)
		}
	case m.layout.List.Has(at.X, at.Y):
		m.focusPane(paneList)
		in := m.layout.Inside(m.layout.List)
		if y := at.Y - in.Y - (in.H - m.layout.Rows() - m.layout.Above); y >= 0 && y < m.layout.Above {
			return m.gate.Choose(m, m.list.HeldAt(y))
		}
		return m.clickRow(at.Y - in.Y - (in.H - m.layout.Rows()))
	case m.layout.Lifecycle.Has(at.X, at.Y) && m.list.Sessions() > 1:
		m.clickLane(at.Y - m.layout.Lifecycle.Y)
	case m.layout.Lifecycle.Has(at.X, at.Y):
		return m.clickLifecycle(at.X, at.Y)
	case m.layout.Status.Has(at.X, at.Y):
		return m.editFilter()
	}
	return nil
}

// clicked is the last click on a row, for telling a double click.
type clicked struct {
	id uint32
	at time.Time
}

const doubleClick = 400 * time.Millisecond

// clickRow selects a row; a second click soon after the first opens it.
func (m *Model) clickRow(y int) tea.Cmd {
	i := m.list.FirstIndex() + y
	if y < 0 || i >= m.list.Lines() {
		return nil
	}
	m.list.Pause()
	m.list.Go(i)
	if at := m.list.LineAt(i); at.Heading {
		m.list.Fold()
	} else if m.clickedAgain(at.ID) {
		m.readMessage()
	}
	return nil
}

func (m *Model) clickTab(x int) {
	for i, span := range m.tabSpans() {
		if x >= span[0] && x < span[1] {
			m.detail.Tab = detail.Tab(i)
		}
	}
}

// spin is a wheel that turns faster than the screen is drawn.
type spin struct {
	busy bool // turns are added up instead of being carried out
	n    int  // lines
	at   tea.Mouse
}

type wheelMsg struct{}

const wheelPause = 16 * time.Millisecond

// Filter is for tea.WithFilter. It adds up the turns of a wheel that come faster
// than pictures, and drops what the interface has no use for. It is called by
// the goroutine that calls Update.
func Filter(model tea.Model, msg tea.Msg) tea.Msg {
	m, ok := model.(*Model)
	if !ok {
		return msg
	}
	switch msg := msg.(type) {
	case tea.MouseMotionMsg, tea.MouseReleaseMsg:
		return nil
	case tea.MouseWheelMsg:
		if m.spin.busy {
			m.spin.at = msg.Mouse()
			m.spin.n += turned(m.spin.at)
			return nil
		}
	}
	return msg
}

func turned(at tea.Mouse) int {
	switch at.Button {
	case tea.MouseWheelUp:
		return -3
	case tea.MouseWheelDown:
		return 3
	}
	return 0
}

// turn carries out one turn of the wheel; Filter adds up what follows soon.
func (m *Model) turn(at tea.Mouse) tea.Cmd {
	m.wheel(at, turned(at))
	if m.spin.busy {
		return nil
	}
	m.spin.busy = true
	return m.wheelTick()
}

func (m *Model) wheelTick() tea.Cmd {
	return tea.Tick(wheelPause, func(time.Time) tea.Msg { return wheelMsg{} })
}

func (m *Model) turnMore() tea.Cmd {
	if m.spin.n == 0 {
		m.spin.busy = false
		return nil
	}
	m.dirty = true
	m.wheel(m.spin.at, m.spin.n)
	m.spin.n = 0
	return m.wheelTick()
}

// wheel scrolls the pane under the pointer; selection and focus stay.
func (m *Model) wheel(at tea.Mouse, n int) {
	switch {
	case n == 0:
	case m.dialog.pick != nil && m.dialog.pick.Scrolls():
		m.dialog.pick.Scroll(n)
	case m.layout.View.Has(at.X, at.Y):
		s := m.view.Scroller()
		if v, ok := m.view.(view.Split); ok {
			s = v.ScrollerAt(at.X-m.layout.View.X, at.Y-m.layout.View.Y)
		}
		s.Scroll(n)
	case m.layout.List.Has(at.X, at.Y):
		m.list.Scroll(n)
	case m.layout.Detail.Has(at.X, at.Y):
		m.detail.At(at.X, at.Y).Scroll(n)
	}
}

// clickLane chooses the session of a lane; a second click shows it alone.
func (m *Model) clickLane(line int) {
	if m.layout.Boxed {
		line--
	}
	i := m.strip.At(line)
	if i < 0 {
		return
	}
	m.focusPane(paneList)
	if again := m.clickedAgain(uint32(i) | 1<<31); m.list.GoToSession(i) && again {
		m.narrow(i)
	}
}
