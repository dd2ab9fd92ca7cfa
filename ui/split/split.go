// Package split shows a program in a terminal of its own beside the screen: the client at
// the left, what it says to its servers at the right.
package split

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Screen is what stands at the right.
type Screen interface {
	tea.Model
	Scene() *library.Scene
	// Away says whether the keys go to the program.
	Away(yes bool)
	// Badges say what failed, and what was found.
	Badges() []term.Seg
}

// Pair is both sides. It belongs to the goroutine of its tea.Program.
type Pair struct {
	screen  Screen
	program *Terminal
	w, h    int
	ours    bool // the keys go to the screen
	turned  bool // by the key before
	one     bool // one side at a time, also where there is room for both
}

// Beside puts a program beside a screen.
func Beside(screen Screen, program *Terminal) *Pair {
	screen.Away(true)
	return &Pair{screen: screen, program: program}
}

const (
	prefix = "ctrl+g"
	// The least width of two sides, and how much of it is the program's.
	both, share, of = 110, 29, 60
	// Pictures come no faster than that, whatever the program writes.
	pause = 25 * time.Millisecond
)

// drawn says that the program has written.
type drawn struct{}

// wait waits until there is something to draw, and a while behind the picture before:
// what a key does is seen at once.
func (m *Pair) wait() tea.Cmd {
	last := time.Now()
	return func() tea.Msg {
		<-m.program.fresh
		time.Sleep(time.Until(last.Add(pause)))
		return drawn{}
	}
}

// Init implements tea.Model.
func (m *Pair) Init() tea.Cmd { return tea.Batch(m.screen.Init(), m.wait()) }

// left is the width of the program's side, and right that of the screen's: 0 when it is
// not shown.
func (m *Pair) left() int {
	switch {
	case m.w >= both && !m.one:
		return m.w * share / of
	case m.ours:
		return 0
	}
	return m.w
}

func (m *Pair) alone() bool { return m.left() == 0 || m.left() == m.w }

func (m *Pair) right() int {
	if m.alone() {
		return m.w // also while it is not seen
	}
	return m.w - m.left()
}

// height is that of the screen.
func (m *Pair) height() int {
	if m.alone() {
		return m.h - 1
	}
	return m.h
}

// Update implements tea.Model.
func (m *Pair) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if m.program.ended() != "" && !m.ours && m.w > 0 { // as can be seen: no key is for it any more
		return m, tea.Batch(m.turn(true), m.take(msg))
	}
	return m, m.take(msg)
}

func (m *Pair) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
		return m.arrange()
	case drawn:
		return m.wait()
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		if !m.ours {
			m.program.send(msg)
			return nil
		}
	case tea.MouseMsg:
		return m.mouse(msg)
	case tea.FocusMsg, tea.BlurMsg:
		m.program.send(msg)
	}
	return m.pass(msg)
}

func (m *Pair) pass(msg tea.Msg) tea.Cmd {
	next, cmd := m.screen.Update(msg)
	m.screen, _ = next.(Screen)
	return cmd
}

// arrange gives both sides their sizes.
func (m *Pair) arrange() tea.Cmd {
	if w := m.left(); w > 0 {
		m.program.resize(max(w-2, 1), max(m.h-3, 1))
	}
	return m.pass(tea.WindowSizeMsg{Width: m.right(), Height: max(m.height(), 1)})
}

// turn gives the keys to the screen, or to the program.
func (m *Pair) turn(ours bool) tea.Cmd {
	m.ours = ours
	m.screen.Away(!ours)
	return m.arrange()
}

func (m *Pair) key(k tea.KeyPressMsg) tea.Cmd {
	name, first := k.String(), m.turned
	m.turned = false
	switch {
	case name == prefix && m.ours && m.program.ended() != "":
		return nil // nobody is there to have them
	case name == prefix:
		m.turned = !m.ours
		return m.turn(!m.ours)
	case first && name == "z":
		m.one = !m.one
		return m.turn(false)
	case first && name == "g": // the program's own
		m.program.send(tea.KeyPressMsg{Code: 'g', Mod: tea.ModCtrl})
		return m.turn(false)
	case m.ours:
		return m.pass(k)
	}
	m.program.send(k)
	return nil
}

