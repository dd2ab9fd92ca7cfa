package ui

import (
	"math"
	"sort"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
)

// barSigns are the glyphs of the bars.
type barSigns struct {
	done, stream, open, asked  string // in flight, its answer streaming, without an answer, asked by the server
	thin, moment, other        string // a stream of its own, a notification, what is no message
	half                       string // a bar that begins in the right half of its cell
	parts                      []string
	before, after, grid, given string // off the screen; a line of the grid; given up
}

func (m *Model) barSigns() barSigns {
	if m.opts.ASCII {
		return barSigns{"#", "=", "~", "%", "-", ":", "o", "#", nil, "<", ">", " ", "x"}
	}
	return barSigns{"█", "▄", "▓", "▒", "─", "┆", "•", "▐", []string{"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"}, "‹", "›", "·", "×"}
}

// extent is all the time there is to see.
func (v *waterfall) extent(m *Model) extent {
	b, sc := &v.sum, m.scene()
	all := extent{float64(b.lo), float64(b.hi)}
	if m.list.rec == nil || b.rows == 0 {
		return extent{0, shortestTime}
	}
	if m.list.rec.Live && b.goesOn {
		all.to = max(all.to, float64(sc.now.Sub(m.list.rec.Started)))
	}
	// What is a little after the beginning begins at 0.
	if base := float64(sc.base); base < all.from && all.from-base < all.length()/8 {
		all.from = base
	}
	all.to = max(all.to, all.from+shortestTime)
	return all
}

// middle is the moment that zooming keeps in place: that of the selected row
// when it is to be seen.
func (v *waterfall) middle(m *Model) float64 {
	w := v.axis.window(v.extent(m))
	if row := v.selected(m); row != nil {
		from, to := max(float64(row.T), w.from), float64(max(row.End, row.T))
		if to >= w.from && from <= w.to {
			return (from + min(to, w.to)) / 2
		}
	}
	return (w.from + w.to) / 2
}

// selectInside selects the first row of the time that is to be seen, when the
// selected one is not of it.
func (v *waterfall) selectInside(m *Model) {
	row, w := v.selected(m), v.axis.window(v.extent(m))
	if row == nil || v.order.by != byStart || v.axis.fit || row.T < int64(w.to) && max(row.T, row.End) >= int64(w.from) {
		return
	}
	l := &m.list
	i := sort.Search(len(l.vis), func(i int) bool { return float64(l.rec.t.Row(int(l.vis[i])).T) >= w.from })
	if i < len(l.vis) {
		l.pause()
		v.lines.sel, v.was.sel = i, i
		l.sel = l.vis[i]
		v.lines.move(0)
	}
}

func (v *waterfall) draw(m *Model, sc *scene, w, h int) []string {
	out := []string{m.title(w, "Waterfall", true, v.titleState(m)...).finish()}
	legend := h >= 12
	rows := h - 2
	if legend {
		rows--
	}
	ids := v.order.ids(&m.list)
	v.lines.fit(len(ids), max(rows, 0))
	v.was.top = v.lines.top // no key moved it
	if len(ids) == 0 {
		out = append(out, m.drawNothing(w)...)
		return append(out, blanks(h-len(out), w)...)[:h]
	}
	left := min(max(w*37/100, min(34, w/2)), 58)
	v.chart = chart{left + 1, 2, w - left - 1}
	p := painter{m: m, sc: sc, sg: m.barSigns(), window: v.axis.window(v.extent(m)), columns: v.chart.w, left: left}
	p.marks = sc.ticks(p.window, p.columns)
	p.layColumns(w)
	out = append(out, p.head())
	for i, id := range v.seen(m) {
		out = append(out, p.row(int(id), v.lines.top+i == v.lines.sel))
	}
	out = append(out, blanks(h-len(out), w)...)
	if legend {
		out[h-1] = v.legend(m, &p, w)
	}
	return out[:h]
}

// painter draws rows of the waterfall.
type painter struct {
	m       *Model
	sc      *scene
	sg      barSigns
	window  extent
	columns int
	left    int
	marks   []tick
	num     int // cells of the number
	latency int // of the latency
}

func (p *painter) layColumns(w int) {
	frames := p.m.list.rec.frames
	p.num, p.latency = 3, 7
	if n := len(frames); n > 0 {
		p.num = max(p.num, len(itoa(int(frames[n-1].N))))
	}
	if w < 60 {
		p.latency = 0
	}
}

