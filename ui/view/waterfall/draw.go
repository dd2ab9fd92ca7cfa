package waterfall

import (
	"math"
	"sort"
	"strconv"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/term"
	"midwire/ui/view"
)

// barSigns are the glyphs of the bars.
type barSigns struct {
	done, stream, open, asked  safe.Text // in flight, its answer streaming, without an answer, asked by the server
	thin, moment, other        safe.Text // a stream of its own, a notification, what is no message
	half                       safe.Text // a bar that begins in the right half of its cell
	parts                      []safe.Text
	before, after, grid, given safe.Text // off the screen; a line of the grid; given up
}

func barSignsOf(ascii bool) barSigns {
	if ascii {
		return barSigns{"#", "=", "~", "%", "-", ":", "o", "#", nil, "<", ">", " ", "x"}
	}
	return barSigns{"█", "▄", "▓", "▒", "─", "┆", "•", "▐", []safe.Text{"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"}, "‹", "›", "·", "×"}
}

// extent is all the time there is to see.
func (v *View) extent(sc *library.Scene) extent {
	b := &v.sum
	all := extent{float64(b.lo), float64(b.hi)}
	if sc.Rec == nil || b.rows == 0 {
		return extent{0, shortestTime}
	}
	if sc.Rec.Live && b.goesOn {
		all.to = max(all.to, float64(sc.Now.Sub(sc.Rec.Started)))
	}
	// What is a little after the beginning begins at 0.
	if base := float64(sc.Base); base < all.from && all.from-base < all.length()/8 {
		all.from = base
	}
	all.to = max(all.to, all.from+shortestTime)
	return all
}

// middle is the moment that zooming keeps in place: that of the selected row
// when it is to be seen.
func (v *View) middle(h view.Host) float64 {
	w := v.axis.window(v.extent(h.Scene()))
	if row := v.selected(h.Rows()); row != nil {
		from, to := max(float64(row.T), w.from), float64(max(row.End, row.T))
		if to >= w.from && from <= w.to {
			return (from + min(to, w.to)) / 2
		}
	}
	return (w.from + w.to) / 2
}

// selectInside selects the first row of the time that is to be seen, when the
// selected one is not of it.
func (v *View) selectInside(h view.Host) {
	l := h.Rows()
	row, w := v.selected(l), v.axis.window(v.extent(h.Scene()))
	if row == nil || v.order.by != barsByStart || v.axis.fit {
		return
	}
	if row.T < int64(w.to) && max(row.T, row.End) >= int64(w.from) {
		return
	}
	ids := l.IDs()
	if i := sort.Search(len(ids), func(i int) bool { return float64(v.row(ids[i]).T) >= w.from }); i < len(ids) {
		h.Follow(false)
		v.lines.Sel, v.was.Sel = i, i
		h.Select(ids[i])
		v.lines.Move(0)
	}
}

// Draw implements view.View.
func (v *View) Draw(from view.Host, sc *library.Scene, w, h int) []string {
	l := from.Rows()
	out := []string{view.Title(sc, w, "Waterfall", true, v.titleState(sc, l)...).Finish()}
	legend := h >= 12
	rows := h - 2
	if legend {
		rows--
	}
	ids := v.order.ids(l)
	v.lines.Fit(len(ids), max(rows, 0))
	v.was.Top = v.lines.Top // no key moved it
	if len(ids) == 0 {
		return view.Page(w, h, out[0], l.DrawNothing(sc, w))
	}
	left := min(max(w*37/100, min(34, w/2)), 58)
	v.chart = chart{left + 1, 2, w - left - 1}
	p := painter{
		sc: sc, sg: barSignsOf(sc.ASCII), window: v.axis.window(v.extent(sc)),
		columns: v.chart.w, left: left,
	}
	p.marks = ticks(sc, p.window, p.columns)
	p.layColumns(w)
	out = append(out, p.head())
	for i, id := range v.seen(l) {
		out = append(out, p.row(int(id), v.lines.Top+i == v.lines.Sel))
	}
	out = append(out, term.Blanks(h-len(out), w)...)
	if legend {
		out[h-1] = v.legend(&p, w)
	}
	return out[:h]
}

// painter draws rows of the waterfall.
type painter struct {
	sc      *library.Scene
	sg      barSigns
	window  extent
	columns int
	left    int
	marks   []tick
	num     int // cells of the number
	latency int // of the latency
}

func (p *painter) layColumns(w int) {
	frames := p.sc.Rec.Frames
	p.num, p.latency = 3, 7
	if n := len(frames); n > 0 {
		p.num = max(p.num, len(strconv.Itoa(int(frames[n-1].N))))
	}
	if w < 60 {
		p.latency = 0
	}
}

// head draws the names of the columns and the axis.
func (p *painter) head() string {
	l := term.NewLine(p.left+1+p.columns, p.sc.Glyphs)
	dim := p.sc.Theme.Dim
	l.Gap(1).Right(dim, "#", p.num+1).Gap(3).PutMax(dim, "method", p.left-l.Used-p.latency-1)
	l.Gap(p.left-p.latency-l.Used).Right(dim, "latency", p.latency)
	l.Gap(p.left-l.Used).Put(p.sc.Theme.Frame, p.sc.Glyphs.V)
	for _, t := range p.marks {
		if x := min(p.left+1+t.column, l.Max-term.Width(t.label)); x >= l.Used {
			l.Gap(x-l.Used).Put(dim, t.label).Gap(1)
		}
	}
	return l.Finish()
}

