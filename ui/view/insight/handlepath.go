package insight

import (
	"slices"

	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// pathStop is a step of the selected handle as a dot in the lane of its session.
type pathStop struct {
	*handleStep
	x, lane int
}

// pathGrid is cells that lines are drawn into, the later ones over the earlier.
type pathGrid [][]term.Seg

func newGrid(w, h int) pathGrid {
	g := make(pathGrid, h)
	for y := range g {
		g[y] = make([]term.Seg, w)
	}
	return g
}

func (g pathGrid) set(x, y int, st term.Style, t safe.Text) {
	if y >= 0 && y < len(g) && x >= 0 && x < len(g[y]) {
		g[y][x] = term.S(st, t)
	}
}

func (g pathGrid) word(x, y int, st term.Style, t safe.Text) {
	for i, r := range []rune(string(t)) {
		g.set(x+i, y, st, safe.Line(string(r)))
	}
}

func (g pathGrid) line(sc *library.Scene, y int) *term.Line {
	l := term.NewLine(len(g[y]), sc.Glyphs)
	for _, s := range g[y] {
		if s.Text == "" {
			l.Gap(1)
		} else {
			l.Put(s.Style, s.Text)
		}
	}
	return l
}

// lanes are the sessions that the path of the selected handle goes through, as
// many as there is room for: who issued it and where it broke in any case.
func (v *handlesView) lanes(h int) []int {
	one := v.selected()
	all, most := one.Sessions(), 3
	if h >= 40 {
		most = 8
	}
	if len(all) <= most {
		return all
	}
	good, bad, _ := one.Break()
	keep := []int{issuer(one), good.Session, bad.Session}
	out := slices.DeleteFunc(slices.Clone(all), func(s int) bool { return !slices.Contains(keep, s) })
	for _, s := range all {
		if len(out) < most && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b int) int { return slices.Index(all, a) - slices.Index(all, b) })
	return out
}

const (
	pathNames = 14 // cells for the names of lanes
	pathGap   = 7  // cells from stop to stop
)

// stops are the steps that are drawn, at most most of them: the first, those
// beside a change of session or outcome, then others in order.
func (v *handlesView) stops(lanes []int, most int) []pathStop {
	var all []pathStop
	for i := range v.steps {
		s := &v.steps[i]
		lane := slices.Index(lanes, s.Session)
		if s.N != 0 && lane >= 0 && (len(all) == 0 || all[len(all)-1].N != s.N) {
			all = append(all, pathStop{handleStep: s, lane: lane})
		}
	}
	if len(all) <= most {
		return all
	}
	keep := map[int]bool{0: true, len(all) - 1: true}
	for turn := range 2 {
		for i := 1; i < len(all) && len(keep) < most; i++ {
			if turn == 1 || all[i].lane != all[i-1].lane || !all[i].SameOutcome(&all[i-1].Use) && !all[i-1].issued {
				keep[i] = true
				if len(keep) < most {
					keep[i-1] = true
				}
			}
		}
	}
	out := all[:0]
	for i := range all {
		if keep[i] {
			out = append(out, all[i])
		}
	}
	return out
}

// place gives the stops their columns between from and to: by time, and far
// enough from each other.
func place(stops []pathStop, from, to int) {
	if len(stops) == 0 {
		return
	}
	began := stops[0].T
	span := max(stops[len(stops)-1].T-began, 1)
	for i := range stops {
		s := &stops[i]
		s.x = from + int(int64(to-from)*(s.T-began)/span)
		if i > 0 {
			s.x = max(s.x, stops[i-1].x+pathGap)
		}
	}
	limit := to
	for i := len(stops) - 1; i >= 0; i-- {
		stops[i].x = min(stops[i].x, limit)
		limit = stops[i].x - pathGap
	}
}

func (v *handlesView) drawPath(sc *library.Scene, w, h int) []string {
	one := v.selected()
	lanes := v.lanes(v.h)
	p := term.Panel{Name: []term.Seg{
		term.S(sc.Theme.Title, "Path of "),
		term.S(sc.Rec.Hue(sc.Theme, issuer(one))+term.Underline, handleValue(one, 36, sc.Glyphs)),
	}}
	iw, _ := p.Inner(&sc.Screen, w, h)
	from := pathNames + 6
	stops := v.stops(lanes, (iw-from-4)/pathGap)
	place(stops, from, iw-6)
	p.State = v.pathState(sc, one, stops, lanes)
	g := newGrid(iw, 2+2*len(lanes))
	x := pathDrawing{sc: sc, g: g, from: pathNames + 3, stops: stops}
	x.draw(one, lanes)
	body := make([]string, len(g))
	for y := range g {
		body[y] = x.g.line(sc, y).Finish()
	}
	return p.Draw(&sc.Screen, w, h, body)
}