// head draws the names of the columns and the axis.
func (p *painter) head() string {
	l := newLine(p.left+1+p.columns, &p.m.sg)
	dim := p.sc.th.dim
	l.gap(1).right(dim, "#", p.num+1).gap(3).putMax(dim, "method", p.left-l.w-p.latency-1)
	l.gap(p.left-p.latency-l.w).right(dim, "latency", p.latency).gap(p.left-l.w).put(p.sc.th.frame, safe.Text(p.m.sg.v))
	for _, t := range p.marks {
		if x := min(p.left+1+t.column, l.max-width(t.label)); x >= l.w {
			l.gap(x-l.w).put(dim, t.label).gap(1)
		}
	}
	return l.finish()
}

func (p *painter) row(i int, chosen bool) string {
	rec, th, sg := p.m.list.rec, p.sc.th, &p.m.sg
	row := rec.t.Row(i)
	c := rowCells(p.sc, rec, i, row.T)
	l := newLine(p.left+1+p.columns, sg)
	if chosen {
		l.selected(th, true)
		l.put(th.key, safe.Text(sg.bar))
	} else {
		l.gap(1)
	}
	l.cell(c.foundSt, safe.Text(c.found), 1).right(plain, c.num, p.num).gap(1).cell(c.verdictSt, safe.Text(c.verdict), 1).gap(1)
	end := p.left - 1
	if p.latency > 0 && c.latency != "" {
		end = p.left - max(p.latency, width(c.latency)) - 1
	}
	if row.Kind != session.RowCall || row.Dir != wire.ToServer {
		l.putMax(c.dirSt, safe.Text(c.dir+" "), end-l.w)
	}
	if row.Kind != session.RowHTTP { // those words begin with the method
		l.putMax(c.methodSt, c.method, end-l.w).gap(min(1, end-l.w))
	}
	l.putMax(th.dim, c.target, end-l.w)
	if p.latency > 0 && c.latency != "" {
		l.gap(p.left-width(c.latency)-l.w).put(c.latencySt, c.latency)
	}
	l.gap(p.left-l.w).put(th.frame, safe.Text(sg.v))
	p.bar(l, rec, row)
	return l.finish()
}

// bar draws what is to be seen of a row's time.
func (p *painter) bar(l *line, rec *recording, row *session.Row) {
	t := track{cells: make([]trackCell, p.columns), sg: &p.sg, columns: p.columns}
	for _, g := range p.marks {
		t.set(g.column, p.sg.grid, p.sc.th.frame)
	}
	from, to := p.window.at(row.T, p.columns), p.window.at(max(row.End, row.T), p.columns)
	st, pending := p.tone(row), unfinished(row)
	if pending {
		to = float64(p.columns)
		if rec.Live {
			to = p.window.at(int64(p.sc.now.Sub(rec.Started)), p.columns)
		}
		to = max(to, from)
	}
	switch {
	case row.Kind == session.RowNotification:
		t.point(from, p.sg.moment, st)
	case row.Kind != session.RowCall && row.Kind != session.RowHTTP:
		t.point(from, p.sg.other, p.sc.th.dim)
	case isStream(rec, row):
		t.run(from, to, p.sg.thin, st)
	case pending:
		t.run(from, to, p.sg.open, p.sc.th.pend)
	case row.End == 0:
		t.point(from, p.sg.given, st)
	case row.Dir != wire.ToServer:
		t.run(from, to, p.sg.asked, st)
	default:
		first := p.window.at(row.First, p.columns)
		if row.First > row.T && row.First < row.End && to-first >= 1 {
			t.run(first, to, p.sg.stream, st)
			t.bar(from, math.Floor(first), st)
		} else {
			t.bar(from, to, st)
		}
	}
	t.edges(from, to, p.sc.th.dim)
	t.write(l)
}

// tone is the hue of a bar.
func (p *painter) tone(row *session.Row) style {
	th := p.sc.th
	switch row.Verdict {
	case session.VerdictError, session.VerdictLost:
		return th.err
	case session.VerdictCancelled:
		return th.dim
	}
	if row.Dir == wire.ToServer {
		return th.c2s
	}
	return th.s2c
}

// track is the cells of one bar.
type track struct {
	cells   []trackCell
	sg      *barSigns
	columns int
}

