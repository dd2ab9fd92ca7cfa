package insight

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/document"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
	"midwire/ui/view/reading"
)

// sessionView is one page of text about a session: who talks to whom, in which protocol
// version, what both sides declare and use, and its event streams.
type sessionView struct {
	base
	lines   view.Scroller
	session int // that is shown, where the list shows several; library.AllSessions for the first
	talks   []int
	sides   insight.Sides
	known   bool
	streams []insight.Stream
	left    int // streams that are not kept
}

// NewSession is the page of a session.
func NewSession(r *reading.Reader) view.View {
	return &sessionView{base: base{reader: r}, session: library.AllSessions, lines: view.Scroller{Page: true}}
}

func (v *sessionView) Area() keymap.Area           { return keymap.Session }
func (v *sessionView) Refresh(h view.Host) tea.Cmd { return v.reader.Refresh(h, v) }
func (v *sessionView) Name() safe.Text             { return "session" }
func (v *sessionView) Scroller() *view.Scroller    { return &v.lines }
func (v *sessionView) State(h view.Host) []term.Seg {
	return v.reader.State(h.Scene())
}

func (v *sessionView) Click(view.Host, int, int) tea.Cmd { return nil }

func (v *sessionView) Told(h view.Host) safe.Text {
	if len(v.talks) < 2 || h.Scope().Session >= 0 {
		return scopeWords(h.Scope())
	}
	return "session " + term.Number(v.sides.Session+1) + " of " + term.Number(len(h.Scope().Rec.Tracker.Sessions())) + "; J and K show the others"
}

func (v *sessionView) Question(h view.Host) reading.Question {
	q := reading.Question{Scope: h.Scope()}
	q.Pick = v.session
	return q
}

func (v *sessionView) Ask(q reading.Question, b *insight.Book) func(view.Host) {
	at, talks := q.Session, b.Talks()
	if at == library.AllSessions {
		at = q.Pick
	}
	if at == library.AllSessions && len(talks) > 0 {
		at = talks[0]
	}
	sides, known := b.Sides(at)
	streams, left := b.Streams(at)
	return func(view.Host) {
		v.sides, v.known, v.talks, v.streams, v.left, v.answered = sides, known, talks, streams, left, true
	}
}

func (v *sessionView) Commands(h view.Host) []keymap.Command {
	others := keymap.Unless(len(v.talks) > 1 && h.Scope().Session < 0, "there is no other session to show")
	next := keymap.Lanes("session", keymap.When(others() == "", "session"), others, keymap.Step(func(step int) {
		i := slices.Index(v.talks, v.sides.Session)
		v.session = v.talks[(max(i, 0)+step+len(v.talks))%len(v.talks)]
	}))
	unread := keymap.Unless(v.answered, "the recording is still being read")
	return []keymap.Command{
		next[0], next[1],
		keymap.Copy("copy the page", "copy", unread, func() tea.Cmd {
			d := v.page(h.Scene(), document.Unbroken)
			return h.Copy(d.Plain(), "page of the session")
		}),
	}
}

func (v *sessionView) Draw(_ view.Host, sc *library.Scene, w, h int) []string {
	p := term.Panel{Name: title(sc, "Session"), Focus: true}
	iw, ih := p.Inner(&sc.Screen, w, h)
	if v.answered {
		hue := sc.Rec.Hue(sc.Theme, v.sides.Session)
		p.Name = append(p.Name, term.S(sc.Theme.Dim, " "), term.S(hue, sc.Rec.SessionName(v.sides.Session)))
	}
	d := v.page(sc, iw-2)
	body := view.Text(sc, &d, &v.lines, iw, ih)
	p.State = v.lines.Seen(sc)
	return p.Draw(&sc.Screen, w, h, body)
}

// page is the text, in lines of so many cells.
func (v *sessionView) page(sc *library.Scene, w int) document.Doc {
	d := document.Doc{Width: w}
	switch {
	case view.Unread(sc, &d, sc.Rec, v.answered):
		return d
	case !v.known && len(v.streams) == 0:
		d.Text(term.Plain, "No client has sent a request yet.")
		d.Text(sc.Theme.Dim, "Both sides say what they can do in initialize; since 2026-07-28, in every request.")
		view.GoesBack(sc, &d)
		return d
	case v.known:
		v.side(sc, &d, &v.sides.Client)
		v.side(sc, &d, &v.sides.Server)
	}
	v.streamLines(sc, &d)
	return d
}

