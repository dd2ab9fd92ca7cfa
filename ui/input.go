package ui

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/keymap"
	"midwire/ui/term"
	"midwire/ui/view"
)

type textEntry interface {
	// key takes a key press, update what else there is to put in, like pasted
	// text.
	key(m *Model, k tea.KeyPressMsg) tea.Cmd
	update(m *Model, msg tea.Msg) tea.Cmd
}

type lineEntry interface {
	textEntry
	// draw writes it.
	draw(l *term.Line, m *Model)
	// hints are what its keys do, and a note behind them.
	hints() (keys [][2]safe.Text, note safe.Text)
}

// boxEntry is one in the first line of a box. Cursor is the column in it.
type boxEntry interface {
	textEntry
	Cursor() int
}

// active is the text entry that takes the keys, nil for none.
func (m *Model) active() textEntry {
	if m.dialog.kind != noDialog {
		if m.replay.Editing() {
			return targetEntry{m.replay}
		}
		return m.dialog.entry
	}
	if m.entry == nil && len(m.recs) == 0 && m.dialog.kind == noDialog {
		return welcomeEntry{m.welcome}
	}
	if w := m.writes(); m.entry == nil && w != nil {
		return writerEntry{w}
	}
	return m.entry
}

// endEntry keeps what was written, for who goes on to something else.
func (m *Model) endEntry() {
	if e := m.entry; e != nil {
		m.entry = nil
		if e, ok := e.(interface{ end(m *Model) }); ok {
			e.end(m)
		}
	}
}

// key takes a key press: the text entry that is active first, then the dialog,
// then the pane with the focus and what holds everywhere.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	if m.escaped(k) { // two keys that came too fast after each other
		first := m.key(tea.KeyPressMsg{Code: tea.KeyEscape})
		return tea.Batch(first, m.key(tea.KeyPressMsg{Code: k.Code, Text: string(k.Code)}))
	}
	name := k.String()
	if m.toast.bad || m.toast.good {
		m.toast.text = ""
	}
	if name == "ctrl+g" && m.gate.Holds() { // whatever has the keys
		return m.gate.ReleaseAll(m)
	}
	if e := m.active(); e != nil {
		if name == "ctrl+c" { // whatever is written
			m.endEntry()
			m.dialog = dialog{}
			return m.quit(true)
		}
		return e.key(m, k)
	}
	switch m.dialog.kind {
	case noDialog:
	case replayDialog:
		return m.replay.Key(k)
	default:
		return m.dialogKey(k)
	}
	if m.replay.RunKey(name) {
		return nil
	}
	return m.press(k)
}

// escaped says whether a key is esc and another one: alt with a character that
// means nothing together.
func (m *Model) escaped(k tea.KeyPressMsg) bool {
	if k.Mod != tea.ModAlt || !unicode.IsGraphic(k.Code) || m.active() != nil && strings.ContainsRune("bfd", k.Code) {
		return false
	}
	for range m.bound(k, m.own()) {
		return false
	}
	return true
}

func (m *Model) area() keymap.Area {
	switch {
	case len(m.recs) == 0:
		return keymap.Empty
	case m.view != nil:
		return m.view.Area()
	case m.focus == paneDetail:
		return keymap.Detail
	}
	return keymap.List
}

// toggleMouse gives the mouse back to the terminal, or takes it.
func (m *Model) toggleMouse() tea.Cmd {
	if m.noMouse = !m.noMouse; m.noMouse {
		return m.Say("mouse off: select text with the terminal; alt+m turns it on again")
	}
	return m.Say("mouse on")
}

// move goes n lines further in the pane with the focus, or the view.
func (m *Model) move(n int) {
	switch {
	case m.view != nil:
		m.view.Scroller().Move(n)
	case m.focus == paneDetail:
		m.detail.Move(n)
	default:
		m.list.Move(n)
	}
}

// toEnd goes to the first line or the last. At the end of the list it follows
// the newest message.
func (m *Model) toEnd(last bool) {
	m.remember()
	v, ofList := m.view.(view.Follower)
	atList := m.view == nil && m.focus == paneList && m.list.ByTime()
	switch {
	case last && (atList || ofList && v.Follows()):
		m.list.Resume()
	case last:
		m.move(1 << 30)
	default:
		m.move(-1 << 30)
	}
}

func (m *Model) pageSize() int {
	if m.view != nil {
		return m.view.Scroller().Height - 1
	}
	switch m.focus {
	case paneDetail:
		return m.detail.Height - 1
	}
	return m.list.Height - 1
}

func (m *Model) panes() []pane {
	var out []pane
	for _, p := range []struct {
		r term.Rect
		p pane
	}{{m.layout.List, paneList}, {m.layout.Detail, paneDetail}} {
		if p.r.W > 0 {
			out = append(out, p.p)
		}
	}
	return out
}

func (m *Model) turnFocus(n int) {
	if m.detail.Shown.Page && m.focus == paneDetail {
		m.detail.TurnSide()
		return
	}
	all := m.panes()
	for i, p := range all {
		if p == m.focus {
			m.focusPane(all[(i+n+len(all))%len(all)])
			return
		}
	}
}

// focusPane gives a pane the focus, and brings it to the screen first where
// there is no room for it by itself.
func (m *Model) focusPane(p pane) {
	if p == paneList {
		m.layoutOptions.Full = false
	}
	m.rearrange()
	if p == paneDetail && m.layout.Detail.W == 0 && !m.layoutOptions.InfoPanel {
		m.layoutOptions.Full = true
		m.rearrange()
	}
	m.focus = p
	m.fixFocus()
}

// sideways turns the tabs of the detail pane.
func (m *Model) sideways(n int) {
	m.detail.Tab = detail.Tab((int(m.detail.Tab) + n + int(detail.TabCount)) % int(detail.TabCount))
}

func (m *Model) toggleFollow() {
	if m.list.Follow {
		m.list.Pause()
		return
	}
	m.list.Resume()
}