func (p *painter) row(i int, chosen bool) string {
	rec, th, sg := p.sc.Rec, p.sc.Theme, p.sc.Glyphs
	row := rec.Tracker.Row(i)
	c := messages.RowCells(p.sc, rec, i, row.T)
	l := p.sc.Row(p.left+1+p.columns, chosen, true)
	mark := safe.Text("")
	if c.Marked {
		mark = "*"
	}
	l.Cell(c.FoundSt, c.Found, 1).Right(term.Plain, c.Num, p.num)
	l.Cell(th.Warn+term.Bold, mark, 1).Cell(c.VerdictSt, c.Verdict, 1).Gap(1)
	end := p.left - 1
	if p.latency > 0 && c.Latency != "" {
		end = p.left - max(p.latency, term.Width(c.Latency)) - 1
	}
	if row.Kind != session.RowCall || row.Dir != wire.ToServer {
		l.PutMax(c.DirSt, c.Dir+" ", end-l.Used)
	}
	if row.Kind != session.RowHTTP { // those words begin with the method
		l.PutMax(c.MethodSt, c.Method, end-l.Used).Gap(min(1, end-l.Used))
	}
	l.PutMax(th.Dim, c.Target, end-l.Used)
	if p.latency > 0 && c.Latency != "" {
		l.Gap(p.left-term.Width(c.Latency)-l.Used).Put(c.LatencySt, c.Latency)
	}
	l.Gap(p.left-l.Used).Put(th.Frame, sg.V)
	p.bar(l, rec, row)
	return l.Finish()
}

// bar draws what is to be seen of a row's time.
func (p *painter) bar(l *term.Line, rec *library.Recording, row *session.Row) {
	t := track{cells: make([]trackCell, p.columns), sg: &p.sg, columns: p.columns}
	for _, g := range p.marks {
		t.set(g.column, p.sg.grid, p.sc.Theme.Frame)
	}
	from, to := p.window.at(row.T, p.columns), p.window.at(max(row.End, row.T), p.columns)
	st, pending := p.tone(row), library.Unfinished(row)
	if pending {
		to = float64(p.columns)
		if rec.Live {
			to = p.window.at(int64(p.sc.Now.Sub(rec.Started)), p.columns)
		}
		to = max(to, from)
	}
	switch {
	case row.Kind == session.RowNotification:
		t.point(from, p.sg.moment, st)
	case row.Kind != session.RowCall && row.Kind != session.RowHTTP:
		t.point(from, p.sg.other, p.sc.Theme.Dim)
	case rec.IsStream(row):
		t.run(from, to, p.sg.thin, st)
	case pending:
		t.run(from, to, p.sg.open, p.sc.Theme.Pend)
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
	t.edges(from, to, p.sc.Theme.Dim)
	t.write(l)
}

// tone is the hue of a bar.
func (p *painter) tone(row *session.Row) term.Style {
	th := p.sc.Theme
	switch row.Verdict {
	case session.VerdictError, session.VerdictLost:
		return th.Err
	case session.VerdictCancelled:
		return th.Dim
	}
	if row.Dir == wire.ToServer {
		return th.ToServer
	}
	return th.ToClient
}

// track is the cells of one bar.
type track struct {
	cells   []trackCell
	sg      *barSigns
	columns int
}

type trackCell struct {
	glyph safe.Text
	st    term.Style
}

func (t *track) set(x int, glyph safe.Text, st term.Style) {
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

func (t *track) point(at float64, glyph safe.Text, st term.Style) { t.set(t.column(at), glyph, st) }

// run fills cells from one place to another, at least one.
func (t *track) run(from, to float64, glyph safe.Text, st term.Style) {
	first := t.column(from)
	for x := first; x == first || float64(x) < to && x < t.columns; x++ {
		t.set(x, glyph, st)
	}
}

// bar fills cells as exactly as their parts allow.
func (t *track) bar(from, to float64, st term.Style) {
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
func (t *track) part(n float64) safe.Text {
	return t.sg.parts[max(0, min(int(math.Round(n*8)), 8)-1)]
}

// edges say on which side a bar is that is not to be seen.
func (t *track) edges(from, to float64, st term.Style) {
	switch {
	case to < 0:
		t.set(0, t.sg.before, st)
	case from >= float64(t.columns)+1e-6:
		t.set(t.columns-1, t.sg.after, st)
	}
}

func (t *track) write(l *term.Line) {
	for i := 0; i < len(t.cells); {
		c, j := t.cells[i], i
		for j < len(t.cells) && t.cells[j] == c {
			j++
		}
		if c.glyph == "" {
			l.Gap(j - i)
		} else {
			l.Put(c.st, safe.Repeat(c.glyph, j-i))
		}
		i = j
	}
}
