package ui

import (
	"midwire/session/safe"
	"midwire/ui/term"
)

// titleLine draws the line above a pane: its name at the left, something about
// it at the right.
func titleLine(sc *scene, w int, name safe.Text, focus bool, right ...term.Seg) *term.Line {
	l := term.NewLine(w, sc.sg)
	st := sc.th.Title
	if focus {
		st = sc.th.Key
	}
	l.Put(sc.th.Frame, safe.Text(sc.sg.H)).Gap(1).Put(st, name).Gap(1)
	n := 0
	for _, s := range right {
		n += term.Width(s.Text)
	}
	if n > 0 && l.Used+n+4 <= w {
		l.Fill(sc.th.Frame, sc.sg.H, w-n-3).Gap(1)
		for _, s := range right {
			l.Put(s.Style, s.Text)
		}
		l.Gap(1)
	}
	return l.Fill(sc.th.Frame, sc.sg.H, w)
}

// words draws a document as the body of a page: why there is nothing to see,
// and what to press.
func words(sc *scene, w int, d *doc) []string {
	out := term.Blanks(1, w)
	for i := range d.lines {
		l := term.NewLine(w, sc.sg).Gap(3)
		d.lines[i].draw(l, sc.th)
		out = append(out, l.Finish())
	}
	return out
}

// rowLine begins a line of a list, with the bar before the selected one.
func rowLine(sc *scene, w int, chosen, focus bool) *term.Line {
	l := term.NewLine(w, sc.sg)
	if chosen {
		l.Selected(sc.th, focus)
		l.Put(sc.th.Key, safe.Text(sc.sg.Bar))
	}
	return l.Gap(1 - l.Used)
}
