package ui

import (
	tea "charm.land/bubbletea/v2"

	"midwire/ui/detail"
	"midwire/ui/term"
)

// key takes a key press: the overlay first, then the filter line, then the
// pane with the focus and what holds everywhere.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	if m.toast.bad || m.toast.good {
		m.toast.text = ""
	}
	switch {
	case m.over.kind == overReplay:
		return m.promptKey(k)
	case m.over.pick != nil:
		return m.pickKey(k)
	case m.over.kind != overNone:
		return m.overlayKey(name)
	case m.asking.what != askNothing:
		return m.askingKey(k)
	case m.filter.editing:
		return m.filter.key(m, k)
	case m.detail.find.editing:
		return m.detail.find.key(m, k)
	}
	if run := m.replay.running; run != nil && !run.over {
		switch {
		case name == "esc" || name == "ctrl+c":
			m.over = overlay{kind: overStop}
			return nil
		case run.step != nil && (name == "space" || name == "."):
			m.stepOn()
			return nil
		}
	}
	return m.press(m.keys.find(m.area(), name))
}

// area is where a key is pressed.
func (m *Model) area() area {
	switch {
	case len(m.recs) == 0:
		return inEmpty
	case m.view != nil:
		return m.view.area()
	case m.focus == paneTree:
		return inTree
	case m.focus == paneDetail:
		return inDetail
	}
	return inList
}

// do carries out what a key means.
func (m *Model) do(a action) tea.Cmd {
	switch a {
	case actQuit, actInterrupt:
		return m.quit(a == actInterrupt)
	case actBack:
		m.back()
	case actHelp:
		return m.openHelp()
	case actPalette:
		return m.openPalette()
	case actOpen:
		return m.open()
	case actFilter:
		return m.filter.edit(m)
	case actFind:
		return m.detail.find.edit(m.detail.Search.Text)
	case actFreeze:
		return m.freeze()
	case actCopy:
		if r := m.list.Rec; m.lay.card.h > 0 && r != nil && m.ownTap(r) {
			return m.copyConfig()
		}
		m.openCopyMenu()
	case actCopyConfig:
		return m.copyConfig()
	case actMouse:
		m.noMouse = !m.noMouse
		if m.noMouse {
			return m.say("mouse off: select text with the terminal; alt+m turns it on again")
		}
		return m.say("mouse on")
	case actRedraw:
		return tea.ClearScreen
	case actReplay:
		return m.askReplay()
	case actResend, actEdit:
		return m.askCall(a == actEdit)
	case actCompare:
		return m.compare()
	case actLastReplay:
		return m.lastReplay()
	case actExport:
		m.openExport()
	default:
		if v := m.viewOf(a); v != nil {
			m.visit(v)
			return nil
		}
		if cmd, mine := m.keepDo(a); mine {
			return cmd
		}
		m.doView(a)
	}
	return nil
}

// doView carries out what only changes the view.
func (m *Model) doView(a action) {
	switch a {
	case actNextPane:
		m.turnFocus(1)
	case actPrevPane:
		m.turnFocus(-1)
	case actPaneTree:
		m.focusPane(paneTree)
	case actPaneList:
		m.focusPane(paneList)
	case actPaneDetail:
		m.focusPane(paneDetail)
	case actLeft:
		m.sideways(-1)
	case actRight:
		m.sideways(1)
	case actFindings:
		m.openFindings()
	case actFollow:
		m.toggleFollow()
	case actTime:
		m.time = (m.time + 1) % term.TimeFormats
	case actFrames:
		m.toggleFrames()
	case actDrawer:
		m.toggleDrawer()
	case actPlace:
		m.place()
	case actFlow:
		m.onlyFlow()
	case actMark:
		m.mark()
	case actMarked:
		m.onlyMarked()
	case actNextProblem:
		m.toProblem(1)
	case actPrevProblem:
		m.toProblem(-1)
	default:
		m.doDetail(a)
	}
}

// doDetail carries out what is about the detail pane alone.
func (m *Model) doDetail(a action) {
	d := &m.detail
	switch a {
	case actNextHit, actPrevHit:
		switch {
		case len(d.Search.Hits) == 0:
			m.complain("nothing was found in this tab; / looks for text")
		case a == actNextHit:
			d.NextHit(1)
		default:
			d.NextHit(-1)
		}
	case actWrap:
		d.Wide, d.Left = !d.Wide, 0
	case actScrollLeft:
		m.sidewaysIn(-1)
	case actScrollRight:
		m.sidewaysIn(1)
	default:
		if !m.doTree(a) {
			m.doMove(a)
		}
	}
}

