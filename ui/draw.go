package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/term"
	"midwire/ui/view"
)

// draw renders the whole screen: exactly h lines of exactly w cells.
func (m *Model) draw() (string, *tea.Cursor) {
	if m.w <= 0 || m.h <= 0 {
		return "", nil
	}
	if m.layout.tiny {
		return m.drawTiny(), nil
	}
	sc := m.scene()
	screen := make([]string, m.h)
	screen[0] = m.drawHeader()
	if len(m.recs) == 0 {
		m.drawEmpty(screen)
	} else {
		m.drawBody(screen, sc)
	}
	var cursor *tea.Cursor
	x, y := m.drawFoot(screen), m.layout.status.Y
	if m.news.Showing() && m.h >= 15 {
		box, w := m.news.Draw(sc, m.w-2, "^n")
		screen = term.Over(screen, box, m.w-w-1, m.h-1-len(box)-m.layout.status.H)
	}
	screen = m.drawDialog(m.drawOffers(screen))
	if e, ok := m.active().(boxEntry); ok {
		x, y = m.dialog.at.X+1+e.Cursor(), m.dialog.at.Y+1
	} else if m.dialog.kind != noDialog {
		x = 0
	}
	if x > 0 {
		cursor = tea.NewCursor(x, y)
	}
	return strings.Join(screen, "\n"), cursor
}

func (m *Model) drawTiny() string {
	lines := term.Blanks(m.h, m.w)
	lines[0] = term.NewLine(m.w, &m.glyphs).Put(term.Plain, "terminal too small").Finish()
	if m.h > 1 {
		lines[1] = term.NewLine(m.w, &m.glyphs).Put(m.theme.Dim, safe.Int(m.w)+"x"+safe.Int(m.h)+", 40x8 needed").Finish()
	}
	return strings.Join(lines, "\n")
}

// drawBody draws the panes and puts them beside and over each other.
func (m *Model) drawBody(screen []string, sc *library.Scene) {
	switch {
	case m.view != nil:
		copy(screen[1:], m.view.Draw(m, sc, m.layout.view.W, m.layout.view.H))
	default:
		copy(screen[1:], m.drawRight(sc))
	}
}

// beside puts two panes beside each other: boxes touch, other panes have a line
// between them.
func (m *Model) beside(sc *library.Scene, left, right []string) []string {
	if !m.layout.boxed {
		return view.Beside(sc, left, right)
	}
	out := make([]string, min(len(left), len(right)))
	for i := range out {
		out[i] = left[i] + right[i]
	}
	return out
}

// drawRight draws what is about the chosen session.
func (m *Model) drawRight(sc *library.Scene) []string {
	if m.layout.infoPanel.H > 0 {
		return m.drawInfoPanel(sc)
	}
	out := m.drawLifecycle(sc)
	if m.layout.beside {
		return append(out, m.beside(sc, m.drawList(sc), m.drawDetail(sc))...)
	}
	return append(append(out, m.drawList(sc)...), m.drawDetail(sc)...)
}

// panel is the frame of a pane.
func (m *Model) panel(name safe.Text, of pane, state ...term.Seg) *term.Panel {
	return &term.Panel{Name: []term.Seg{term.S(m.theme.Title, name)}, State: state, Focus: m.focus == of}
}

// drawLifecycle draws the life cycle of the session that is shown.
func (m *Model) drawLifecycle(sc *library.Scene) []string {
	r := m.layout.lifecycle
	if r.H == 0 {
		return nil
	}
	s, w := m.list.Current(), r.W
	if r.H > 1 {
		w = m.layout.inside(r).W
	}
	one, two := term.NewLine(w, &m.glyphs), term.NewLine(w, &m.glyphs)
	if s == nil {
		m.drawNoSession(one)
	} else {
		steps, why := detail.Judged(m.list.Rec, s)
		bad, at := detail.DrawLifecycle(one, sc, steps)
		f := why[bad]
		if f == nil {
			f = m.list.Rec.WorstOf(s.Index)
		}
		if r.H == 1 {
			detail.DrawLifecycleHint(one, sc, f)
		}
		detail.DrawLifecycleNote(two, sc, s, detail.Pointed{Steps: steps, Bad: bad, At: at, F: f})
	}
	if r.H == 1 {
		return []string{one.Finish()}
	}
	p := &term.Panel{Name: []term.Seg{term.S(m.theme.Title, "Lifecycle")}}
	if s != nil {
		p.Name = append(p.Name, term.S(m.theme.Hue(s.Index)+term.Bold, "  "+m.list.Rec.SessionName(s.Index)))
		how := strings.TrimSpace(string(s.ProtocolVersion) + " " + s.Transport.String())
		p.State = []term.Seg{term.S(m.theme.Dim, safe.Line(how))}
	}
	return p.Draw(&sc.Screen, r.W, r.H, []string{one.Finish(), two.Finish()})
}

