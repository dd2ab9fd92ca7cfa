package ui

import (
	"strings"
	"time"

	"midwire/session"
	"midwire/session/safe"
)

// drawCard says in words what the selected line of the session tree stands
// for, and what can be done about it.
func (m *Model) drawCard(sc *scene) []string {
	r := m.lay.card
	if r.h == 0 {
		return nil
	}
	c := m.describeChoice(sc, r.w-6, r.h > cardHeight)
	out := []string{m.title(r.w, c.name, false, c.hint...).finish()}
	lines := c.doc.lines
	if spare := r.h - 2 - len(lines); spare > 2 {
		lines = append([]docLine{{}}, lines...)
	}
	for i := 0; i < len(lines) && len(out) < r.h; i++ {
		l := newLine(r.w, &m.sg)
		lines[i].draw(l.gap(3), &m.th)
		out = append(out, l.finish())
	}
	return append(out, blanks(r.h-len(out), r.w)...)
}

// choice is the words about one line of the session tree.
type choice struct {
	name safe.Text
	hint []seg // what to press, for the title
	doc  doc
}

func (m *Model) describeChoice(sc *scene, w int, large bool) choice {
	n, r := m.tree.selected(), m.list.rec
	if n != nil && m.lay.tree.w > 0 {
		r = m.rec(n.rec)
	}
	c := choice{name: "Recording", doc: doc{w: w}}
	switch {
	case r == nil && n == nil:
		c.doc.text(plain, "Choose a session.")
	case r == nil:
		c.name = "Group"
		c.doc.text(plain, number(n.count)+" below, enter folds and unfolds")
	case r.Live && !r.loaded():
		c.name = "Waiting"
		if m.ownTap(r) {
			c.hint = []seg{{m.th.key, "y "}, {m.th.dim, "copies the URL"}}
		}
		m.waitingDoc(&c.doc, r)
	case n != nil && r.session(n.sess) != nil:
		c.name, c.hint = "Session", m.pressEnter("shows its messages")
		c.doc.session(sc, r, r.session(n.sess))
	default:
		c.hint = m.pressEnter("shows its messages")
		if r.broken() {
			c.hint = []seg{{m.th.warn, "this recording cannot be opened"}}
		} else if !r.asked {
			c.hint = m.pressEnter("opens this recording")
		}
		if large {
			c.doc.text(bold, r.name())
			c.doc.blank()
		}
		c.doc.recording(sc, r)
		if large {
			c.doc.blank()
			c.doc.add(c.hint...)
			c.hint = nil
		}
	}
	return c
}

func (m *Model) pressEnter(what safe.Text) []seg {
	return []seg{{m.th.key, "enter "}, {m.th.dim, what}}
}

// recording says what is known of a recording before it is read.
func (d *doc) recording(sc *scene, r *recording) {
	th := sc.th
	if r.Trouble != "" {
		d.field(th, "trouble", seg{th.warn, safe.Text(sc.sg.warn+" ") + r.trouble()})
	}
	switch {
	case r.Where == "":
	case r.Tap == "http":
		from, to, found := strings.Cut(r.Where, " → ")
		if found {
			d.field(th, "listens", seg{plain, safe.Line(from)})
			d.field(th, "forwards", seg{th.dim, "to "}, seg{plain, safe.Line(to)})
		} else {
			d.field(th, "http", seg{plain, safe.Line(r.Where)})
		}
	default:
		d.field(th, "command", seg{plain, safe.Line(r.Where)})
		d.field(th, "tap", seg{plain, "stdio"}, seg{th.dim, "   the pipes of a server process"})
	}
	if !r.Started.IsZero() {
		d.field(th, "started", seg{plain, safe.Text(r.Started.Local().Format("2006-01-02 15:04:05"))},
			seg{th.dim, "   " + ago(sc.now.Sub(r.Started))})
	}
	d.field(th, "size", seg{plain, bytesText(r.Size)})
	state := seg{th.dim, "ended"}
	if r.Live {
		state = seg{th.ok, "live: a tap is writing it"}
	}
	if r.asked && r.loaded() {
		state.t += ", " + count(len(r.t.Sessions()), "session")
	}
	d.field(th, "state", state)
}

// session says who talks in a session and how it goes.
func (d *doc) session(sc *scene, r *recording, s *session.Session) {
	th := sc.th
	d.field(th, "between", seg{plain, peerOr(s.Client, "client")}, seg{th.dim, safe.Text(" " + sc.sg.arrow + " ")}, seg{plain, peerOr(s.Server, "server")})
	id := safe.Line(s.ID)
	if id == "" {
		id = "no id on the wire"
	}
	if name := r.calledSession(s); name != "" {
		d.field(th, "name", seg{bold, safe.Line(name)})
	}
	d.field(th, "session", seg{plain, id}, seg{th.dim, "   by " + safe.Line(s.Why)})
	if s.ID != "" {
		d.field(th, "", seg{th.dim, "the id " + idOrigin(s.IDSource)})
	}
	rev := string(s.ProtocolVersion)
	if rev == "" {
		rev = "unknown"
	}
	d.field(th, "revision", seg{plain, safe.Line(rev)}, seg{th.dim, safe.Text("   " + s.Transport.String())})
	d.field(th, "state", seg{plain, safe.Text(s.State.String())})
	msgs := []seg{{plain, number(s.Messages)}}
	if s.Errors > 0 {
		msgs = append(msgs, seg{th.err, "   " + number(s.Errors) + " failed"})
	}
	if s.Pending > 0 {
		msgs = append(msgs, seg{th.pend, "   " + number(s.Pending) + " waiting"})
	}
	d.field(th, "messages", msgs...)
	d.field(th, "recording", seg{th.dim, r.name() + "   " + safe.Line(r.Where)})
}

// waitingDoc says how to get the first message into a live recording.
func (m *Model) waitingDoc(d *doc, r *recording) {
	th := &m.th
	if r.Tap != "http" {
		d.text(bold, "The server runs. Nothing was said yet.")
		d.blank()
		d.field(th, "command", seg{plain, safe.Line(r.Where)})
		d.blank()
		d.text(th.dim, "Messages appear here as soon as the client speaks.")
		return
	}
	d.text(bold, "No client has connected yet.")
	d.blank()
	listen, target, _ := strings.Cut(r.Where, " → ")
	if m.ownTap(r) {
		d.field(th, "clients", seg{bold, safe.Line(m.opts.Hints.HTTPURL)})
		target = m.opts.Hints.Upstream
	} else {
		d.field(th, "clients", seg{th.dim, "connect to "}, seg{plain, safe.Line(listen)})
	}
	if target != "" {
		d.field(th, "forwards", seg{th.dim, "to "}, seg{plain, safe.Line(target)})
	}
	d.blank()
	d.text(th.dim, "Nothing happens? The client must use this URL, not the server's, and be restarted.")
}

// ownTap says whether a live recording comes from the HTTP tap of this process.
func (m *Model) ownTap(r *recording) bool {
	listen, _, _ := strings.Cut(r.Where, " → ")
	return r.Live && r.Tap == "http" && listen != "" && strings.Contains(m.opts.Hints.HTTPURL, listen)
}

// ago says how long ago something was.
func ago(d time.Duration) safe.Text {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return count(int(d.Minutes()), "minute") + " ago"
	case d < 48*time.Hour:
		return count(int(d.Hours()), "hour") + " ago"
	}
	return count(int(d.Hours()/24), "day") + " ago"
}

func bytesText(n int64) safe.Text {
	if n < 1000 {
		return size(n) + " bytes"
	}
	return size(n) + "B"
}