type trackCell struct {
	glyph string
	st    style
}

func (t *track) set(x int, glyph string, st style) {
	if x >= 0 && x < len(t.cells) {
		t.cells[x] = trackCell{glyph, st}
	}
}

// column is the cell of a place, which may be far outside. The end belongs to
// the last cell.
func (t *track) column(x float64) int {
	if end := float64(t.columns); x >= end && x < end+1e-6 {
		return t.columns - 1
	}
	return int(math.Floor(max(-1, min(x, float64(t.columns)))))
}

func (t *track) point(at float64, glyph string, st style) { t.set(t.column(at), glyph, st) }

// run fills cells from one place to another, at least one.
func (t *track) run(from, to float64, glyph string, st style) {
	first := t.column(from)
	for x := first; x == first || float64(x) < to && x < t.columns; x++ {
		t.set(x, glyph, st)
	}
}

// bar fills cells as exactly as their parts allow.
func (t *track) bar(from, to float64, st style) {
	if t.sg.parts == nil {
		t.run(from, to, t.sg.done, st)
		return
	}
	first, last := t.column(from), t.column(to)
	if first == last {
		t.set(first, t.part(max(to-from, 0.25)), st)
		return
	}
	t.run(from, float64(last), t.sg.done, st)
	if from-float64(first) >= 0.5 {
		t.set(first, t.sg.half, st)
	}
	if rest := to - float64(last); rest >= 1.0/16 {
		t.set(last, t.part(rest), st)
	}
}

// part is the glyph of a part of a cell, from its left.
func (t *track) part(n float64) string {
	return t.sg.parts[max(0, min(int(math.Round(n*8)), 8)-1)]
}

// edges say on which side a bar is that is not to be seen.
func (t *track) edges(from, to float64, st style) {
	switch {
	case to < 0:
		t.set(0, t.sg.before, st)
	case from >= float64(t.columns)+1e-6:
		t.set(t.columns-1, t.sg.after, st)
	}
}

func (t *track) write(l *line) {
	for i := 0; i < len(t.cells); {
		c, j := t.cells[i], i
		for j < len(t.cells) && t.cells[j] == c {
			j++
		}
		if c.glyph == "" {
			l.gap(j - i)
		} else {
			l.put(c.st, safe.Text(strings.Repeat(c.glyph, j-i)))
		}
		i = j
	}
}

// legend explains the signs, as many as there is room for, and sums up.
func (v *waterfall) legend(m *Model, p *painter, w int) string {
	l, th := newLine(w, &m.sg), &m.th
	sum := v.sumText(m)
	l.gap(1)
	for _, s := range []struct {
		glyph string
		st    style
		text  safe.Text
	}{
		{p.sg.done, th.c2s, "in flight"},
		{p.sg.open, th.pend, "waits"},
		{p.sg.asked, th.s2c, "server asks"},
		{p.sg.moment, th.s2c, "notification"},
		{p.sg.stream, th.c2s, "answer streams"},
		{p.sg.thin, th.s2c, "stream"},
	} {
		if l.w+width(s.text)+5+width(sum) < w {
			l.put(s.st, safe.Text(s.glyph)).gap(1).put(th.dim, s.text).gap(2)
		}
	}
	if l.w+width(sum)+1 <= w {
		l.gap(w-width(sum)-1-l.w).put(plain, sum)
	}
	return l.finish()
}

// sumText says how busy it was.
func (v *waterfall) sumText(m *Model) safe.Text {
	if v.sum.most == 0 {
		return ""
	}
	t := "at most " + number(v.sum.most) + " at once"
	if share, ok := v.sum.idleShare(int64(v.extent(m).to)); ok {
		t += safe.Text(" "+m.sg.dot+" ") + "idle " + safe.Text(itoa(int(share*100+0.5))) + "%"
	}
	return t
}

