package ui

import (
	"strings"

	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

func (v *handlesView) draw(m *Model, sc *library.Scene, w, h int) []string {
	var more []term.Seg
	if v.left > 0 {
		more = []term.Seg{term.S(m.th.Dim, term.Number(v.left)+" values were too many, or too long")}
	}
	title := m.title(w, "Handles", true, join(more, m.shelfState())...).Finish()
	s := &v.insightView.scroller
	if len(v.rows) == 0 {
		s.fit(0, h-1)
		d := v.emptyDoc(m, w-6)
		return m.page(w, h, title, m.words(w, &d))
	}
	var body []string
	if h > 3 {
		body = append(body, v.header(m, w))
	}
	s.fit(len(v.rows), h-1-len(body))
	for i := s.top; i < min(s.top+s.height, len(v.rows)); i++ {
		body = append(body, v.line(m, sc, w, i))
	}
	return m.page(w, h, title, body)
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

func (v *handlesView) header(m *Model, w int) string {
	kind, value, from, _ := handleColumns(w)
	l := term.NewLine(w, &m.sg).Gap(5)
	l.Cell(m.th.Dim, "kind", kind).Cell(m.th.Dim, "value", value).Cell(m.th.Dim, "handed out by", from)
	return l.Put(m.th.Dim, "passed back").Finish()
}

func (v *handlesView) line(m *Model, sc *library.Scene, w, i int) string {
	r := v.rows[i]
	l := m.row(w, i == v.insightView.sel, true)
	switch r.part {
	case partHandle:
		v.drawHandle(l, m, sc, w, r.h)
	case partFrom:
		l.Gap(6-l.Used).Cell(m.th.Dim, "from", 6)
		if r.h.From.N == 0 {
			l.Put(m.th.Warn, "nobody handed it out while midwire watched")
			break
		}
		v.drawUse(l, m, sc, &r.h.From)
	case partMore:
		l.Gap(12 - l.Used)
		if r.h.Times == 0 {
			l.Put(m.th.Dim, "nobody passed it back")
		} else {
			l.Put(m.th.Dim, "and "+term.Number(r.h.Times-len(r.h.Uses))+" more, the latest ").Put(m.th.Note, frameRef(r.h.Latest))
		}
	default:
		l.Gap(6-l.Used).Cell(m.th.Dim, "to", 6)
		v.drawUse(l, m, sc, &r.h.Uses[r.part])
	}
	return l.Finish()
}

func (v *handlesView) drawHandle(l *term.Line, m *Model, sc *library.Scene, w int, h *insight.Handle) {
	kind, value, from, _ := handleColumns(w)
	sign, st := sc.Glyphs.Ok, m.th.Ok
	switch {
	case h.Crossed > 0:
		sign, st = sc.Glyphs.Warn, m.th.Warn
	case h.Times == 0:
		sign, st = sc.Glyphs.Ended, m.th.Dim
	}
	fold := m.sg.Folded
	if v.opened[openKey(h)] {
		fold = m.sg.Open
	}
	l.Put(st, safe.Text(sign)).Gap(3-l.Used).Put(m.th.Dim, safe.Text(fold)).Gap(5 - l.Used)
	name := term.Plain
	if h.Times == 0 {
		name = m.th.Dim
	}
	l.Cell(name, safe.Text(h.Kind), max(kind-1, 0)).Gap(min(kind, 1)).Cell(name, handleValue(h, value-1, &m.sg), value-1).Gap(1)
	if from > 0 {
		end := l.Used + from - 1
		if h.From.N == 0 {
			l.Put(m.th.Dim, "not seen")
		} else {
			l.Put(m.th.Note, frameRef(h.From.N)).Gap(1).PutMax(term.Plain, safe.Line(h.From.What), end-l.Used)
			if l.Used+12 < end {
				l.Gap(1).PutMax(m.th.Dim, safe.Line(h.From.Place), end-l.Used)
			}
		}
		l.Gap(end + 1 - l.Used)
	}
	v.drawTimes(l, m, h)
}

// drawTimes says how often a handle was passed back, and by whom.
func (v *handlesView) drawTimes(l *term.Line, m *Model, h *insight.Handle) {
	if h.Times == 0 {
		l.Put(m.th.Dim, "never")
		return
	}
	l.Put(term.Plain, term.Number(h.Times)+safe.Text(m.sg.Times))
	if h.Crossed > 0 {
		l.Gap(1).Put(m.th.Warn, "in another session")
	}
	for i := range h.Uses {
		ref := frameRef(h.Uses[i].N)
		if l.Used+term.Width(ref)+5 > l.Max {
			break
		}
		l.Gap(1).Put(m.th.Note, ref)
	}
	if h.Times > len(h.Uses) {
		l.Put(m.th.Dim, " "+safe.Text(m.sg.Ellipsis))
	}
}

func (v *handlesView) drawUse(l *term.Line, m *Model, sc *library.Scene, u *insight.Use) {
	l.Cell(m.th.Note, frameRef(u.N), 7)
	if l.Max >= 76 {
		l.Right(m.th.Dim, term.Seconds(max(0, u.T-sc.Base)), 9).Gap(2)
	}
	l.Put(term.Plain, safe.Line(u.What)).Gap(2).Put(m.th.Dim, safe.Line(u.Place))
	if u.Crossed {
		l.Gap(2).Put(m.th.Warn, safe.Text(m.sg.Warn)+" session "+term.Number(u.Session+1))
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
	r := []rune(string(t))
	tail := min(6, len(r))
	return safe.Text(term.Cut(string(t), max(n-tail, 4), sg.Ellipsis) + string(r[len(r)-tail:]))
}

func (v *handlesView) emptyDoc(m *Model, w int) document.Doc {
	d := document.Doc{Width: w}
	if m.unread(&d, v.answered) {
		return d
	}
	d.Text(term.Plain, "No handles: no value that a server handed out came back.")
	d.Text(m.th.Dim, "handles are session ids, cursors, task ids, requestState, progress tokens, and what a tool calls a session and wants to see again")
	d.Blank()
	d.Add(term.S(m.th.Key, "esc"), term.S(m.th.Dim, " goes back"))
	return d
}
