package sessions

import (
	"strings"

	"midwire/session/library/summary"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// layout is where the list stood on the screen last.
type layout struct {
	first int // line of the first row
	left  int // column of its first cell
	table *term.Table[*row]
}

// besideW is the width from which on the preview stands beside the list.
const besideW = 180

// Draw implements view.View.
func (v *View) Draw(_ view.Host, sc *library.Scene, w, height int) []string {
	if w >= besideW {
		list := w * 27 / 50
		return term.Beside(v.drawList(sc, list, height), v.preview(sc, w-list, height))
	}
	below := previewHeight(height, len(v.lines))
	return append(v.drawList(sc, w, height-below), v.preview(sc, w, below)...)
}

func (v *View) drawList(sc *library.Scene, w, height int) []string {
	p := term.Panel{Name: []term.Seg{term.S(sc.Theme.Title, "Sessions")}, Focus: true}
	p.State = v.state(sc, w)
	iw, ih := p.Inner(&sc.Screen, w, height)
	v.at.Fit(len(v.lines), max(ih-1, 1))
	t := v.table(sc).Fit(iw, len(v.kept), func(i int) *row { return v.kept[i] })
	v.layout.table = t
	v.layout.left, v.layout.first = p.Origin(&sc.Screen)
	v.layout.first++
	body := []string{t.Header()}
	for i := v.at.Top; i < min(v.at.Top+v.at.Height, len(v.lines)); i++ {
		body = append(body, v.drawLine(sc, t, i, iw))
	}
	if len(v.lines) == 0 {
		body = append(body, v.nothing(sc, iw)...)
	}
	return p.Draw(&sc.Screen, w, height, body)
}

// state is what the title says at the right: news, what is still being read, group
// and filter.
func (v *View) state(sc *library.Scene, w int) []term.Seg {
	th := sc.Theme
	var news, read, kept []term.Seg
	if n := v.unseen(); n > 0 {
		news = []term.Seg{term.S(th.Ok+term.Bold, term.Number(n)+" new")}
	}
	if v.unread > 0 {
		done := "read " + term.Number(len(v.sources)-v.unread) + " of " + term.Number(len(v.sources))
		read = term.Spare(1, term.S(th.Pend, done))
	}
	arranged := term.Spare(2, term.S(th.Dim, "group "), term.S(th.Key, safe.Line(v.group.String())))
	if text := v.Line.Text(); text != "" {
		st := th.Key
		if v.Line.Wrong() {
			st = th.Err
		}
		kept = []term.Seg{
			term.S(st, term.Shorten("/"+safe.Line(text), max(w/2, 10), sc.Glyphs)),
			term.S(th.Dim, " "+term.Number(len(v.kept))+" of "+term.Number(v.total)),
		}
	}
	return view.Join(news, read, arranged, kept)
}

// unseen counts the rows that came and were not seen yet.
func (v *View) unseen() (n int) {
	for _, r := range v.kept {
		if r.news {
			n++
		}
	}
	return n
}

// nothing says that the filter keeps no row.
func (v *View) nothing(sc *library.Scene, w int) []string {
	th := sc.Theme
	l := term.NewLine(w, sc.Glyphs).Gap(2).Put(term.Plain, "No session matches ")
	l.PutMax(th.Key, "/"+safe.Line(v.Line.Text()), w-l.Used-18)
	l.Put(term.Plain, ".  ").Put(th.Key, "esc").Put(th.Dim, " shows all")
	return []string{strings.Repeat(" ", w), l.Finish()}
}

func (v *View) drawLine(sc *library.Scene, t *term.Table[*row], i, w int) string {
	return sc.DrawRow(w, func() string { return v.drawAny(sc, t, i, w) })
}

func (v *View) drawAny(sc *library.Scene, t *term.Table[*row], i, w int) string {
	at, chosen := &v.lines[i], i == v.at.Sel
	if at.row == nil {
		return drawHeading(sc, at.group, w, chosen)
	}
	at.row.news = false // it is seen
	return t.Row(at.row, chosen, true)
}

func drawHeading(sc *library.Scene, g *group, w int, chosen bool) string {
	l := term.NewLine(w, sc.Glyphs)
	if chosen {
		l.Selected(sc.Theme, true)
	}
	l.Gap(1)
	if g.folded {
		l.Put(sc.Theme.Key, sc.Glyphs.Folded).Gap(1)
	}
	l.PutMax(sc.Theme.Title, g.name, w-l.Used-2).Gap(1)
	if g.folded {
		l.Put(sc.Theme.Dim, term.Count(len(g.rows), "session")).Gap(1)
		if g.failed > 0 {
			l.Put(sc.Theme.Err, sc.Glyphs.Err+" "+term.Number(g.failed)+" failing").Gap(1)
		}
	}
	return l.Fill(sc.Theme.Frame, sc.Glyphs.H, w-1).Finish()
}

func clock(r *row, layout safe.Text) safe.Text {
	if r.rec.Started.IsZero() || r.nested {
		return ""
	}
	return safe.Time(r.started().Local(), layout)
}

// sign says whether the session goes on; whether it works says its verdict.
func (r *row) sign(sc *library.Scene) (safe.Text, term.Style) {
	th, sg := sc.Theme, sc.Glyphs
	switch {
	case r.nested:
		return "", term.Plain
	case r.rec.Broken():
		return sg.Warn, th.Warn
	case r.live():
		return sg.Live, th.Ok
	case r.replay():
		return sg.Replay, th.Dim
	}
	return sg.Ended, th.Dim
}

// drawClient writes who asks. The version gives way first, as a whole.
func (v *View) drawClient(l *term.Line, sc *library.Scene, r *row) {
	th, end := sc.Theme, l.Max
	if r.nested { // it is that of the row above
		return
	}
	if r.marked(sc.Marked) {
		l.Put(th.Key+term.Bold, "d ") // what another is to be compared with
	}
	name, version := r.client()
	st := term.Bold
	switch {
	case r.sum == nil:
		st = term.Plain
	case name == library.NoName:
		st = th.Dim
	}
	if own := r.called(); own != "" && r.sum != nil {
		name, version = own, name
	}
	l.PutMax(st, name, end-l.Used)
	if r.replay() && end-l.Used > len("replay") {
		l.Gap(1).Put(th.Dim, "replay")
	}
	if version != "" && roomy(sc) && end-l.Used > term.Width(version) {
		l.Gap(1).Put(th.Dim, version)
	}
}

func (r *row) marked(m *library.SessionRef) bool {
	return m != nil && m.Recording == r.rec.ID && (m.Session == r.sess || m.Session < 0)
}

func drawServer(l *term.Line, sc *library.Scene, r *row) {
	end := l.Max
	switch {
	case r.nested && r.lastLeg:
		l.Gap(2).Put(sc.Theme.Frame, sc.Glyphs.Child).Gap(1)
	case r.nested:
		l.Gap(2).Put(sc.Theme.Frame, sc.Glyphs.Branch).Gap(1)
	case !r.rec.Broken():
		l.Put(sc.Theme.Frame, sc.Glyphs.Arrow).Gap(1)
	}
	name, version, own := r.server()
	switch {
	case r.unread():
		dots(l, sc, min(10, end-l.Used))
	case !own:
		l.PutMax(sc.Theme.Dim, name, end-l.Used)
	default:
		l.PutMax(term.Plain, name, end-l.Used)
		if version != "" && roomy(sc) && end-l.Used > term.Width(version) {
			l.Gap(1).Put(sc.Theme.Dim, version)
		}
	}
}

// dots stand for what was not read yet.
func dots(l *term.Line, sc *library.Scene, n int) {
	l.Put(sc.Theme.Faint, safe.Repeat(sc.Glyphs.Dot, max(n, 0)))
}

// calls is a number of a row, a dot for none.
func (r *row) calls(sc *library.Scene) term.Seg {
	if r.sum == nil {
		return number(sc, 0, term.Plain)
	}
	return number(sc, r.sum.Calls, term.Plain)
}

func number(sc *library.Scene, n int, st term.Style) term.Seg {
	if n == 0 {
		return term.S(sc.Theme.Dim, sc.Glyphs.Dot)
	}
	return term.S(st, fitted(n, 6))
}

// fitted is a number in at most w cells: 31, 12k, 3.0M.
func fitted(n, w int) safe.Text {
	if t := safe.Int(n); term.Width(t) <= w {
		return t
	}
	return term.Size(int64(n))
}

// spark draws when something happened, in n cells.
func (r *row) spark(l *term.Line, sc *library.Scene, hue term.Style, n int) {
	switch {
	case r.unread():
		dots(l, sc, n)
	case r.sum == nil || r.sum.Messages == 0:
		l.Gap(n)
	default:
		l.Segs(term.Spark(&sc.Screen, hue, term.Fold(slots(r.sum), n)))
	}
}

func slots(s *summary.Session) []term.Slot {
	out := make([]term.Slot, summary.Slots)
	for i := range out {
		out[i] = term.Slot{N: int(s.Activity.Messages[i]), Failed: s.Activity.Failed[i] > 0}
	}
	return out
}

// drawVerdict writes what the session comes to, to the end of the line.
func (r *row) drawVerdict(l *term.Line, sc *library.Scene) {
	th, room := sc.Theme, l.Max-l.Used
	switch {
	case r.unread():
		dots(l, sc, min(8, room))
	case r.sum == nil && r.rec.Live:
		l.PutMax(th.Dim, "waits for a message", room)
	case r.sum == nil:
		l.PutMax(th.Dim, "no session", room)
	case r.rec.Outcome != nil:
		r.drawOutcome(l, sc, r.rec.Outcome)
	default:
		l.Segs(sc.Judgement(r.sum.Result, room))
	}
}

func (r *row) drawOutcome(l *term.Line, sc *library.Scene, o *library.Outcome) {
	th, sg := sc.Theme, sc.Glyphs
	sign, st := sg.Ok, th.Ok
	if o.Broken > 0 || r.failing() {
		sign, st = sg.Err, th.Err
	}
	l.PutMax(st, sign+" ", l.Max-l.Used)
	if o.Broken+o.Fixed+o.Changed == 0 {
		l.PutMax(th.Ok, "all "+term.Number(o.Same)+" same", l.Max-l.Used)
		return
	}
	first := true
	for _, part := range []struct {
		n    int
		what safe.Text
		st   term.Style
	}{{o.Broken, " broken", th.Err}, {o.Fixed, " fixed", th.Ok}, {o.Changed, " changed", th.Warn}} {
		if part.n == 0 {
			continue
		}
		if !first {
			l.PutMax(th.Dim, ", ", l.Max-l.Used)
		}
		l.PutMax(part.st, term.Number(part.n)+part.what, l.Max-l.Used)
		first = false
	}
}
