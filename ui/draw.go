package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
)

// draw renders the whole screen: exactly h lines of exactly w cells.
func (m *Model) draw() (string, *tea.Cursor) {
	if m.w <= 0 || m.h <= 0 {
		return "", nil
	}
	if m.lay.tiny {
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
	if x := m.drawFoot(screen); x >= 0 && m.over.kind == overNone {
		cursor = tea.NewCursor(x, m.lay.status.y)
	}
	screen = m.drawOverlay(m.filter.drop.draw(screen, m))
	if m.over.pick != nil {
		cursor = tea.NewCursor(m.over.at.x+1+m.over.cursor, m.over.at.y+1)
	}
	return strings.Join(screen, "\n"), cursor
}

func (m *Model) drawTiny() string {
	lines := blanks(m.h, m.w)
	lines[0] = newLine(m.w, &m.sg).put(plain, "terminal too small").finish()
	if m.h > 1 {
		lines[1] = newLine(m.w, &m.sg).put(m.th.dim, safe.Text(itoa(m.w)+"x"+itoa(m.h)+", 40x8 needed")).finish()
	}
	return strings.Join(lines, "\n")
}

// drawBody draws the panes and puts them beside and over each other.
func (m *Model) drawBody(screen []string, sc *scene) {
	switch {
	case m.replay.open:
		copy(screen[1:], m.drawReplay())
	case m.view != nil:
		copy(screen[1:], m.view.draw(m, sc, m.lay.view.w, m.lay.view.h))
	case m.report.open:
		copy(screen[1:], m.drawReport(sc))
	case m.lay.drawer:
		copy(screen[1:], append(m.drawTree(sc), m.drawCard(sc)...))
	case m.lay.tree.w > 0:
		copy(screen[1:], m.joined(m.drawTree(sc), m.drawRight(sc, m.w-m.lay.tree.w-gutter)))
	default:
		copy(screen[1:], m.drawRight(sc, m.w))
	}
}

// drawRight draws what is about the chosen session: all but the tree.
func (m *Model) drawRight(sc *scene, w int) []string {
	if m.lay.card.h > 0 {
		return m.drawCard(sc)
	}
	out := m.drawStripPane(sc, w)
	if m.lay.beside {
		return append(out, m.joined(m.drawList(sc), m.drawDetail(sc))...)
	}
	return append(append(out, m.drawList(sc)...), m.drawDetail(sc)...)
}

// joined puts two blocks side by side with a line between them.
func (m *Model) joined(left, right []string) []string {
	bar := newLine(1, &m.sg).put(m.th.frame, safe.Text(m.sg.v)).finish()
	out := make([]string, min(len(left), len(right)))
	for i := range out {
		out[i] = left[i] + bar + right[i]
	}
	if len(out) > 0 {
		out[0] = left[0] + newLine(1, &m.sg).put(m.th.frame, safe.Text(m.sg.tDown)).finish() + right[0]
	}
	return out
}

// title draws the line above a pane: its name at the left, something about it
// at the right.
func (m *Model) title(w int, name safe.Text, focus bool, right ...seg) *line {
	l := newLine(w, &m.sg)
	st := m.th.title
	if focus {
		st = m.th.key
	}
	l.put(m.th.frame, safe.Text(m.sg.h)).gap(1).put(st, name).gap(1)
	n := 0
	for _, s := range right {
		n += width(s.t)
	}
	if n > 0 && l.w+n+4 <= w {
		l.fill(m.th.frame, m.sg.h, w-n-3).gap(1)
		for _, s := range right {
			l.put(s.st, s.t)
		}
		l.gap(1)
	}
	return l.fill(m.th.frame, m.sg.h, w)
}

func (m *Model) drawTree(sc *scene) []string {
	r := m.lay.tree
	m.tree.marked = m.replay.marked
	out := []string{m.title(r.w, "1 Sessions", m.focus == paneTree).finish()}
	return append(out, m.tree.view(r.w, r.h-1, sc, m.focus == paneTree)...)
}

func (m *Model) drawStripPane(sc *scene, w int) []string {
	if m.lay.strip.h == 0 {
		return nil
	}
	s := m.list.current()
	var out []string
	if m.lay.strip.h > 1 {
		var right []seg
		if s != nil {
			right = append(right, seg{m.th.dim, safe.Line(strings.TrimSpace(string(s.ProtocolVersion) + " " + s.Transport.String()))})
		}
		out = append(out, m.title(w, "Lifecycle", false, right...).finish())
	}
	one, two := newLine(w, &m.sg), newLine(w, &m.sg)
	if s == nil {
		m.drawNoSession(one)
	} else {
		steps, why := m.list.rec.judged(s)
		bad, at := drawStrip(one, sc, steps)
		f := why[bad]
		if f == nil {
			f = m.list.rec.worstOf(s.Index)
		}
		if m.lay.strip.h == 1 {
			drawStripHint(one, sc, f)
		}
		drawStripNote(two, sc, s, pointed{steps, bad, at, f})
	}
	out = append(out, one.finish())
	if m.lay.strip.h > 1 {
		out = append(out, two.finish())
	}
	return out
}

// drawNoSession says on the strip what is shown when it is not one session.
func (m *Model) drawNoSession(l *line) {
	r := m.list.rec
	l.gap(1)
	switch {
	case r == nil:
	case m.list.session == looseRows:
		l.put(m.th.dim, "messages that belong to no session")
	case !r.loaded() && r.asked && !r.Live:
		l.put(m.th.dim, "loading")
	case len(r.t.Sessions()) == 0:
		l.put(m.th.dim, "no session so far")
	default:
		how := safe.Text("b lists them")
		if m.lay.tree.w > 0 {
			how = "choose one at the left to see its life cycle"
		}
		l.put(m.th.dim, "all of "+count(len(r.t.Sessions()), "session")+"; "+how)
	}
}

func (m *Model) drawList(sc *scene) []string {
	r := m.lay.list
	if r.w == 0 || r.h == 0 {
		return nil
	}
	l := &m.list
	out := []string{m.title(r.w, "2 Messages", m.focus == paneList, m.listState()...).finish()}
	col := m.columns()
	if m.lay.columns {
		out = append(out, drawColumns(newLine(r.w, &m.sg), &m.th, col, l))
	}
	sel := l.index()
	top := l.first()
	for i := top; i < min(top+l.height, len(l.vis)); i++ {
		out = append(out, m.drawRow(sc, col, i, i == sel))
	}
	if len(l.vis) == 0 {
		out = append(out, m.drawNothing(r.w)...)
	}
	if len(out) > r.h {
		out = out[:r.h]
	}
	return append(out, blanks(r.h-len(out), r.w)...)
}

func (m *Model) drawRow(sc *scene, col *columns, i int, chosen bool) string {
	l, rec := &m.list, m.list.rec
	id := l.vis[i]
	line := newLine(m.lay.list.w, &m.sg)
	if chosen {
		line.selected(&m.th, m.focus == paneList)
	}
	var c cells
	if l.frames {
		f := rec.frame(uint64(id))
		prev := f.T
		if i > 0 {
			prev = rec.frame(uint64(l.vis[i-1])).T
		}
		c = frameCells(sc, rec, f, prev, m.preview(rec, uint64(id)))
	} else {
		prev := rec.t.Row(int(id)).T
		if i > 0 {
			prev = rec.t.Row(int(l.vis[i-1])).T
		}
		c = rowCells(sc, rec, int(id), prev)
	}
	return drawRow(line, sc, col, &c, chosen)
}

// listState is what the title of the list says at the right.
func (m *Model) listState() []seg {
	l := &m.list
	if l.rec == nil {
		return nil
	}
	what := safe.Text("exchanges")
	if l.frames {
		what = "frames"
	}
	dot := safe.Text(" " + m.sg.dot + " ")
	out := []seg{{m.th.dim, what + dot}}
	switch {
	case l.scanned < l.total():
		out = append(out, seg{m.th.pend, "filtering " + safe.Text(itoa(int(l.progress()*100))) + "%"})
	case l.searching():
		out = append(out, seg{m.th.dim, number(len(l.vis)) + " of " + number(l.total()) + dot},
			seg{m.th.pend, l.searched()})
	case l.query != nil:
		out = append(out, seg{m.th.dim, number(len(l.vis)) + " of " + number(l.total())})
	default:
		out = append(out, seg{m.th.dim, number(len(l.vis))})
	}
	out = append(out, m.sortState()...)
	if l.rec.loading > 0 && l.rec.loading < 1 {
		out = append(out, seg{m.th.pend, dot + "loading " + safe.Text(itoa(int(l.rec.loading*100))) + "%"})
	}
	if !l.follow && l.rec.Live {
		out = append(out, seg{m.th.dim, dot}, seg{m.th.warn + bold, safe.Text(m.sg.paused) + " paused"})
		if l.unseen > 0 && l.natural() {
			out = append(out, seg{m.th.warn + bold, " +" + number(l.unseen) + " new"})
		}
		if l.unseenErr > 0 {
			out = append(out, seg{m.th.err, " E+" + number(l.unseenErr)})
		}
		if l.unseen > 0 && l.natural() {
			out = append(out, seg{m.th.warn + bold, " (G)"})
		}
	}
	return out
}

func (m *Model) drawDetail(sc *scene) []string {
	r := m.lay.detail
	if r.w == 0 {
		return nil
	}
	out := []string{m.drawTabs(r.w)}
	if _, ok := m.list.selected(); !ok {
		return append(out, blanks(r.h-1, r.w)...)
	}
	m.detail.focus = m.focus == paneDetail
	return append(out, m.detail.view(r.w, r.h-1, sc)...)
}

func (m *Model) detailTitle() safe.Text {
	if _, ok := m.list.selected(); !ok {
		return "3 Detail"
	}
	return "3 Detail  " + m.selectionName()
}

// selectionName names the selected row in a few words.
func (m *Model) selectionName() safe.Text {
	id, ok := m.list.selected()
	if !ok {
		return "detail"
	}
	rec := m.list.rec
	if m.list.frames {
		return "#" + safe.Text(itoa(int(id)))
	}
	row := rec.t.Row(int(id))
	return "#" + safe.Text(itoa(int(row.Request))) + " " + safe.Line(shortMethod(row, rec.t.Name(row.Name)))
}

// tabSpans says at which columns of the title line the tabs stand.
func (m *Model) tabSpans(w int) (out [tabCount][2]int) {
	names := m.tabNames(w)
	total := 1
	for _, n := range names {
		total += width(n) + 2
	}
	x := max(0, w-total-1)
	for i, n := range names {
		out[i] = [2]int{x, x + width(n) + 2}
		x += width(n) + 2
	}
	return out
}

// drawTabs draws the title line of the detail pane, the tabs at its right end.
func (m *Model) drawTabs(w int) string {
	spans := m.tabSpans(w)
	names := m.tabNames(w)
	l := newLine(w, &m.sg)
	name := m.detailTitle()
	st := m.th.title
	if m.focus == paneDetail {
		st = m.th.key
	}
	l.put(m.th.frame, safe.Text(m.sg.h)).gap(1).putMax(st, name, spans[0][0]-4).gap(1)
	l.fill(m.th.frame, m.sg.h, spans[0][0]-1).gap(spans[0][0] - l.w)
	for i, n := range names {
		if tab(i) == m.detail.tab {
			l.put(st, "["+n+"]")
		} else {
			l.put(m.th.dim, " "+n+" ")
		}
	}
	return l.gap(1).fill(m.th.frame, m.sg.h, w).finish()
}