// drawNoSession says on the strip what is shown when it is not one session.
func (m *Model) drawNoSession(l *term.Line) {
	r := m.list.Rec
	l.Gap(1)
	switch {
	case r == nil:
	case m.list.Session == library.NoSession:
		l.Put(m.theme.Dim, "messages that belong to no session")
	case !r.Loaded() && r.Opened && !r.Live:
		l.Put(m.theme.Dim, "loading")
	case len(r.Tracker.Sessions()) == 0:
		l.Put(m.theme.Dim, "no session so far")
	default:
		l.Put(m.theme.Dim, "all of "+term.Count(len(r.Tracker.Sessions()), "session")+"; b lists them")
	}
}

func (m *Model) drawList(sc *library.Scene) []string {
	r := m.layout.list
	if r.W == 0 || r.H == 0 {
		return nil
	}
	l := &m.list
	in := m.layout.inside(r)
	var out []string
	col := m.columns()
	if m.layout.columns {
		out = append(out, messages.DrawHeadings(term.NewLine(in.W, &m.glyphs), &m.theme, col, l))
	}
	sel := l.SelectedIndex()
	top := l.FirstIndex()
	for i := top; i < min(top+l.Height, len(l.Visible)); i++ {
		out = append(out, m.drawRow(sc, col, i, i == sel))
	}
	if len(l.Visible) == 0 {
		out = append(out, m.Rows().DrawNothing(sc, in.W)...)
	}
	return m.panel("Messages", paneList, m.listState(sc)...).Draw(&sc.Screen, r.W, r.H, out)
}

// columns are those of the list as it stands on the screen.
func (m *Model) columns() *messages.Columns {
	l := &m.list
	var last uint64 = 1
	if l.Rec != nil && len(l.Rec.Frames) > 0 {
		last = uint64(l.Rec.Frames[len(l.Rec.Frames)-1].N)
	}
	c := messages.LayColumns(m.layout.inside(m.layout.list).W, last, l.MethodWidth(), m.time, m.opts.ASCII,
		m.w >= 140 && l.Rec != nil && l.Rec.Tap == "http", l.RawFrames)
	return &c
}

func (m *Model) drawRow(sc *library.Scene, col *messages.Columns, i int, chosen bool) string {
	l, rec := &m.list, m.list.Rec
	id := l.Visible[i]
	var c messages.Cells
	if l.RawFrames {
		f := rec.Frame(uint64(id))
		prev := f.T
		if i > 0 {
			prev = rec.Frame(uint64(l.Visible[i-1])).T
		}
		c = messages.FrameCells(sc, rec, f, prev, m.preview(rec, uint64(id)))
	} else {
		prev := rec.Tracker.Row(int(id)).T
		if i > 0 {
			prev = rec.Tracker.Row(int(l.Visible[i-1])).T
		}
		c = messages.RowCells(sc, rec, int(id), prev)
	}
	return messages.DrawRow(sc.Row(m.layout.inside(m.layout.list).W, chosen, m.focus == paneList), sc, col, &c)
}