// pathState says when and where the handle went, and what is not drawn of it.
func (v *handlesView) pathState(sc *library.Scene, h *insight.Handle, stops []pathStop, lanes []int) []term.Seg {
	dim := sc.Theme.Dim
	all := len(h.Sessions())
	out := []term.Seg{term.S(dim, "through "), term.S(term.Bold, term.Number(all)), term.S(dim, " session")}
	if all != 1 {
		out[2].Text += "s"
	}
	if steps := len(v.steps) + h.Between; len(stops) < steps-1 {
		out = append([]term.Seg{term.S(dim, term.Number(len(stops))+" of "+term.Number(steps)+" drawn   ")}, out...)
	}
	if all > len(lanes) {
		out = append(out, term.S(dim, ", "+term.Number(all-len(lanes))+" not drawn"))
	}
	if len(stops) > 1 {
		at := func(s pathStop) safe.Text { return safe.Float(float64(max(0, s.T-sc.Base))/1e9, 1) }
		out = append([]term.Seg{term.S(dim, at(stops[0])+" "+sc.Glyphs.Ellipsis+" "+at(stops[len(stops)-1])+" s   ")}, out...)
	}
	return out
}

// pathDrawing draws a path: above all lanes the words about where it breaks, then
// for each lane its numbers and its line, and below all the time.
type pathDrawing struct {
	sc    *library.Scene
	g     pathGrid
	from  int // where lanes begin
	stops []pathStop
}

func laneY(lane int) int { return 2 + 2*lane }

func (x *pathDrawing) draw(h *insight.Handle, lanes []int) {
	sc := x.sc
	dotted, broken := safe.Text("┄"), safe.Text("╎")
	if sc.ASCII {
		dotted, broken = ".", ":"
	}
	for lane, s := range lanes {
		hue := sc.Rec.Hue(sc.Theme, s)
		x.g.set(1, laneY(lane), hue, sc.Glyphs.Edge)
		x.g.word(3, laneY(lane), hue+term.Bold, term.Shorten(sc.Rec.SessionName(s), pathNames, sc.Glyphs))
		for c := x.from; c < len(x.g[0])-1; c++ {
			x.g.set(c, laneY(lane), sc.Theme.Frame, dotted)
		}
	}
	x.breaks(h, broken)
	for i := 1; i < len(x.stops); i++ {
		x.join(&x.stops[i-1], &x.stops[i])
	}
	free := 0
	x.g.word(1, len(x.g)-1, sc.Theme.Faint, "seconds")
	for i := range x.stops {
		s := &x.stops[i]
		sign, st := sc.Glyphs.Live, sc.Rec.Hue(sc.Theme, s.Session)
		label := sc.Theme.Dim
		switch {
		case s.issued:
			sign = sc.Glyphs.Issued
		case !s.Worked():
			sign, st = stepSign(sc, &s.Use)
			label = st
		}
		x.g.set(s.x, laneY(s.lane), st+term.Bold, sign)
		ref := view.FrameRef(s.N)
		x.g.word(s.x-1, laneY(s.lane)-1, label, ref)
		at := safe.Float(float64(max(0, s.T-sc.Base))/1e9, 2)
		if s.x-1 >= free {
			x.g.word(s.x-1, len(x.g)-1, sc.Theme.Dim, at)
			free = s.x + term.Width(at)
		}
	}
}

// breaks marks where the handle stopped working.
func (x *pathDrawing) breaks(h *insight.Handle, sign safe.Text) {
	good, bad, ok := h.Break()
	a := slices.IndexFunc(x.stops, func(s pathStop) bool { return s.N == good.N })
	b := slices.IndexFunc(x.stops, func(s pathStop) bool { return s.N == bad.N })
	if !ok || a < 0 || b < 0 {
		return
	}
	at := (x.stops[a].x + x.stops[b].x) / 2
	if x.stops[a].lane != x.stops[b].lane {
		at = min(at, x.stops[b].x-4)
	}
	for y := 1; y < len(x.g)-1; y++ {
		x.g.set(at, y, x.sc.Theme.Err, sign)
	}
	words := "last good use " + view.FrameRef(good.N) + ", gone by " + view.FrameRef(bad.N)
	if good.N == h.From.N {
		words = "issued in " + view.FrameRef(good.N) + ", gone by " + view.FrameRef(bad.N)
	}
	n := term.Width(words)
	x.g.word(max(x.from, min(at-n/2, len(x.g[0])-1-n)), 0, x.sc.Theme.Err, words)
}

// join draws the line from one stop to the next, in the hue of the session that
// takes the handle on; red to one that did not work.
func (x *pathDrawing) join(a, b *pathStop) {
	border := x.sc.Glyphs.Border()
	set := func(col, row int, st term.Style, glyph string) { x.g.set(col, row, st, safe.Line(glyph)) }
	st := x.sc.Rec.Hue(x.sc.Theme, b.Session)
	if b.Ending.Bad() {
		st = x.sc.Theme.Err
	}
	y, end := laneY(a.lane), laneY(b.lane)
	turn := max(a.x+2, b.x-3)
	if y == end {
		turn = b.x
	}
	for c := a.x + 1; c < turn; c++ {
		set(c, y, st, border.Top)
	}
	if y == end {
		return
	}
	first, last := border.TopRight, border.BottomLeft // down
	if end < y {
		first, last = border.BottomRight, border.TopLeft
	}
	set(turn, y, st, first)
	for c := min(y, end) + 1; c < max(y, end); c++ {
		set(turn, c, st, border.Left)
	}
	set(turn, end, st, last)
	for c := turn + 1; c < b.x; c++ {
		set(c, end, st, border.Top)
	}
}