// sidewaysIn scrolls unbroken lines, and turns the tabs where there are none.
func (m *Model) sidewaysIn(n int) {
	d := &m.detail
	if !d.Wide || d.tab.Words() {
		m.sideways(n)
		return
	}
	d.Left = max(0, min(d.Left+n*max(d.Width/3, 1), d.Doc.Widest()-d.Width/2))
}

// paste gives pasted text to the line that is being written.
func (m *Model) paste(p tea.PasteMsg) tea.Cmd {
	switch {
	case m.over.kind == overReplay && m.replay.typing:
		return m.updateTarget(p)
	case m.over.pick != nil:
		return m.updatePicker(p)
	case m.asking.what != askNothing:
		return m.updateAsking(p)
	case m.detail.find.editing:
		return m.detail.find.update(m, p)
	}
	return m.filter.paste(m, p)
}

// doMove moves in the pane with the focus.
func (m *Model) doMove(a action) {
	page := max(m.pageSize(), 1)
	const far = 1 << 30
	n := 0
	switch a {
	case actDown:
		n = 1
	case actUp:
		n = -1
	case actHalfDown:
		n = max(page/2, 1)
	case actHalfUp:
		n = -max(page/2, 1)
	case actPageDown:
		n = page
	case actPageUp:
		n = -page
	case actTop:
		m.remember()
		n = -far
	case actBottom:
		m.remember()
		n = far
	default:
		return
	}
	if m.view != nil {
		m.view.scroller().Move(n)
		return
	}
	switch m.focus {
	case paneTree:
		m.tree.Move(n)
		m.touched = true
		m.showNode()
	case paneDetail:
		m.detail.Move(n)
	case paneList:
		if a == actBottom && m.list.ByTime() {
			m.list.Resume()
			return
		}
		m.list.Move(n)
	}
}

func (m *Model) pageSize() int {
	if m.view != nil {
		return m.view.scroller().Height - 1
	}
	switch m.focus {
	case paneTree:
		return m.tree.Height - 1
	case paneDetail:
		return m.detail.Height - 1
	}
	return m.list.Height - 1
}

// panes lists the panes on the screen from left to right.
func (m *Model) panes() []pane {
	var out []pane
	for _, p := range []struct {
		r rect
		p pane
	}{{m.lay.tree, paneTree}, {m.lay.list, paneList}, {m.lay.detail, paneDetail}} {
		if p.r.w > 0 {
			out = append(out, p.p)
		}
	}
	return out
}

func (m *Model) turnFocus(n int) {
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
	m.chosen.drawer = p == paneTree && m.lay.w < treeBeside
	if p == paneList {
		m.chosen.full = false
	}
	m.rearrange()
	if p == paneDetail && m.lay.detail.w == 0 && !m.chosen.card {
		m.chosen.full = true
		m.rearrange()
	}
	m.focus = p
	m.fixFocus()
}

func (m *Model) toggleDrawer() {
	if m.lay.drawer || m.focus == paneTree {
		m.focusPane(paneList)
		return
	}
	m.focusPane(paneTree)
}

// sideways folds in the tree and turns the tabs in the detail pane.
func (m *Model) sideways(n int) {
	if m.focus == paneTree {
		m.tree.Fold(n > 0)
		m.replant()
		m.showNode()
		return
	}
	m.detail.tab = detail.Tab((int(m.detail.tab) + n + int(detail.TabCount)) % int(detail.TabCount))
}

func (m *Model) toggleFollow() {
	if m.list.Follow {
		m.list.Pause()
		return
	}
	m.list.Resume()
}

// toggleFrames turns between exchanges and raw frames and keeps the place.
func (m *Model) toggleFrames() {
	l := &m.list
	if l.Rec == nil {
		return
	}
	id, ok := l.Selected()
	if ok && l.RawFrames {
		if f := l.Rec.Frame(uint64(id)); f != nil && f.Row >= 0 {
			id = uint32(f.Row)
		}
	} else if ok {
		id = l.Rec.Tracker.Row(int(id)).Request
	}
	follow := l.Follow
	l.Reset(l.Scope, !l.RawFrames, m.filter.query)
	l.Scan(idsPerScan)
	l.Selection, l.Top, l.Follow = id, id, follow
	l.Scroll(-l.Height / 2)
	l.Follow = follow
	l.Reveal()
}

// place moves the detail pane.
func (m *Model) place() {
	switch m.chosen.detail {
	case detailOff:
		m.chosen.detail = detailBelow
	case detailBelow:
		m.chosen.detail = detailRight
	case detailAuto:
		m.chosen.detail = detailRight
		if m.lay.beside {
			m.chosen.detail = detailBelow
		}
	default:
		m.chosen.detail = detailOff
	}
}
