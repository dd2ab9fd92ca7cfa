package insight

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// sidesBeside is the width from which on both sides stand beside each other.
const sidesBeside = 100

func (v *capabilitiesView) Draw(of view.Host, sc *library.Scene, w, h int) []string {
	v.w = w
	v.lay(sc)
	v.beside = w >= sidesBeside
	s := &v.lines
	if !v.answered || !v.known {
		d := v.emptyDoc(sc, of.Scope().Session >= 0, w-6)
		return view.Nothing(sc, w, h, view.Title(sc, w, "Capabilities", true, v.reader.state(sc)...).Finish(), &d, s)
	}
	if v.beside {
		return v.drawBeside(sc, w, h)
	}
	all := v.stacked()
	s.Fit(len(all), h)
	v.side = 0
	if s.Sel > len(v.all[0]) {
		v.side = 1
	}
	var out []string
	for i := s.Top; i < min(s.Top+h, len(all)); i++ {
		if all[i] == nil {
			side := 0
			if i > 0 {
				side = 1
			}
			out = append(out, v.sideTitle(sc, side, w, s.Sel == i))
			continue
		}
		out = append(out, v.line(sc, all[i], w, i == s.Sel, true))
	}
	return append(out, term.Blanks(h-len(out), w)...)
}

// stacked is both sides below each other; nil stands for a title.
func (v *capabilitiesView) stacked() []*capLine {
	all := []*capLine{nil}
	for side := range v.all {
		if side == 1 {
			all = append(all, &capLine{info: true}, nil)
		}
		for i := range v.all[side] {
			all = append(all, &v.all[side][i])
		}
	}
	return all
}

func (v *capabilitiesView) drawBeside(sc *library.Scene, w, h int) []string {
	s := &v.lines
	s.Fit(max(len(v.all[0]), len(v.all[1])), h-1)
	s.Sel = max(0, min(s.Sel, len(v.all[v.side])-1))
	widths := [2]int{w / 2, w - w/2 - 1}
	var cols [2][]string
	for side := range cols {
		cols[side] = []string{v.sideTitle(sc, side, widths[side], v.side == side)}
		for i := s.Top; i < s.Top+h-1; i++ {
			if i < len(v.all[side]) {
				chosen := i == s.Sel && side == v.side
				cols[side] = append(cols[side], v.line(sc, &v.all[side][i], widths[side], chosen, true))
			} else {
				cols[side] = append(cols[side], term.Blanks(1, widths[side])...)
			}
		}
	}
	return view.Beside(sc, cols[0], cols[1])
}

func (v *capabilitiesView) sideTitle(sc *library.Scene, side, w int, focus bool) string {
	name := [...]safe.Text{"Client", "Server"}[side]
	var right []term.Seg
	if side == 1 || v.beside {
		right = view.Join(v.reader.state(sc))
	}
	return view.Title(sc, w, name, focus, right...).Finish()
}

func (v *capabilitiesView) line(sc *library.Scene, c *capLine, w int, chosen, focus bool) string {
	l := sc.Row(w, chosen, focus)
	if c.info {
		pad := 11
		if c.name == "" {
			pad = 0
		}
		return l.Gap(1).Cell(c.nameSt, c.name, pad).Segs(c.said).Finish()
	}
	name := 24
	switch {
	case w < 50:
		name = max(w-22, 14)
	case w < 58:
		name = max(w-34, 14)
	}
	used := safe.Text("")
	if c.used > 0 {
		used = term.Number(c.used) + sc.Glyphs.Times
	}
	l.Put(c.signSt, c.sign).Gap(3 - l.Used)
	row := view.Table{{W: name + 1, After: 1}, {W: 9}, {W: 6, Right: true}}.Row(l)
	row.Put(c.nameSt, c.name).Put(c.said[0].Style, c.said[0].Text).Put(term.Plain, used)
	l.Gap(2).Put(c.note.Style, c.note.Text)
	return l.Finish()
}

func (v *capabilitiesView) emptyDoc(sc *library.Scene, one bool, w int) document.Doc {
	d := document.Doc{Width: w}
	if view.Unread(sc, &d, sc.Rec, v.answered) {
		return d
	}
	switch {
	case len(v.talks) > 0 || one:
		d.Text(term.Plain, "Nothing is known of this: no request was seen.")
	default:
		d.Text(term.Plain, "No client has said anything yet.")
		d.Text(sc.Theme.Dim, "what both sides can do stands in initialize, or in the first requests of 2026-07-28")
	}
	view.GoesBack(sc, &d)
	return d
}

// selected is the line of the selection, nil when that is none.
func (v *capabilitiesView) selected() *capLine {
	i := v.lines.Sel
	if v.beside {
		if i >= 0 && i < len(v.all[v.side]) {
			return &v.all[v.side][i]
		}
		return nil
	}
	if all := v.stacked(); i >= 0 && i < len(all) {
		return all[i]
	}
	return nil
}

func (v *capabilitiesView) Click(h view.Host, x, y int) tea.Cmd {
	s := &v.lines
	before := v.side
	if v.beside {
		v.side = 0
		if x > v.w/2 {
			v.side = 1
		}
		y--
	}
	again, ok := s.PickLine(y)
	if l := v.selected(); ok && again && before == v.side && l != nil && l.n != 0 {
		return h.Jump(h.Scope().Rec, l.n)
	}
	return nil
}
