package sessions

import (
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Whereabouts names a recording, and the session in it that is shown.
func Whereabouts(at library.Scope) []safe.Text {
	r := at.Rec
	out := []safe.Text{r.Name()}
	if s := r.Session(at.Session); s != nil && len(r.Tracker.Sessions()) > 1 {
		out = append(out, r.SessionName(s.Index))
	}
	return out
}

// ShortID shortens a session id to its ends.
func ShortID(id string, sg *term.Glyphs) safe.Text {
	s := safe.Line(id)
	if term.Width(s) <= 11 {
		return s
	}
	return term.Cut(s, 4+term.Width(sg.Ellipsis), sg.Ellipsis) + term.CutLeft(s, term.Width(s)-4, "")
}