// listState is what the title of the list says at the right.
func (m *Model) listState(sc *library.Scene) []term.Seg {
	l := &m.list
	if l.Rec == nil {
		return nil
	}
	what := safe.Text("exchanges")
	if l.RawFrames {
		what = "frames"
	}
	dot := " " + m.glyphs.Dot + " "
	out := []term.Seg{term.S(m.theme.Dim, what+dot)}
	if text := m.filter.Text(); text != "" {
		chip := term.Shorten("/"+safe.Line(text), max(m.layout.list.W/2, 10), &m.glyphs)
		out = append([]term.Seg{term.S(m.theme.Key, chip), term.S(term.Plain, "   ")}, out...)
	}
	switch {
	case l.Scanned < l.Total():
		out = append(out, term.S(m.theme.Pend, "filtering "+safe.Int(int(l.Progress()*100))+"%"))
	case l.Searching():
		out = append(out, term.S(m.theme.Dim, term.Number(len(l.Visible))+" of "+term.Number(l.Total())+dot),
			term.S(m.theme.Pend, l.Searched()))
	case l.Query != nil:
		out = append(out, term.S(m.theme.Dim, term.Number(len(l.Visible))+" of "+term.Number(l.Total())))
	default:
		out = append(out, term.S(m.theme.Dim, term.Number(len(l.Visible))))
	}
	out = append(out, m.list.OrderState(&sc.Screen)...)
	if l.Rec.Loading > 0 && l.Rec.Loading < 1 {
		out = append(out, term.S(m.theme.Pend, dot+"loading "+safe.Int(int(l.Rec.Loading*100))+"%"))
	}
	if !l.Follow && l.Rec.Live {
		out = append(out, term.S(m.theme.Dim, dot), term.S(m.theme.Warn+term.Bold, m.glyphs.Paused+" paused"))
		if l.Unseen > 0 && l.ByTime() {
			out = append(out, term.S(m.theme.Warn+term.Bold, " +"+term.Number(l.Unseen)+" new"))
		}
		if l.UnseenErr > 0 {
			out = append(out, term.S(m.theme.Err, " E+"+term.Number(l.UnseenErr)))
		}
		if l.Unseen > 0 && l.ByTime() {
			out = append(out, term.S(m.theme.Warn+term.Bold, " (G)"))
		}
	}
	return out
}

func (m *Model) drawDetail(sc *library.Scene) []string {
	r := m.layout.detail
	if r.W == 0 {
		return nil
	}
	in := m.layout.inside(r)
	p := m.panel(m.detailTitle(), paneDetail, m.tabs()...)
	if _, ok := m.list.Selected(); !ok {
		return p.Draw(&sc.Screen, r.W, r.H, nil)
	}
	m.detail.Focus = m.focus == paneDetail
	if m.detail.key.Page {
		return m.drawPage(sc, r)
	}
	if m.detail.Focus && m.detail.Under() >= 0 && m.layout.boxed {
		p.Foot = m.under(in.W - 6)
	} else if text := m.comment(); text != "" {
		p.Foot = []term.Seg{
			term.S(m.theme.Note, "; "), term.S(term.Plain, term.Shorten(safe.Line(text), in.W-8, &m.glyphs)),
		}
	}
	body := m.detail.Draw(in.W, in.H, &sc.Screen)
	if m.detail.key.Card {
		body = m.detail.drawCard(sc, in.W, in.H)
	}
	return p.Draw(&sc.Screen, r.W, r.H, body)
}

func (m *Model) detailTitle() safe.Text {
	if _, ok := m.list.Selected(); !ok {
		return "Detail"
	}
	return m.selectionName()
}

// selectionName names the selected row in a few words.
func (m *Model) selectionName() safe.Text {
	id, ok := m.list.Selected()
	if !ok {
		return "detail"
	}
	rec := m.list.Rec
	if m.list.RawFrames {
		return "#" + safe.Int(int(id))
	}
	row := rec.Tracker.Row(int(id))
	return "#" + safe.Int(int(row.Request)) + " " + safe.Line(library.ShortMethod(row, rec.Tracker.Name(row.Name)))
}

// tabs are the names of the tabs of the detail pane, the one that is shown in
// brackets.
func (m *Model) tabs() (out []term.Seg) {
	for i, n := range detail.TabNames(m.layout.inside(m.layout.detail).W, len(m.about())) {
		if detail.Tab(i) == m.detail.tab {
			out = append(out, term.S(m.theme.Key, "["+n+"]"))
		} else {
			out = append(out, term.S(m.theme.Dim, " "+n+" "))
		}
	}
	return out
}

// tabSpans says at which columns of the detail pane the tabs stand.
func (m *Model) tabSpans() (out [detail.TabCount][2]int) {
	tabs := m.tabs()
	x := m.layout.detail.W - 3 - term.SegsWidth(tabs)
	for i, t := range tabs {
		out[i] = [2]int{x, x + term.Width(t.Text)}
		x += term.Width(t.Text)
	}
	return out
}
