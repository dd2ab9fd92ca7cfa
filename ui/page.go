package ui

import (
	"midwire/session/safe"
	"midwire/ui/library"
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

// sideBySide puts two blocks beside each other with a line between them.
func sideBySide(sc *scene, left, right []string) []string {
	bar := term.NewLine(1, sc.sg).Put(sc.th.Frame, safe.Text(sc.sg.V)).Finish()
	out := make([]string, min(len(left), len(right)))
	for i := range out {
		out[i] = left[i] + bar + right[i]
	}
	if len(out) > 0 {
		out[0] = left[0] + term.NewLine(1, sc.sg).Put(sc.th.Frame, safe.Text(sc.sg.TDown)).Finish() + right[0]
	}
	return out
}

// pageOf draws a title and what stands below it: exactly h lines.
func pageOf(w, h int, title string, body []string) []string {
	out := append([]string{title}, body...)
	if len(out) > h {
		out = out[:max(h, 0)]
	}
	return append(out, term.Blanks(h-len(out), w)...)
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

// drawNothing says why there are no messages.
func drawNothing(sc *scene, w int, of rows) []string {
	why, hint := of.Nothing()
	out := append(term.Blanks(1, w), term.NewLine(w, sc.sg).Gap(3).Put(term.Plain, why).Finish())
	if hint != "" {
		out = append(out, term.NewLine(w, sc.sg).Gap(3).Put(sc.th.Dim, hint).Finish())
	}
	return out
}

// unread says why nothing is known of a recording; false when something is.
func unread(sc *scene, d *doc, r *library.Recording, answered bool) bool {
	switch {
	case !r.Opened && !r.Loaded():
		d.text(term.Plain, "This recording is not loaded.")
		d.add(term.S(sc.th.Key, "esc"), term.S(sc.th.Dim, " goes back; "),
			term.S(sc.th.Key, "enter"), term.S(sc.th.Dim, " in the session tree loads it"))
	case !r.Loaded() && !r.Live && r.Loading < 1:
		d.text(term.Plain, "Loading.")
	case !answered:
		d.text(term.Plain, "Reading the recording.")
	default:
		return false
	}
	return true
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

// join puts parts of a title beside each other, with some room between.
func join(parts ...[]term.Seg) (out []term.Seg) {
	for _, p := range parts {
		if len(p) == 0 {
			continue
		}
		if out != nil {
			out = append(out, term.S(term.Plain, "   "))
		}
		out = append(out, p...)
	}
	return out
}

// frameRef names a frame.
func frameRef(n uint64) safe.Text {
	if n == 0 {
		return ""
	}
	return "#" + safe.Int(int(n))
}
