package sessions

import (
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Whereabouts names a recording, and the session in it that is shown.
func Whereabouts(sc *library.Scene, at library.Scope) []safe.Text {
	r := at.Rec
	out := []safe.Text{r.Name()}
	if s := r.Session(at.Session); s != nil && len(r.Tracker.Sessions()) > 1 {
		name := r.CalledSession(s)
		switch {
		case r.Merges():
			out = append(out, r.SessionName(s.Index))
		case name != "":
			out = append(out, safe.Line(name))
		case s.ID != "":
			out = append(out, ShortID(s.ID, sc.Glyphs))
		case s.Client.Name != "":
			out = append(out, library.PeerText(s.Client))
		default:
			out = append(out, "stateless")
		}
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
