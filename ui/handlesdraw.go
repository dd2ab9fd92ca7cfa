package ui

import (
	"strings"

	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

func (v *handlesView) draw(_ host, sc *library.Scene, w, h int) []string {
	v.h = h
	var more []term.Seg
	if v.left > 0 {
		more = []term.Seg{term.S(sc.Theme.Dim, term.Number(v.left)+" values were too many, or too long")}
	}
	title := titleLine(sc, w, "Handles", true, join(more, v.reader.state(sc))...).Finish()
	s := &v.insightView.scroller
	if len(v.rows) == 0 {
		s.fit(0, h-1)
		d := v.emptyDoc(sc, w-6)
		return pageOf(w, h, title, words(sc, w, &d))
	}
	var body []string
	if h > 3 {
		body = append(body, v.header(sc, w))
	}
	s.fit(len(v.rows), h-1-len(body))
	for i := s.top; i < min(s.top+s.height, len(v.rows)); i++ {
		body = append(body, v.line(sc, w, i))
	}
	return pageOf(w, h, title, body)
}

// handleColumns are the widths of kind, value, origin and uses.
func handleColumns(w int) (kind, value, from, used int) {
	switch {
	case w >= 100:
		return 16, 28, w - 16 - 28 - 5 - 30, 30
	case w >= 76:
		return 15, 20, w - 15 - 20 - 5 - 18, 18
	case w >= 56:
		return 15, 16, 0, 20
	}
	return 0, 18, 0, 18
}

func (v *handlesView) header(sc *library.Scene, w int) string {
	kind, value, from, _ := handleColumns(w)
	l := term.NewLine(w, sc.Glyphs).Gap(5)
	l.Cell(sc.Theme.Dim, "kind", kind).Cell(sc.Theme.Dim, "value", value).Cell(sc.Theme.Dim, "handed out by", from)
	return l.Put(sc.Theme.Dim, "passed back").Finish()
}

func (v *handlesView) line(sc *library.Scene, w, i int) string {
	r := v.rows[i]
	l := rowLine(sc, w, i == v.insightView.sel, true)
	switch r.part {
	case partHandle:
		v.drawHandle(l, sc, w, r.h)
	case partFrom:
		l.Gap(6-l.Used).Cell(sc.Theme.Dim, "from", 6)
		if r.h.From.N == 0 {
			l.Put(sc.Theme.Warn, "nobody handed it out while midwire watched")
			break
		}
		v.drawUse(l, sc, &r.h.From)
	case partMore:
		l.Gap(12 - l.Used)
		if r.h.Times == 0 {
			l.Put(sc.Theme.Dim, "nobody passed it back")
		} else {
			l.Put(sc.Theme.Dim, "and "+term.Number(r.h.Times-len(r.h.Uses))+" more, the latest ").Put(sc.Theme.Note, frameRef(r.h.Latest))
		}
	default:
		l.Gap(6-l.Used).Cell(sc.Theme.Dim, "to", 6)
		v.drawUse(l, sc, &r.h.Uses[r.part])
	}
	return l.Finish()
}

func (v *handlesView) drawHandle(l *term.Line, sc *library.Scene, w int, h *insight.Handle) {
	kind, value, from, _ := handleColumns(w)
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
	l.Put(st, safe.Text(sign)).Gap(3-l.Used).Put(sc.Theme.Dim, safe.Text(fold)).Gap(5 - l.Used)
	name := term.Plain
	if h.Times == 0 {
		name = sc.Theme.Dim
	}
	l.Cell(name, safe.Text(h.Kind), max(kind-1, 0)).Gap(min(kind, 1))
	l.Cell(name, handleValue(h, value-1, sc.Glyphs), value-1).Gap(1)
	if from > 0 {
		end := l.Used + from - 1
		if h.From.N == 0 {
			l.Put(sc.Theme.Dim, "not seen")
		} else {
			l.Put(sc.Theme.Note, frameRef(h.From.N)).Gap(1).PutMax(term.Plain, safe.Line(h.From.What), end-l.Used)
			if l.Used+12 < end {
				l.Gap(1).PutMax(sc.Theme.Dim, safe.Line(h.From.Place), end-l.Used)
			}
		}
		l.Gap(end + 1 - l.Used)
	}
	v.drawTimes(l, sc, h)
}

// drawTimes says how often a handle was passed back, and by whom.
func (v *handlesView) drawTimes(l *term.Line, sc *library.Scene, h *insight.Handle) {
	if h.Times == 0 {
		l.Put(sc.Theme.Dim, "never")
		return
	}
	l.Put(term.Plain, term.Number(h.Times)+safe.Text(sc.Glyphs.Times))
	if h.Crossed > 0 {
		l.Gap(1).Put(sc.Theme.Warn, "in another session")
	}
	for i := range h.Uses {
		ref := frameRef(h.Uses[i].N)
		if l.Used+term.Width(ref)+5 > l.Max {
			break
		}
		l.Gap(1).Put(sc.Theme.Note, ref)
	}
	if h.Times > len(h.Uses) {
		l.Put(sc.Theme.Dim, " "+safe.Text(sc.Glyphs.Ellipsis))
	}
}

func (v *handlesView) drawUse(l *term.Line, sc *library.Scene, u *insight.Use) {
	l.Cell(sc.Theme.Note, frameRef(u.N), 7)
	if l.Max >= 76 {
		l.Right(sc.Theme.Dim, term.Seconds(max(0, u.T-sc.Base)), 9).Gap(2)
	}
	l.Put(term.Plain, safe.Line(u.What)).Gap(2).Put(sc.Theme.Dim, safe.Line(u.Place))
	if u.Crossed {
		l.Gap(2).Put(sc.Theme.Warn, safe.Text(sc.Glyphs.Warn)+" session "+term.Number(u.Session+1))
	}
}

// handleValue is a value that fits into n cells: its two ends, and of a secret
// little more than nothing.
func handleValue(h *insight.Handle, n int, sg *term.Glyphs) safe.Text {
	switch {
	case strings.HasPrefix(h.Value, "redacted:"):
		return "redacted"
	case h.Secret && len(h.Value) > 12:
		return safe.Line(h.Value[:2]) + safe.Text(sg.Ellipsis) + " hidden, " + term.Number(len(h.Value)) + " bytes"
	case h.Secret:
		return "hidden, " + term.Number(len(h.Value)) + " bytes"
	}
	t := safe.Line(h.Value)
	if term.Width(t) <= n {
		return t
	}
	tail := min(6, term.Width(t))
	return term.Cut(t, max(n-tail, 4), safe.Text(sg.Ellipsis)) + term.CutLeft(t, term.Width(t)-tail, "")
}

func (v *handlesView) emptyDoc(sc *library.Scene, w int) document.Doc {
	d := document.Doc{Width: w}
	if unread(sc, &d, sc.Rec, v.answered) {
		return d
	}
	d.Text(term.Plain, "No handles: no value that a server handed out came back.")
	d.Text(sc.Theme.Dim, "handles are session ids, cursors, task ids, requestState, progress tokens, and what a tool calls a session and wants to see again")
	goesBack(sc, &d)
	return d
}
