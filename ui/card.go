package ui

import (
	"strings"
	"time"

	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// drawCard says in words what the selected line of the session tree stands
// for, and what can be done about it.
func (m *Model) drawCard(sc *library.Scene) []string {
	r := m.lay.card
	if r.H == 0 {
		return nil
	}
	c := m.describeChoice(sc, r.W-6, r.H > cardHeight)
	out := []string{view.Title(sc, r.W, c.name, false, c.hint...).Finish()}
	lines := c.doc.Lines
	if spare := r.H - 2 - len(lines); spare > 2 {
		lines = append([]document.Line{{}}, lines...)
	}
	for i := 0; i < len(lines) && len(out) < r.H; i++ {
		l := term.NewLine(r.W, &m.sg)
		lines[i].Draw(l.Gap(3), &m.th)
		out = append(out, l.Finish())
	}
	return append(out, term.Blanks(r.H-len(out), r.W)...)
}

// choice is the words about one line of the session tree.
type choice struct {
	name safe.Text
	hint []term.Seg // what to press, for the title
	doc  document.Doc
}

func (m *Model) describeChoice(sc *library.Scene, w int, large bool) choice {
	n, r := m.tree.Selected(), m.list.Rec
	if n != nil && m.lay.tree.W > 0 {
		r = m.rec(n.Rec)
	}
	c := choice{name: "Recording", doc: document.Doc{Width: w}}
	switch {
	case r == nil && n == nil:
		c.doc.Text(term.Plain, "Choose a session.")
	case r == nil:
		c.name = "Group"
		c.doc.Text(term.Plain, term.Number(n.Count)+" below, enter folds and unfolds")
	case r.Live && !r.Loaded():
		c.name = "Waiting"
		if m.ownTap(r) {
			c.hint = []term.Seg{term.S(m.th.Key, "y "), term.S(m.th.Dim, "copies the URL")}
		}
		m.waitingDoc(&c.doc, r)
	case n != nil && r.Session(n.Sess) != nil:
		c.name, c.hint = "Session", m.pressEnter("shows its messages")
		writeSession(&c.doc, sc, r, r.Session(n.Sess))
	default:
		c.hint = m.pressEnter("shows its messages")
		if r.Broken() {
			c.hint = []term.Seg{term.S(m.th.Warn, "this recording cannot be opened")}
		} else if !r.Opened {
			c.hint = m.pressEnter("opens this recording")
		}
		if large {
			c.doc.Text(term.Bold, r.Name())
			c.doc.Blank()
		}
		writeRecording(&c.doc, sc, r)
		if large {
			c.doc.Blank()
			c.doc.Add(c.hint...)
			c.hint = nil
		}
	}
	return c
}

func (m *Model) pressEnter(what safe.Text) []term.Seg {
	return []term.Seg{term.S(m.th.Key, "enter "), term.S(m.th.Dim, what)}
}

// writeRecording says what is known of a recording before it is read.
func writeRecording(d *document.Doc, sc *library.Scene, r *library.Recording) {
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
		d.Field(th, "tap", term.S(term.Plain, "stdio"), term.S(th.Dim, "   the pipes of a server process"))
	}
	if !r.Started.IsZero() {
		d.Field(th, "started", term.S(term.Plain, safe.Time(r.Started.Local(), "2006-01-02 15:04:05")),
			term.S(th.Dim, "   "+ago(sc.Now.Sub(r.Started))))
	}
	d.Field(th, "size", term.S(term.Plain, bytesText(r.Size)))
	state := term.S(th.Dim, "ended")
	if r.Live {
		state = term.S(th.Ok, "live: a tap is writing it")
	}
	if r.Opened && r.Loaded() {
		state.Text += ", " + term.Count(len(r.Tracker.Sessions()), "session")
	}
	d.Field(th, "state", state)
}

// writeSession says who talks in a session and how it goes.
func writeSession(d *document.Doc, sc *library.Scene, r *library.Recording, s *session.Session) {
	th := sc.Theme
	d.Field(th, "between", term.S(term.Plain, detail.PeerOr(s.Client, "client")), term.S(th.Dim, " "+sc.Glyphs.Arrow+" "),
		term.S(term.Plain, detail.PeerOr(s.Server, "server")))
	id := safe.Line(s.ID)
	if id == "" {
		id = "no id on the wire"
	}
	if name := r.CalledSession(s); name != "" {
		d.Field(th, "name", term.S(term.Bold, safe.Line(name)))
	}
	d.Field(th, "session", term.S(term.Plain, id), term.S(th.Dim, "   by "+safe.Line(s.Why)))
	if s.ID != "" {
		d.Field(th, "", term.S(th.Dim, "the id "+detail.IdOrigin(s.IDSource)))
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

// waitingDoc says how to get the first message into a live recording.
func (m *Model) waitingDoc(d *document.Doc, r *library.Recording) {
	th := &m.th
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
	if m.ownTap(r) {
		d.Field(th, "clients", term.S(term.Bold, safe.Line(m.opts.Hints.HTTPURL)))
		target = m.opts.Hints.Upstream
	} else {
		d.Field(th, "clients", term.S(th.Dim, "connect to "), term.S(term.Plain, safe.Line(listen)))
	}
	if target != "" {
		d.Field(th, "forwards", term.S(th.Dim, "to "), term.S(term.Plain, safe.Line(target)))
	}
	d.Blank()
	d.Text(th.Dim, "Nothing happens? The client must use this URL, not the server's, and be restarted.")
}

// ownTap says whether a live recording comes from the HTTP tap of this process.
func (m *Model) ownTap(r *library.Recording) bool {
	listen, _, _ := strings.Cut(r.Where, " → ")
	return r.Live && r.Tap == "http" && listen != "" && strings.Contains(m.opts.Hints.HTTPURL, listen)
}

// ago says how long ago something was.
func ago(d time.Duration) safe.Text {
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

func bytesText(n int64) safe.Text {
	if n < 1000 {
		return term.Size(n) + " bytes"
	}
	return term.Size(n) + "B"
}
