package view

import (
	"strings"

	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Text draws what is seen of a document in exactly h lines of w cells.
func Text(sc *library.Scene, d *document.Doc, s *Scroller, w, h int) []string {
	s.Fit(len(d.Lines), h)
	out := d.Draw(&sc.Screen, w, 1, s.Top, h)
	return append(out, term.Blanks(h-len(out), w)...)
}

// Seen says which lines are seen when that is not all.
func (s *Scroller) Seen(sc *library.Scene) []term.Seg {
	end := min(s.Top+s.Height, s.Lines)
	if end-s.Top == s.Lines {
		return nil
	}
	return []term.Seg{term.S(sc.Theme.Pend, term.Number(s.Top+1)+"-"+term.Number(end)+" of "+term.Count(s.Lines, "line"))}
}

// GoesBack ends words about a view.
func GoesBack(sc *library.Scene, d *document.Doc) {
	d.Blank()
	d.Add(term.S(sc.Theme.Key, "esc"), term.S(sc.Theme.Dim, " goes back"))
}

// Unread says why nothing is known of a recording; false when something is.
func Unread(sc *library.Scene, d *document.Doc, r *library.Recording, answered bool) bool {
	switch {
	case !r.Opened && !r.Loaded():
		d.Text(term.Plain, "This recording is not loaded.")
		d.Add(term.S(sc.Theme.Key, "esc"), term.S(sc.Theme.Dim, " goes back; "),
			term.S(sc.Theme.Key, "enter"), term.S(sc.Theme.Dim, " among the sessions loads it"))
	case !r.Loaded() && !r.Live && r.Loading < 1:
		d.Text(term.Plain, "Loading.")
	case !answered:
		d.Text(term.Plain, "Reading the recording.")
	default:
		return false
	}
	return true
}

// Join puts parts of a title beside each other, with some room between.
func Join(parts ...[]term.Seg) (out []term.Seg) {
	for _, p := range parts {
		if len(p) == 0 {
			continue
		}
		if out != nil { // the blanks go with what gives way
			out = append(out, term.Spare(max(p[0].Rank, out[0].Rank), term.S(term.Plain, "   "))...)
		}
		out = append(out, p...)
	}
	return out
}

// FrameRef names a frame.
func FrameRef(n uint64) safe.Text {
	if n == 0 {
		return ""
	}
	return "#" + safe.Int(int(n))
}

// Times is how often something was seen, "" for once.
func Times(sc *library.Scene, n int) safe.Text {
	if n < 2 {
		return ""
	}
	return term.Number(n) + sc.Glyphs.Times
}

// TooSmall is the whole screen where there is no room for more.
func TooSmall(sc *library.Scene, w, h int) string {
	lines := term.Blanks(h, w)
	lines[0] = term.NewLine(w, sc.Glyphs).Put(term.Plain, "terminal too small").Finish()
	if h > 1 {
		lines[1] = term.NewLine(w, sc.Glyphs).Put(sc.Theme.Dim, safe.Int(w)+"x"+safe.Int(h)+", 40x8 needed").Finish()
	}
	return strings.Join(lines, "\n")
}
