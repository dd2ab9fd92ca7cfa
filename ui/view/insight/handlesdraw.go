package insight

import (
	"strings"

	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

func (v *handlesView) Draw(_ view.Host, sc *library.Scene, w, h int) []string {
	v.h = h
	var more []term.Seg
	if v.left > 0 {
		more = []term.Seg{term.S(sc.Theme.Dim, term.Number(v.left)+" values were too many, or too long")}
	}
	title := view.Title(sc, w, "Handles", true, view.Join(more, v.reader.state(sc))...).Finish()
	s := &v.lines
	if len(v.rows) == 0 {
		d := v.emptyDoc(sc, w-6)
		return view.Nothing(sc, w, h, title, &d, s)
	}
	t, head := handleTable(w), []string{title}
	if h > 3 {
		l := term.NewLine(w, sc.Glyphs).Gap(5)
		head = append(head, t.Header(l, sc.Theme.Dim).Put(sc.Theme.Dim, "used").Finish())
	}
	return view.List(w, h, head, s, len(v.rows), func(i int) string { return v.line(sc, t, w, i) })
}

// handleTable is the columns of the list. What is left of a line is for the uses.
func handleTable(w int) view.Table {
	kind, value, from := 0, 18, 0
	switch {
	case w >= 100:
		kind, value, from = 16, 28, w-79
	case w >= 76:
		kind, value, from = 15, 20, w-58
	case w >= 56:
		kind, value = 15, 16
	}
	return view.Table{
		{Name: "kind", W: kind, After: 1},
		{Name: "value", W: value, After: 1},
		{Name: "issued by", W: from, After: 1},
	}
}

func (v *handlesView) line(sc *library.Scene, t view.Table, w, i int) string {
	r := v.rows[i]
	l := sc.Row(w, i == v.lines.Sel, true)
	switch r.part {
	case partHandle:
		v.drawHandle(l, sc, t, r.h)
	case partFrom:
		l.Gap(6-l.Used).Cell(sc.Theme.Dim, "from", 6)
		if r.h.From.N == 0 {
			l.Put(sc.Theme.Warn, "its origin was not recorded")
			break
		}
		v.drawUse(l, sc, &r.h.From)
	case partMore:
		l.Gap(12 - l.Used)
		if r.h.Times == 0 {
			l.Put(sc.Theme.Dim, "never used")
		} else {
			l.Put(sc.Theme.Dim, "and "+term.Number(r.h.Times-len(r.h.Uses))+" more, the latest ").Put(sc.Theme.Note, view.FrameRef(r.h.Latest))
		}
	default:
		l.Gap(6-l.Used).Cell(sc.Theme.Dim, "to", 6)
		v.drawUse(l, sc, &r.h.Uses[r.part])
	}
	return l.Finish()
}

func (v *handlesView) drawHandle(l *term.Line, sc *library.Scene, t view.Table, h *insight.Handle) {
	sign, st := sc.Glyphs.Ok, sc.Theme.Ok
	switch {
	case h.Crossed > 0:
		sign, st = sc.Glyphs.Warn, sc.Theme.Warn
	case h.Times == 0:
		sign, st = sc.Glyphs.Ended, sc.Theme.Dim
	}
	fold := sc.Glyphs.Folded
	if v.opened[openKey(h)] {
		fold = sc.Glyphs.Open
	}
	l.Put(st, sign).Gap(3-l.Used).Put(sc.Theme.Dim, fold).Gap(5 - l.Used)
	name := term.Plain
	if h.Times == 0 {
		name = sc.Theme.Dim
	}
	row := t.Row(l).Put(name, safe.Line(h.Kind))
	row.Draw(func(l *term.Line, c *view.Column) { l.Put(name, handleValue(h, c.W-c.After, sc.Glyphs)) })
	row.Draw(func(l *term.Line, c *view.Column) { drawOrigin(l, sc, c.W-c.After, &h.From) })
	v.drawTimes(l, sc, h)
}

// drawOrigin says in n cells which message a handle comes from.
func drawOrigin(l *term.Line, sc *library.Scene, n int, from *insight.Use) {
	if from.N == 0 {
		l.Put(sc.Theme.Dim, "not seen")
		return
	}
	end := l.Used + n
	l.Put(sc.Theme.Note, view.FrameRef(from.N)).Gap(1).PutMax(term.Plain, safe.Line(from.What), end-l.Used)
	if l.Used+12 < end {
		l.Gap(1).PutMax(sc.Theme.Dim, safe.Line(from.Place), end-l.Used)
	}
}

// drawTimes says how often a handle was passed back, and by whom.
func (v *handlesView) drawTimes(l *term.Line, sc *library.Scene, h *insight.Handle) {
	if h.Times == 0 {
		l.Put(sc.Theme.Dim, "never")
		return
	}
	l.Put(term.Plain, term.Number(h.Times)+sc.Glyphs.Times)
	if h.Crossed > 0 {
		l.Gap(1).Put(sc.Theme.Warn, "in another session")
	}
	for i := range h.Uses {
		ref := view.FrameRef(h.Uses[i].N)
		if l.Used+term.Width(ref)+5 > l.Max {
			break
		}
		l.Gap(1).Put(sc.Theme.Note, ref)
	}
	if h.Times > len(h.Uses) {
		l.Put(sc.Theme.Dim, " "+sc.Glyphs.Ellipsis)
	}
}

func (v *handlesView) drawUse(l *term.Line, sc *library.Scene, u *insight.Use) {
	l.Cell(sc.Theme.Note, view.FrameRef(u.N), 7)
	if l.Max >= 76 {
		l.Right(sc.Theme.Dim, term.Seconds(max(0, u.T-sc.Base)), 9).Gap(2)
	}
	l.Put(term.Plain, safe.Line(u.What)).Gap(2).Put(sc.Theme.Dim, safe.Line(u.Place))
	if u.Crossed {
		l.Gap(2).Put(sc.Theme.Warn, sc.Glyphs.Warn+" session "+term.Number(u.Session+1))
	}
}

// handleValue is a value that fits into n cells: its two ends, and of a secret
// little more than nothing.
func handleValue(h *insight.Handle, n int, sg *term.Glyphs) safe.Text {
	switch {
	case strings.HasPrefix(h.Value, "redacted:"):
		return "redacted"
	case h.Secret && len(h.Value) > 12:
		return safe.Line(h.Value[:2]) + sg.Ellipsis + " hidden, " + term.Number(len(h.Value)) + " bytes"
	case h.Secret:
		return "hidden, " + term.Number(len(h.Value)) + " bytes"
	}
	t := safe.Line(h.Value)
	if term.Width(t) <= n {
		return t
	}
	tail := min(6, term.Width(t))
	return term.Cut(t, max(n-tail, 4), sg.Ellipsis) + term.CutLeft(t, term.Width(t)-tail, "")
}

func (v *handlesView) emptyDoc(sc *library.Scene, w int) document.Doc {
	d := document.Doc{Width: w}
	if view.Unread(sc, &d, sc.Rec, v.answered) {
		return d
	}
	d.Text(term.Plain, "No handles: no value that a server issued was used.")
	d.Text(sc.Theme.Dim, "handles are session ids, cursors, task ids, requestState, progress tokens, and what a tool calls a session and wants to see again")
	view.GoesBack(sc, &d)
	return d
}