// side says who a side is, which protocol versions it named, what it declares and uses.
func (v *sessionView) side(sc *library.Scene, d *document.Doc, s *insight.Side) {
	th, head := sc.Theme, safe.Text("CLIENT")
	if s == &v.sides.Server {
		head = "SERVER"
	}
	name := safe.Line(s.Name)
	if s.Title != "" && s.Title != s.Name {
		name += " (" + safe.Line(s.Title) + ")"
	}
	if s.Info == 0 {
		name = "name unknown"
	}
	d.Add(term.S(th.Faint, head+"  "), term.S(term.Bold, name+" "+safe.Line(s.Version)))
	for _, line := range v.versions(sc, s) {
		d.AddLike(margin(2), 2, line...)
	}
	for _, rank := range []int{undeclared, elsewhere, used, unused} {
		for i := range v.sides.Capabilities {
			if c := &v.sides.Capabilities[i]; c.Server == (s == &v.sides.Server) && v.rank(c) == rank {
				d.AddLike(margin(2), 26, v.capability(sc, c)...)
			}
		}
	}
	if s.Instructions != "" {
		d.AddLike(margin(2), 0, term.S(th.Dim, "instructions"))
		for line := range strings.Lines(s.Instructions) {
			text := safe.Line(strings.TrimRight(line, "\r\n"))
			d.AddLike(margin(4), 0, term.S(th.JSONString, text))
		}
	}
	d.Blank()
}

func margin(n int) document.Line {
	return document.Line{Segs: []term.Seg{term.S(term.Plain, safe.Repeat(" ", n))}}
}

func (v *sessionView) versions(sc *library.Scene, s *insight.Side) (out [][]term.Seg) {
	th, all, client := sc.Theme, &v.sides, s == &v.sides.Client
	say := func(st term.Style, t safe.Text) { out = append(out, []term.Seg{term.S(st, t)}) }
	version := safe.Line(s.ProtocolVersion)
	switch {
	case version == "":
	case client:
		say(term.Plain, "requested version "+version)
	case all.Client.ProtocolVersion != "" && s.ProtocolVersion != all.Client.ProtocolVersion:
		say(th.Warn, "chosen version "+version+" "+sc.Glyphs.Warn+" not the requested one")
	default:
		say(term.Plain, "chosen version "+version)
	}
	if s.Supported != "" {
		say(term.Plain, "supported versions "+safe.Line(s.Supported))
	}
	switch {
	case client && all.Modern:
		say(term.Plain, "declared in _meta of "+term.Number(all.Envelopes)+" of "+term.Count(all.Requests, "request"))
		if all.Traced > 0 {
			say(term.Plain, "traceparent in "+term.Count(all.Traced, "request"))
		}
	case s.N != 0:
	case client:
		say(th.Warn, "initialize was not seen: its capabilities are unknown")
	case all.Refused != 0:
		say(th.Err, sc.Glyphs.Err+" refused the handshake in "+view.FrameRef(all.Refused)+": it declared nothing")
	case all.Modern:
		say(th.Dim, "server/discover was not requested: its capabilities are unknown")
	default:
		say(th.Warn, "no response to initialize was seen: its capabilities are unknown")
	}
	return out
}

// The order of capabilities: what does not fit first. Those that are neither declared nor
// used are left out.
const (
	undeclared = iota
	elsewhere
	used
	unused
	absent
)

func (v *sessionView) rank(c *insight.Capability) int {
	switch {
	case c.Undeclared():
		return undeclared
	case c.Elsewhere:
		return elsewhere
	case c.Used > 0, c.Declared && c.Unknown:
		return used
	case c.Declared:
		return unused
	}
	return absent
}