// mouse gives a move of the mouse to the side where it is. A click takes the keys along.
func (m *Pair) mouse(msg tea.MouseMsg) tea.Cmd {
	at, left := msg.Mouse(), m.left()
	x, y := -1, -1 // within the program's box
	program := at.X < left
	if !program {
		x, y = -left, 0
	}
	var cmd tea.Cmd
	canHave := !program || m.program.ended() == ""
	if _, click := msg.(tea.MouseClickMsg); click && program == m.ours && !m.alone() && canHave {
		cmd = m.turn(!program)
	}
	moved := shift(msg, x, y)
	if !program {
		return tea.Batch(cmd, m.pass(moved))
	}
	if at := moved.(tea.MouseMsg).Mouse(); at.X >= 0 && at.Y >= 0 && at.X < left-2 && at.Y < m.h-3 {
		m.program.send(moved)
	}
	return cmd
}

func shift(msg tea.MouseMsg, x, y int) tea.Msg {
	at := msg.Mouse()
	at.X, at.Y = at.X+x, at.Y+y
	switch msg.(type) {
	case tea.MouseClickMsg:
		return tea.MouseClickMsg(at)
	case tea.MouseReleaseMsg:
		return tea.MouseReleaseMsg(at)
	case tea.MouseMotionMsg:
		return tea.MouseMotionMsg(at)
	}
	return tea.MouseWheelMsg(at)
}

// Wants says whether a message is for the program alone, however many there are.
func (m *Pair) Wants(msg tea.Msg) bool {
	mouse, ok := msg.(tea.MouseMsg)
	return ok && mouse.Mouse().X < m.left()
}

// Screen is what stands at the right.
func (m *Pair) Screen() tea.Model { return m.screen }

// View implements tea.Model.
func (m *Pair) View() tea.View {
	v := m.screen.View()
	left := m.left()
	if left == 0 {
		v.Content = lay(strings.Split(v.Content, "\n"), m.h-1) + "\n" + m.foot(m.w)
		return v
	}
	lines, cursor := m.draw(left)
	switch {
	case !m.ours:
		v.Cursor = cursor
	case v.Cursor != nil:
		v.Cursor.X += left
	}
	if left < m.w {
		for i, line := range strings.Split(v.Content, "\n") {
			if i < len(lines) {
				lines[i] += line
			}
		}
	}
	v.Content = lay(lines, m.h)
	return v
}

// lay makes exactly n lines.
func lay(lines []string, n int) string {
	for len(lines) < n {
		lines = append(lines, "")
	}
	return strings.Join(lines[:max(n, 0)], "\n")
}

// draw draws the program's side, and says where its cursor is.
func (m *Pair) draw(w int) ([]string, *tea.Cursor) {
	sc := m.screen.Scene().Screen
	sc.Boxed, sc.Away = true, false
	body, x, y, seen := m.program.picture(w-2, m.h-3)
	p := sc.Theme.Panel(m.program.name, m.state(&sc)...)
	p.Focus = !m.ours
	lines := append(p.Draw(&sc, w, m.h-1, body), m.foot(w))
	if !seen {
		return lines, nil
	}
	return lines, tea.NewCursor(x+1, y+1)
}

// state is what the upper edge of the program's box says.
func (m *Pair) state(sc *term.Screen) []term.Seg {
	th := sc.Theme
	switch how := m.program.ended(); {
	case how != "":
		return []term.Seg{term.S(th.Warn, how)}
	case m.ours:
		return nil
	}
	return []term.Seg{term.S(th.Key, "has the keys")}
}

// foot says how to get to the other side, in w cells.
func (m *Pair) foot(w int) string {
	sc := m.screen.Scene().Screen
	th := sc.Theme
	l := term.NewLine(w, sc.Glyphs).Gap(1)
	hint := func(key, what safe.Text) { l.Put(th.Key, key).Put(th.Dim, " "+what+"  ") }
	switch {
	case m.ours && m.program.ended() != "":
		hint("q", "quit")
	case m.ours:
		hint("^g", "back to "+term.Shorten(m.program.name, 16, sc.Glyphs))
		hint("^g g", "sends ^g")
	default:
		hint("^g", "to midwire")
		if m.w >= both {
			hint("^g z", keyed(m.one, "both sides", "one side"))
		}
	}
	if m.alone() && !m.ours {
		badges := m.screen.Badges()
		l.Gap(w - l.Used - term.SegsWidth(badges) - 1)
		l.Segs(badges)
	}
	return l.Finish()
}

func keyed(yes bool, then, otherwise safe.Text) safe.Text {
	if yes {
		return then
	}
	return otherwise
}
