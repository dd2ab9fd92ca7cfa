package ui

import (
	"strings"

	"midwire/session/insight"
	"midwire/session/safe"
)

func (v *handlesView) draw(m *Model, sc *scene, w, h int) []string {
	var more []seg
	if v.left > 0 {
		more = []seg{{m.th.dim, number(v.left) + " values were too many, or too long"}}
	}
	title := m.title(w, "Handles", true, join(more, m.shelfState())...).finish()
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
	l := newLine(w, &m.sg).gap(5)
	l.cell(m.th.dim, "kind", kind).cell(m.th.dim, "value", value).cell(m.th.dim, "handed out by", from)
	return l.put(m.th.dim, "passed back").finish()
}

func (v *handlesView) line(m *Model, sc *scene, w, i int) string {
	r := v.rows[i]
	l := m.row(w, i == v.insightView.sel, true)
	switch r.part {
	case partHandle:
		v.drawHandle(l, m, sc, w, r.h)
	case partFrom:
		l.gap(6-l.w).cell(m.th.dim, "from", 6)
		if r.h.From.N == 0 {
			l.put(m.th.warn, "nobody handed it out while midwire watched")
			break
		}
		v.drawUse(l, m, sc, &r.h.From)
	case partMore:
		l.gap(12 - l.w)
		if r.h.Times == 0 {
			l.put(m.th.dim, "nobody passed it back")
		} else {
			l.put(m.th.dim, "and "+number(r.h.Times-len(r.h.Uses))+" more, the latest ").put(m.th.note, frameRef(r.h.Latest))
		}
	default:
		l.gap(6-l.w).cell(m.th.dim, "to", 6)
		v.drawUse(l, m, sc, &r.h.Uses[r.part])
	}
	return l.finish()
}

func (v *handlesView) drawHandle(l *line, m *Model, sc *scene, w int, h *insight.Handle) {
	kind, value, from, _ := handleColumns(w)
	sign, st := sc.sg.ok, m.th.ok
	switch {
	case h.Crossed > 0:
		sign, st = sc.sg.warn, m.th.warn
	case h.Times == 0:
		sign, st = sc.sg.ended, m.th.dim
	}
	fold := m.sg.folded
	if v.opened[openKey(h)] {
		fold = m.sg.open
	}
	l.put(st, safe.Text(sign)).gap(3-l.w).put(m.th.dim, safe.Text(fold)).gap(5 - l.w)
	name := plain
	if h.Times == 0 {
		name = m.th.dim
	}
	l.cell(name, safe.Text(h.Kind), max(kind-1, 0)).gap(min(kind, 1)).cell(name, handleValue(h, value-1, &m.sg), value-1).gap(1)
	if from > 0 {
		end := l.w + from - 1
		if h.From.N == 0 {
			l.put(m.th.dim, "not seen")
		} else {
			l.put(m.th.note, frameRef(h.From.N)).gap(1).putMax(plain, safe.Line(h.From.What), end-l.w)
			if l.w+12 < end {
				l.gap(1).putMax(m.th.dim, safe.Line(h.From.Place), end-l.w)
			}
		}
		l.gap(end + 1 - l.w)
	}
	v.drawTimes(l, m, h)
}

// drawTimes says how often a handle was passed back, and by whom.
func (v *handlesView) drawTimes(l *line, m *Model, h *insight.Handle) {
	if h.Times == 0 {
		l.put(m.th.dim, "never")
		return
	}
	l.put(plain, number(h.Times)+safe.Text(m.sg.times))
	if h.Crossed > 0 {
		l.gap(1).put(m.th.warn, "in another session")
	}
	for i := range h.Uses {
		ref := frameRef(h.Uses[i].N)
		if l.w+width(ref)+5 > l.max {
			break
		}
		l.gap(1).put(m.th.note, ref)
	}
	if h.Times > len(h.Uses) {
		l.put(m.th.dim, " "+safe.Text(m.sg.ellipsis))
	}
}

func (v *handlesView) drawUse(l *line, m *Model, sc *scene, u *insight.Use) {
	l.cell(m.th.note, frameRef(u.N), 7)
	if l.max >= 76 {
		l.right(m.th.dim, seconds(max(0, u.T-sc.base)), 9).gap(2)
	}
	l.put(plain, safe.Line(u.What)).gap(2).put(m.th.dim, safe.Line(u.Place))
	if u.Crossed {
		l.gap(2).put(m.th.warn, safe.Text(m.sg.warn)+" session "+number(u.Session+1))
	}
}

// handleValue is a value that fits into n cells: its two ends, and of a secret
// little more than nothing.
func handleValue(h *insight.Handle, n int, sg *signs) safe.Text {
	switch {
	case strings.HasPrefix(h.Value, "redacted:"):
		return "redacted"
	case h.Secret && len(h.Value) > 12:
		return safe.Line(h.Value[:2]) + safe.Text(sg.ellipsis) + " hidden, " + number(len(h.Value)) + " bytes"
	case h.Secret:
		return "hidden, " + number(len(h.Value)) + " bytes"
	}
	t := safe.Line(h.Value)
	if width(t) <= n {
		return t
	}
	r := []rune(string(t))
	tail := min(6, len(r))
	return safe.Text(cut(string(t), max(n-tail, 4), sg.ellipsis) + string(r[len(r)-tail:]))
}

func (v *handlesView) emptyDoc(m *Model, w int) doc {
	d := doc{w: w}
	if m.unread(&d, v.answered) {
		return d
	}
	d.text(plain, "No handles: no value that a server handed out came back.")
	d.text(m.th.dim, "handles are session ids, cursors, task ids, requestState, progress tokens, and what a tool calls a session and wants to see again")
	d.blank()
	d.add(seg{m.th.key, "esc"}, seg{m.th.dim, " goes back"})
	return d
}