func (v *sessionView) capability(sc *library.Scene, c *insight.Capability) []term.Seg {
	th, sg, silent := sc.Theme, sc.Glyphs, v.sides.Client.N == 0
	if c.Server {
		silent = v.sides.Server.N == 0
	}
	sign, st, state := sg.Ok, th.Ok, safe.Text("declared")
	switch v.rank(c) {
	case undeclared:
		sign, st, state = sg.Err, th.Err, "not declared"
		if silent {
			sign, st, state = "?", th.Dim, "unknown"
		}
	case elsewhere:
		sign, st, state = sg.Warn, th.Warn, "declared, not of this version"
	case unused:
		sign, st, state = sg.Ended, th.Dim, "declared, never used"
	}
	if c.Used > 0 {
		state += ", used " + term.Number(c.Used) + sg.Times
	}
	if c.Undeclared() {
		state += ", first in " + view.FrameRef(c.First)
	}
	for _, more := range []string{c.Extension, c.Value} {
		if more != "" {
			state += ", " + safe.Line(more)
		}
	}
	name := safe.Line(c.Name)
	pad := safe.Repeat(" ", max(24-term.Width(name), 2))
	if st != th.Err {
		return []term.Seg{term.S(st, sign+" "), term.S(term.Plain, name+pad), term.S(th.Dim, state)}
	}
	return []term.Seg{term.S(st, sign+" "), term.S(term.Plain, name+pad), term.S(st, state)}
}

// maxStreams is how many streams the page has lines for.
const maxStreams = 200

// streamLines say of each stream when it was opened, who closed it, and how long nothing
// came in it.
func (v *sessionView) streamLines(sc *library.Scene, d *document.Doc) {
	th := sc.Theme
	head := []term.Seg{term.S(th.Faint, "STREAMS  "), term.S(term.Bold, term.Count(len(v.streams)+v.left, "event stream"))}
	switch {
	case len(v.streams) > 0:
	case sc.Rec.Tap == "stdio":
		head = append(head, term.S(th.Dim, ": stdio has none"))
	default:
		head = append(head, term.S(th.Dim, ": every response was a plain body, and no client listened with GET"))
	}
	d.Add(head...)
	for i := range v.streams[:min(len(v.streams), maxStreams)] {
		s := &v.streams[i]
		what := safe.Line(strings.TrimSpace(s.Kind.String() + " " + s.What))
		d.AddLike(margin(2), 6, term.S(th.Note, view.FrameRef(s.Request)+" "), term.S(term.Plain, what))
		d.AddLike(margin(4), 2, streamFacts(sc, s)...)
	}
	if more := len(v.streams) + v.left - maxStreams; more > 0 {
		d.AddLike(margin(2), 0, term.S(th.Dim, term.Count(more, "more stream")))
	}
}

func streamFacts(sc *library.Scene, s *insight.Stream) []term.Seg {
	at := func(t int64) safe.Text { return term.Seconds(max(0, t-sc.Base)) + "s" }
	by := [...]safe.Text{"", " by the client", " by the server", " by midwire"}
	who := by[max(0, slices.Index([]string{"", wire.ByClient, wire.ByServer, wire.ByUs}, s.By))]
	end, st := "closed"+who+" at "+at(s.EndedT), term.Plain
	switch {
	case s.Open() && sc.Rec.Live:
		end, st = "still open", sc.Theme.Ok
	case s.Open():
		end = "not closed in the recording"
	case !s.Clean:
		end, st = "cut"+who+" at "+at(s.EndedT), sc.Theme.Warn
	}
	more := ", " + term.Count(s.Messages, "message")
	if s.Comments > 0 {
		more += ", " + term.Count(s.Comments, "heartbeat")
	}
	more += ", longest silence " + term.Duration(s.Gap) + " from " + at(s.GapT)
	switch id := safe.Line(s.Resumes); {
	case s.Of != 0:
		more += ", continues the stream of " + view.FrameRef(s.Of) + " after event " + id
	case id != "":
		more += ", continues after event " + id + ", an id that no stream had"
	}
	if s.LastID == "" {
		more += ", no event ids: it cannot be resumed"
	}
	return []term.Seg{term.S(term.Plain, "opened at "+at(s.OpenedT)+", "), term.S(st, end), term.S(sc.Theme.Dim, more)}
}
