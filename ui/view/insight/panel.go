// Package insight has the views that the insights of a recording answer: tools,
// the page of a session, handles, and the reader that gathers these.
package insight

import (
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
	"midwire/ui/view/reading"
)

// headed is how many lines stand above the first row of a table in a panel: the
// edge, and the names of the columns.
const headed = 2

func title(sc *library.Scene, name safe.Text) []term.Seg {
	return []term.Seg{term.S(sc.Theme.Title, name)}
}

// nothing draws a panel that says why there is nothing to see, and what to press.
func nothing(sc *library.Scene, p *term.Panel, w, h int, s *view.Scroller, words func(w int) document.Doc) []string {
	iw, ih := p.Inner(&sc.Screen, w, h)
	s.Fit(0, ih)
	d := words(iw - 6)
	return p.Draw(&sc.Screen, w, h, append(term.Blanks(1, iw), d.All(&sc.Screen, iw, 3)...))
}

func edges(sc *library.Scene) int {
	if sc.Boxed {
		return 2
	}
	return 1
}

// card is a sentence beside a bar that says how bad it is.
func card(sc *library.Scene, segs []term.Seg, st term.Style, w int) []string {
	d := document.Doc{Width: w - 2}
	d.AddLike(document.Card(&sc.Screen, st), 0, segs...)
	return d.All(&sc.Screen, w, 1)
}

// base is what the views that insights answer have in common.
type base struct {
	reader   *reading.Reader
	answered bool
	h        int // lines of what was drawn
}

// halves is what views share that have a list, and below it more about the line that
// is selected.
type halves struct {
	base
	view.Halves
}

// scopeWords says what a view is about, for the status line.
func scopeWords(s library.Scope) safe.Text {
	switch n := len(s.Rec.Tracker.Sessions()); {
	case s.Session == library.NoSession:
		return "what belongs to no session"
	case n > 1 && s.Session == library.AllSessions:
		return "the whole recording: " + term.Count(n, "session")
	case n > 1:
		return "one session of " + term.Number(n)
	}
	return "the whole recording"
}