// titleState says which rows are seen, in which order.
func (v *waterfall) titleState(m *Model) []seg {
	l, dot := &m.list, safe.Text(" "+m.sg.dot+" ")
	if l.rec == nil {
		return nil
	}
	n := number(len(l.vis))
	if l.query != nil {
		n += " of " + number(l.total())
	}
	out := []seg{{m.th.dim, v.order.by.text() + dot + n}}
	if v.order.by != byStart && v.order.ready {
		if later := len(v.order.sorted) - v.order.fixed; later > 0 {
			out = append(out, seg{m.th.pend, dot + "+" + number(later) + " since"})
		}
	}
	switch {
	case v.order.waiting():
		out = append(out, seg{m.th.pend, dot + "sorting"})
	case l.scanned < l.total():
		out = append(out, seg{m.th.pend, dot + "filtering " + safe.Text(itoa(int(l.progress()*100))) + "%"})
	case !v.swept && v.sweep.next < len(l.vis):
		out = append(out, seg{m.th.pend, dot + "measuring " + safe.Text(itoa(v.sweep.next*100/len(l.vis))) + "%"})
	case l.rec.Live && !l.follow:
		out = append(out, seg{m.th.dim, dot}, seg{m.th.warn, safe.Text(m.sg.paused) + " paused"})
	}
	return out
}

// state says in the header which part of the time is to be seen.
func (v *waterfall) state(m *Model) []seg {
	sc := m.scene()
	if m.list.rec == nil || v.sum.rows == 0 {
		return nil
	}
	w := v.axis.window(v.extent(m))
	step := tickStep(w.length() / 20)
	t := sc.tickLabel(w.from, step) + " " + safe.Text(m.sg.ellipsis) + " " + sc.tickLabel(w.to, step) + "   "
	switch {
	case m.frozen:
		return []seg{{plain, t}, {m.th.warn + bold, safe.Text(m.sg.paused + " frozen, p goes on")}}
	case v.axis.fit:
		return []seg{{plain, t}, {m.th.dim, "all of it"}}
	case v.axis.ends:
		return []seg{{plain, t}, {m.th.ok, safe.Text(m.sg.live)}, {plain, " the end"}}
	}
	share := v.extent(m).length() / w.length()
	return []seg{{plain, t}, {m.th.dim, safe.Text(m.sg.times) + number(int(min(share, 1e9)))}}
}

// told gives the times of the selected row exactly.
func (v *waterfall) told(m *Model) safe.Text {
	row := v.selected(m)
	if row == nil {
		return ""
	}
	rec, sc := m.list.rec, m.scene()
	dot := safe.Text(" " + m.sg.dot + " ")
	t := "#" + safe.Text(itoa(int(row.Request))) + dot + seconds(max(0, row.T-sc.base)) + "s"
	if m.w >= 100 {
		t += " (" + safe.Text(rec.Started.Add(time.Duration(row.T)).Local().Format("15:04:05.000")) + ")"
	}
	switch {
	case row.Kind != session.RowCall && row.Kind != session.RowHTTP:
		return t
	case unfinished(row) && rec.Live:
		return t + dot + "waits for " + duration(elapsed(sc.now, rec, row.T))
	case unfinished(row):
		return t + dot + "never answered"
	case row.End == 0:
		return t + dot + "given up"
	}
	if row.First > row.T && row.First < row.End {
		t += dot + "first byte +" + exactly(row.First-row.T)
	}
	return t + dot + "end " + seconds(max(0, row.End-sc.base)) + "s" + dot + "took " + exactly(row.Latency())
}

// exactly writes nanoseconds to the microsecond.
func exactly(ns int64) safe.Text {
	return safe.Text(time.Duration(ns).Round(time.Microsecond).String())
}

// copy puts the rows on the screen on the clipboard as a Markdown table.
func (v *waterfall) copy(m *Model) tea.Cmd {
	sc, rec := m.scene(), m.list.rec
	var b strings.Builder
	b.WriteString("| # | start | latency | message | outcome |\n|--:|--:|--:|---|---|\n")
	for _, id := range v.seen(m) {
		row := rec.t.Row(int(id))
		c := rowCells(sc, rec, int(id), row.T)
		what := string(c.dir + " " + string(c.method) + " " + string(c.target))
		cells := []string{string(c.num), string(sc.point(rec, row.T, row.T)), string(c.latency), what, string(c.result)}
		for _, s := range cells {
			b.WriteString("| " + markdownCell(s) + " ")
		}
		b.WriteString("|\n")
	}
	return clipboard(m, b.String(), "table")
}

// markdownCell keeps text in its cell.
func markdownCell(s string) string {
	return strings.NewReplacer("|", `\|`, "`", "'", "<", "&lt;").Replace(strings.TrimSpace(s))
}
