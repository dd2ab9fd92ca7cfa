package waterfall

import (
	"sort"
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/term"
	"midwire/ui/view"
)

type barSigns struct {
	done, stream, asked  safe.Text // in progress, its response streaming, asked by the server
	short, open          safe.Text // less than a cell; the end of what is pending
	thin, moment, other  safe.Text // a stream of its own, a notification, what is no message
	before, after, given safe.Text // off the screen; given up
	grid, fold           safe.Text // lines
}

func barSignsOf(ascii bool) barSigns {
	if ascii {
		return barSigns{"#", "=", "%", "!", ">", "-", ":", "o", "<", ">", "x", ".", "|"}
	}
	return barSigns{"▆", "▄", "▒", "▌", "▸", "─", "┆", "•", "‹", "›", "×", "╎", "┊"}
}

func (v *View) extent(sc *library.Scene) extent {
	all := extent{float64(v.span.lo), float64(v.span.hi)}
	if sc.Rec == nil || v.span.rows == 0 {
		return extent{0, shortestTime}
	}
	if sc.Rec.Live && v.span.open() {
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
	if row == nil || v.axis.fit {
		return
	}
	if row.T < int64(w.to) && max(row.T, row.End) >= int64(w.from) {
		return
	}
	ids := l.Visible
	if i := sort.Search(len(ids), func(i int) bool { return float64(v.row(ids[i]).T) >= w.from }); i < len(ids) {
		h.Rows().Pause()
		h.Rows().Selection = ids[i]
		v.head, v.at = noHead, l.Selection // what is folded stays so
		v.lines.Sel = v.position(l)
		v.was.Sel = v.lines.Sel
		v.lines.Move(0)
	}
}

// Draw implements view.View.
func (v *View) Draw(from view.Host, sc *library.Scene, w, h int) []string {
	l := from.Rows()
	p := term.Panel{Focus: true, Name: []term.Seg{term.S(sc.Theme.Title, "Waterfall")}, State: v.titleState(sc, l)}
	iw, ih := p.Inner(&sc.Screen, w, h)
	_, y := p.Origin(&sc.Screen)
	v.top = y + 1
	return p.Draw(&sc.Screen, w, h, v.body(l, sc, iw, ih))
}

func (v *View) body(l *messages.List, sc *library.Scene, w, h int) []string {
	n := v.count(l)
	legend := h >= 11
	rows := h - 1
	if legend {
		rows--
	}
	v.lines.Fit(n, max(rows, 0))
	v.was.Top = v.lines.Top // no key moved it
	if n == 0 {
		return l.DrawNothing(sc, w)
	}
	left := v.leftOf(l, sc, w)
	p := painter{sc: sc, sg: barSignsOf(sc.ASCII), columns: w - left - 1, left: left}
	win := v.axis.window(v.extent(sc))
	if d := &v.drawn; d.extent != win || d.columns != p.columns || d.rows != v.span.rows {
		d.scale, d.rows = newScale(win, p.columns, v.span.quiet), v.span.rows
	}
	p.scale = v.drawn.scale
	p.layMarks()
	p.layColumns(w)
	out := []string{p.head()}
	for i := v.lines.Top; i < min(v.lines.Top+v.lines.Height, n); i++ {
		id, head := v.line(l, i)
		if head != noHead {
			out = append(out, p.heading(v, head, i == v.lines.Sel))
		} else {
			out = append(out, p.row(int(id), i == v.lines.Sel))
		}
	}
	if legend {
		out = append(out, term.Blanks(h-1-len(out), w)...)
		out = append(out, p.legend(w))
	}
	return out
}

// place opens the window around the cursor, once all of the time is known: where there are
// more rows than the screen has, it is the time of those around it.
func (v *View) place(l *messages.List, sc *library.Scene) {
	n := sc.Height - aroundRows
	if v.placed || !l.AllScanned() || n <= 0 {
		return
	}
	v.placed = true
	ids := l.Visible
	id, _ := l.Selected()
	from := max(0, min(l.Nearest(id)-n/2, len(ids)-n))
	if from+n >= len(ids) && from == 0 {
		return
	}
	all, ends := v.extent(sc), sc.Rec.Live && l.Follow
	to := float64(v.row(ids[from+n-1]).T)
	if row := v.selected(l); ends || row != nil && library.Unfinished(row) {
		to = all.to
	} else if row != nil {
		to = max(to, float64(row.End))
	}
	v.axis.open(extent{float64(v.row(ids[from]).T), to}, all, ends)
}

// leftOf is how many cells the names have: what those on the screen need, but not more than
// the bars. It never shrinks, so that the bars stay where they are.
func (v *View) leftOf(l *messages.List, sc *library.Scene, w int) int {
	if v.wide != w {
		v.left, v.wide = min(max(w*34/100, min(34, w/2)), 52), w
	}
	most := min(w*48/100, 72)
	for _, id := range v.seen(l) {
		if v.left >= most {
			break
		}
		c := messages.RowCells(sc, v.Rec, int(id))
		name := c.Method + c.Target
		if c.Method == mcp.ToolsCall {
			name = c.Target
		}
		if v.row(id).Kind == session.RowCall {
			v.left = max(v.left, min(term.Width(name)+aroundName, most))
		}
	}
	return v.left
}

const (
	aroundName = 22 // cells beside a name: bar, finding, number, outcome, latency
	aroundRows = 6  // lines of the screen around the rows, at least
)

type painter struct {
	sc      *library.Scene
	sg      barSigns
	scale   scale
	columns int
	left    int
	marks   []trackCell // lines of the grid and of what is folded
	labels  []tick
	num     int  // cells of the number
	latency int  // of the latency
	used    used // on the screen
}

// used is which signs of the legend are on the screen.
type used struct{ pending, asked, stream, thin, failed bool }

func (p *painter) layColumns(w int) {
	frames := p.sc.Rec.Frames
	p.num, p.latency = 4, 7
	if n := len(frames); n > 0 {
		p.num = max(p.num, len(strconv.Itoa(int(frames[n-1].N))))
	}
	if term.Narrow(w) {
		p.latency = 0
	}
}

// layMarks finds the lines of the grid and the labels of the axis: the beginning,
// the moments after what is folded, the ticks between, and the end.
func (p *painter) layMarks() {
	s, frame := &p.scale, p.sc.Theme.Frame
	p.marks = make([]trackCell, p.columns)
	step := tickStep(s.unit*10) / 10
	labels := []tick{{0, tickLabel(p.sc, s.from, step)}}
	for i, part := range s.parts {
		cells := int(part.length() / s.unit)
		if i > 0 {
			labels = append(labels, tick{int(part.column), tickLabel(p.sc, part.from+s.unit, step)})
		}
		for _, t := range ticks(p.sc, part.extent, cells) {
			at := int(part.column) + t.column
			if cells >= 12 && at > 0 && at < p.columns {
				p.marks[at] = trackCell{p.sg.grid, frame}
				labels = append(labels, tick{at, t.label})
			}
		}
		if i < len(s.parts)-1 && s.fold(i) < p.columns {
			p.marks[s.fold(i)] = trackCell{p.sg.fold, frame}
		}
	}
	end := tickLabel(p.sc, s.to, step)
	last := p.columns - term.Width(end) - 1
	used := 0
	for _, t := range labels {
		if t.column >= used && t.column+term.Width(t.label)+2 <= last {
			p.labels, used = append(p.labels, t), t.column+term.Width(t.label)+2
		}
	}
	p.labels = append(p.labels, tick{max(last, used), end})
}

// head draws the names of the columns and the axis.
func (p *painter) head() string {
	l, faint := term.NewLine(p.left+1+p.columns, p.sc.Glyphs), p.sc.Theme.Faint
	l.Gap(1).Right(faint, "#", p.num+1).Gap(3).PutMax(faint, "METHOD, TOOL", p.left-l.Used-p.latency-1)
	if p.latency > 0 {
		l.Gap(p.left-1-p.latency-l.Used).Right(faint, "LATENCY", p.latency)
	}
	for _, t := range p.labels {
		if x := p.left + 1 + t.column; x >= l.Used && x+term.Width(t.label) <= l.Max {
			l.Gap(x-l.Used).Put(faint, t.label)
		}
	}
	return l.Finish()
}

func (p *painter) line(session int, chosen, failed bool) *term.Line {
	l := term.NewLine(p.left+1+p.columns, p.sc.Glyphs)
	if failed {
		l.On(p.sc.Theme.Removed)
	}
	if chosen {
		l.Selected(p.sc.Theme, true)
	}
	return l.Put(p.sc.Rec.Hue(p.sc.Theme, session), p.sc.Glyphs.Edge)
}

// heading draws the line of a session: its calls, and its bars where its rows
// are folded.
func (p *painter) heading(v *View, index int, chosen bool) string {
	th, sg := p.sc.Theme, p.sc.Glyphs
	l := p.line(index, chosen, false)
	folded := v.group.Folded(index)
	sign := sg.Open
	if folded {
		sign = sg.Folded
	}
	l.Put(th.Dim, sign).Gap(1)
	var calls, bad, version safe.Text
	if s := p.sc.Rec.Session(index); s != nil {
		if version = safe.Line(s.Client.Version); version != "" {
			version = " " + version
		}
		calls = term.Count(s.Calls, "call")
		if s.Errors > 0 {
			bad = term.Number(s.Errors) + " failed"
		}
	}
	name, badCells := p.sc.Rec.SessionName(index), 11
	if p.left < 40 {
		badCells = term.Width(bad) + 2
	}
	room := p.left - l.Used - term.Width(calls) - badCells - 2
	if term.Width(name+version) > room {
		version = ""
	}
	l.PutMax(p.sc.Rec.Hue(th, index)+term.Bold, name, max(room, 6)).Put(th.Dim, version)
	l.Gap(p.left-1-badCells-term.Width(calls)-l.Used).PutMax(th.Dim, calls, p.left-1-l.Used)
	l.Right(th.Err, bad, p.left-1-l.Used)
	l.Gap(p.left + 1 - l.Used)
	t := p.track()
	if folded {
		p.all(&t, v, v.group.RowsOf(index))
	}
	t.write(l)
	return l.Finish()
}

const (
	maxBars  = 4096 // drawn in one track; of more it is a choice
	lookBack = 64   // rows before the window that may reach into it
)

// all draws the bars of many rows in one track, those that failed last.
func (p *painter) all(t *track, v *View, ids []uint32) {
	from := sort.Search(len(ids), func(i int) bool { return float64(v.row(ids[i]).T) >= p.scale.from })
	to := sort.Search(len(ids), func(i int) bool { return float64(v.row(ids[i]).T) > p.scale.to })
	from = max(0, from-lookBack)
	for _, bad := range []bool{false, true} {
		for i := from; i < to; i += 1 + (to-from)/maxBars {
			row := v.row(ids[i])
			if row.Ending.Bad() == bad && !(p.sc.Rec.IsStream(row) && row.Kind == session.RowHTTP) {
				p.bar(t, row)
			}
		}
	}
}

func (p *painter) row(i int, chosen bool) string {
	rec, th := p.sc.Rec, p.sc.Theme
	row := rec.Tracker.Row(i)
	c := messages.RowCells(p.sc, rec, i)
	bad := row.Ending.Bad()
	p.used.failed = p.used.failed || bad
	l := p.line(int(row.Session), chosen, bad)
	l.Cell(c.FoundSt, c.Found, 1).Right(th.Dim, c.Num, p.num)
	l.Gap(1).Cell(c.VerdictSt, c.Verdict, 1).Gap(1)
	end := p.left - 1
	if p.latency > 0 && c.Latency != "" {
		end = p.left - max(p.latency, term.Width(c.Latency)) - 2
	}
	if row.Kind != session.RowCall || row.Dir != wire.ToServer {
		l.PutMax(c.DirSt, c.Dir+" ", end-l.Used)
	}
	p.what(l, row, &c, end)
	if p.latency > 0 && c.Latency != "" {
		l.Gap(p.left-1-term.Width(c.Latency)-l.Used).Put(c.LatencySt, c.Latency)
	}
	l.Gap(p.left + 1 - l.Used)
	t := p.track()
	p.bar(&t, row)
	t.edges(p.scale.at(row.T), p.until(row), th.Dim)
	t.write(l)
	return l.Finish()
}

// what writes the tool and its arguments, else the method and its target.
func (p *painter) what(l *term.Line, row *session.Row, c *messages.Cells, end int) {
	th := p.sc.Theme
	name, rest, method := c.Method, c.Target, th.Dim
	if row.Ending.Bad() {
		method = th.Err
	}
	st := th.Dim
	switch {
	case row.Kind == session.RowHTTP: // those words begin with the method
		name = ""
	case row.Kind == session.RowCall && string(name) == mcp.ToolsCall && rest != "":
		tool, args, _ := strings.Cut(string(rest), " ")
		name, rest, st = safe.Line(tool), safe.Line(args), th.JSONString
		if method = term.Bold; row.Ending.Bad() {
			method = th.Err
		}
	}
	if p.left < 36 {
		name = term.Shorten(name, 16, p.sc.Glyphs)
	}
	l.PutMax(method, name, end-l.Used)
	if name != "" {
		l.Gap(min(1, end-l.Used))
	}
	l.PutMax(st, rest, end-l.Used)
}
