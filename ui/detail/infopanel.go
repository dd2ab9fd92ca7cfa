package detail

import (
	"strings"
	"time"

	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// WriteRecording says what is known of a recording before it is read.
func WriteRecording(d *document.Doc, sc *library.Scene, r *library.Recording) {
	th := sc.Theme
	if r.Trouble != "" {
		d.Field(th, "trouble", term.S(th.Warn, sc.Glyphs.Warn+" "+r.TroubleText()))
	}
	switch {
	case r.Where == "":
	case r.Tap == "http":
		from, to, found := strings.Cut(r.Where, " → ")
		if found {
			d.Field(th, "listens", term.S(term.Plain, safe.Line(from)))
			d.Field(th, "forwards", term.S(th.Dim, "to "), term.S(term.Plain, safe.Line(to)))
		} else {
			d.Field(th, "http", term.S(term.Plain, safe.Line(r.Where)))
		}
	default:
		d.Field(th, "command", term.S(term.Plain, safe.Line(r.Where)))
		d.Field(th, "transport", term.S(term.Plain, "stdio"), term.S(th.Dim, "   the pipes of a server process"))
	}
	if !r.Started.IsZero() {
		d.Field(th, "started", term.S(term.Plain, safe.Time(r.Started.Local(), "2006-01-02 15:04:05")),
			term.S(th.Dim, "   "+Ago(sc.Now.Sub(r.Started))))
	}
	d.Field(th, "size", term.S(term.Plain, term.Bytes(r.Size)))
	state := term.S(th.Dim, "ended")
	if r.Live {
		state = term.S(th.Ok, "live: it is being recorded")
	}
	if r.Opened && r.Loaded() {
		state.Text += ", " + term.Count(len(r.Tracker.Sessions()), "session")
	}
	d.Field(th, "state", state)
}

// Ago says how long ago something was.
func Ago(d time.Duration) safe.Text {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return term.Count(int(d.Minutes()), "minute") + " ago"
	case d < 48*time.Hour:
		return term.Count(int(d.Hours()), "hour") + " ago"
	}
	return term.Count(int(d.Hours()/24), "day") + " ago"
}
