package detail

import (
	"strings"
	"time"

	"midwire/session"
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

// WriteSession says who talks in a session and how it goes.
func WriteSession(d *document.Doc, sc *library.Scene, r *library.Recording, s *session.Session) {
	th := sc.Theme
	d.Field(th, "between", term.S(term.Plain, PeerOr(s.Client, "client")), term.S(th.Dim, " "+sc.Glyphs.Arrow+" "),
		term.S(term.Plain, PeerOr(s.Server, "server")))
	id := safe.Line(s.ID)
	if id == "" {
		id = "no id on the wire"
	}
	if name := r.CalledSession(s); name != "" {
		d.Field(th, "name", term.S(term.Bold, safe.Line(name)))
	}
	d.Field(th, "session", term.S(term.Plain, id), term.S(th.Dim, "   by "+safe.Line(s.Why)))
	if s.ID != "" {
		d.Field(th, "", term.S(th.Dim, "the id "+IDOrigin(s.IDSource)))
	}
	rev := string(s.ProtocolVersion)
	if rev == "" {
		rev = "unknown"
	}
	d.Field(th, "revision", term.S(term.Plain, safe.Line(rev)), term.S(th.Dim, "   "+safe.Line(s.Transport.String())))
	d.Field(th, "state", term.S(term.Plain, safe.Line(s.State.String())))
	msgs := []term.Seg{term.S(term.Plain, term.Number(s.Messages))}
	if s.Errors > 0 {
		msgs = append(msgs, term.S(th.Err, "   "+term.Number(s.Errors)+" failed"))
	}
	if s.Pending > 0 {
		msgs = append(msgs, term.S(th.Pend, "   "+term.Number(s.Pending)+" waiting"))
	}
	d.Field(th, "messages", msgs...)
	d.Field(th, "recording", term.S(th.Dim, r.Name()+"   "+safe.Line(r.Where)))
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

// WriteWaiting says how to get the first message into a live recording. Where it
// is that of the HTTP proxy in this process, url is where that listens, and
// upstream where it forwards to.
func WriteWaiting(d *document.Doc, th *term.Theme, r *library.Recording, url, upstream string) {
	if r.Tap != "http" {
		d.Text(term.Bold, "The server runs. Nothing was said yet.")
		d.Blank()
		d.Field(th, "command", term.S(term.Plain, safe.Line(r.Where)))
		d.Blank()
		d.Text(th.Dim, "Messages appear here as soon as the client speaks.")
		return
	}
	d.Text(term.Bold, "No client has connected yet.")
	d.Blank()
	listen, target, _ := strings.Cut(r.Where, " → ")
	if url != "" {
		d.Field(th, "clients", term.S(term.Bold, safe.Line(url)))
		target = upstream
	} else {
		d.Field(th, "clients", term.S(th.Dim, "connect to "), term.S(term.Plain, safe.Line(listen)))
	}
	if target != "" {
		d.Field(th, "forwards", term.S(th.Dim, "to "), term.S(term.Plain, safe.Line(target)))
	}
	d.Blank()
	d.Text(th.Dim, "Nothing happens? The client must use this URL, not the server's, and be restarted.")
}
