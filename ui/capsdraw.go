package ui

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// capsBeside is the width from which on both sides stand beside each other.
const capsBeside = 100

func (v *capsView) draw(of host, sc *library.Scene, w, h int) []string {
	v.w = w
	v.lay(sc)
	v.beside = w >= capsBeside
	s := &v.insightView.scroller
	if !v.answered || !v.known {
		s.fit(0, h-1)
		d := v.emptyDoc(sc, of.Scope().Session >= 0, w-6)
		return pageOf(w, h, titleLine(sc, w, "Capabilities", true, v.reader.state(sc)...).Finish(), words(sc, w, &d))
	}
	if v.beside {
		return v.drawBeside(sc, w, h)
	}
	all := v.stacked()
	s.fit(len(all), h)
	v.side = 0
	if s.sel > len(v.all[0]) {
		v.side = 1
	}
	var out []string
	for i := s.top; i < min(s.top+h, len(all)); i++ {
		if all[i] == nil {
			side := 0
			if i > 0 {
				side = 1
			}
			out = append(out, v.sideTitle(sc, side, w, s.sel == i))
			continue
		}
		out = append(out, v.line(sc, all[i], w, i == s.sel, true))
	}
	return append(out, term.Blanks(h-len(out), w)...)
}

// stacked is both sides below each other; nil stands for a title.
func (v *capsView) stacked() []*capLine {
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

func (v *capsView) drawBeside(sc *library.Scene, w, h int) []string {
	s := &v.insightView.scroller
	s.fit(max(len(v.all[0]), len(v.all[1])), h-1)
	s.sel = max(0, min(s.sel, len(v.all[v.side])-1))
	widths := [2]int{w / 2, w - w/2 - 1}
	var cols [2][]string
	for side := range cols {
		cols[side] = []string{v.sideTitle(sc, side, widths[side], v.side == side)}
		for i := s.top; i < s.top+h-1; i++ {
			if i < len(v.all[side]) {
				chosen := i == s.sel && side == v.side
				cols[side] = append(cols[side], v.line(sc, &v.all[side][i], widths[side], chosen, true))
			} else {
				cols[side] = append(cols[side], term.Blanks(1, widths[side])...)
			}
		}
	}
	return sideBySide(sc, cols[0], cols[1])
}

func (v *capsView) sideTitle(sc *library.Scene, side, w int, focus bool) string {
	name := [...]safe.Text{"Client", "Server"}[side]
	var right []term.Seg
	if side == 1 || v.beside {
		right = join(v.reader.state(sc))
	}
	return titleLine(sc, w, name, focus, right...).Finish()
}

func (v *capsView) line(sc *library.Scene, c *capLine, w int, chosen, focus bool) string {
	l := rowLine(sc, w, chosen, focus)
	if c.info {
		pad := 11
		if c.name == "" {
			pad = 0
		}
		l.Gap(1).Cell(c.nameSt, c.name, pad)
		for _, s := range c.said {
			l.Put(s.Style, s.Text)
		}
		return l.Finish()
	}
	name := 24
	if w < 58 {
		name = max(w-34, 14)
	}
	if w < 50 {
		name = max(w-22, 14)
	}
	l.Put(c.signSt, safe.Text(c.sign)).Gap(3-l.Used).Cell(c.nameSt, c.name, name).Gap(1)
	for _, s := range c.said {
		l.Cell(s.Style, s.Text, 9)
	}
	used := safe.Text("")
	if c.used > 0 {
		used = term.Number(c.used) + safe.Text(sc.Glyphs.Times)
	}
	l.Right(term.Plain, used, 6).Gap(2).Put(c.note.Style, c.note.Text)
	return l.Finish()
}

func (v *capsView) emptyDoc(sc *library.Scene, one bool, w int) document.Doc {
	d := document.Doc{Width: w}
	if unread(sc, &d, sc.Rec, v.answered) {
		return d
	}
	switch {
	case len(v.talks) > 0 || one:
		d.Text(term.Plain, "Nothing is known of this: no request was seen.")
	default:
		d.Text(term.Plain, "No client has said anything yet.")
		d.Text(sc.Theme.Dim, "what both sides can do stands in initialize, or in the first requests of 2026-07-28")
	}
	goesBack(sc, &d)
	return d
}

// selected is the line of the selection, nil when that is none.
func (v *capsView) selected() *capLine {
	i := v.sel
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

func (v *capsView) click(h host, x, y int) tea.Cmd {
	s := &v.insightView.scroller
	before := v.side
	if v.beside {
		v.side = 0
		if x > v.w/2 {
			v.side = 1
		}
		y--
	}
	again, ok := s.pickLine(y)
	if l := v.selected(); ok && again && before == v.side && l != nil && l.n != 0 {
		return h.Jump(h.Scope().Rec, l.n)
	}
	return nil
}
