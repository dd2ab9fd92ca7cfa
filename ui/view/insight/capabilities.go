package insight

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// capabilitiesView shows what client and server say that they can do, side by side,
// and what of it they use.
type capabilitiesView struct {
	base
	session int // that is shown, where the list shows several; wholeRecording for the first
	talks   []int
	sides   insight.Sides
	known   bool
	side    int // that has the selection
	look    int
	all     [2][]capLine
	beside  bool // both fit beside each other
}

// capLine is one line of a side.
type capLine struct {
	sign   safe.Text
	signSt term.Style
	name   safe.Text
	nameSt term.Style
	said   []term.Seg // what it says, or how it stands
	used   int
	note   term.Seg
	n      uint64 // frame it comes from
	info   bool   // no capability: said has the whole line
}

type capabilitiesAnswer struct {
	sides insight.Sides
	known bool
	talks []int
}

func (v *capabilitiesView) Area() keymap.Area           { return keymap.Capabilities }
func (v *capabilitiesView) Refresh(h view.Host) tea.Cmd { return v.reader.refresh(h, v) }
func (v *capabilitiesView) Name() safe.Text             { return "capabilities" }
func (v *capabilitiesView) Scroller() *view.Scroller    { return &v.lines }
func (v *capabilitiesView) Told(h view.Host) safe.Text {
	if len(v.talks) < 2 || h.Scope().Session >= 0 {
		return scopeWords(h.Scope())
	}
	return "session " + term.Number(v.sides.Session+1) + " of " + term.Number(len(h.Scope().Rec.Tracker.Sessions())) + "; ] and [ go to the others"
}

func (v *capabilitiesView) question(h view.Host) question {
	q := question{Scope: h.Scope()}
	q.pick = v.session
	return q
}

func (v *capabilitiesView) ask(q question, b *insight.Book) any {
	a := capabilitiesAnswer{talks: b.Talks()}
	at := q.Session
	if at == library.AllSessions {
		at = q.pick
	}
	if at == library.AllSessions && len(a.talks) > 0 {
		at = a.talks[0]
	}
	a.sides, a.known = b.Sides(at)
	return a
}

func (v *capabilitiesView) accept(h view.Host, _ question, answer any) {
	a := answer.(capabilitiesAnswer)
	v.sides, v.known, v.talks, v.answered = a.sides, a.known, a.talks, true
	v.look = -1
}

// lay makes the lines anew when the theme has changed, or the answer.
func (v *capabilitiesView) lay(sc *library.Scene) {
	if v.look == sc.Look {
		return
	}
	v.look = sc.Look
	s := &v.sides
	v.all = [2][]capLine{clientLines(sc, s), serverLines(sc, s)}
	for i := range s.Capabilities {
		c := &s.Capabilities[i]
		side := 0
		if c.Server {
			side = 1
		}
		v.all[side] = append(v.all[side], capabilityLine(sc, s, c))
	}
}

func infoLine(sc *library.Scene, n uint64, name safe.Text, said ...term.Seg) capLine {
	return capLine{name: name, nameSt: sc.Theme.Dim, said: said, n: n, info: true}
}

func clientLines(sc *library.Scene, s *insight.Sides) (out []capLine) {
	c := &s.Client
	if c.Info != 0 {
		out = append(out, infoLine(sc, c.Info, "name", term.S(term.Bold, sideName(c))))
	}
	if c.ProtocolVersion != "" {
		out = append(out, infoLine(sc, c.N, "asked for", term.S(term.Plain, safe.Line(c.ProtocolVersion))))
	}
	switch {
	case s.Modern:
		st := term.Plain
		if s.Envelopes < s.Requests {
			st = sc.Theme.Warn
		}
		with := "with " + term.Number(s.Envelopes) + " of " + term.Count(s.Requests, "request")
		out = append(out, infoLine(sc, c.N, "declares", term.S(st, with), term.S(sc.Theme.Dim, ", in _meta")))
		if s.Traced > 0 {
			out = append(out, infoLine(sc, 0, "traced", term.S(term.Plain, term.Count(s.Traced, "request")+" with a traceparent")))
		}
	case c.N == 0:
		out = append(out, infoLine(sc, 0, "", term.S(sc.Theme.Warn, "initialize was not seen: what it declared is not known")))
	}
	return out
}

func serverLines(sc *library.Scene, s *insight.Sides) (out []capLine) {
	d := &s.Server
	if d.Info != 0 {
		out = append(out, infoLine(sc, d.Info, "name", term.S(term.Bold, sideName(d))))
	}
	if d.ProtocolVersion != "" {
		segs := []term.Seg{term.S(term.Plain, safe.Line(d.ProtocolVersion))}
		if s.Client.ProtocolVersion != "" && d.ProtocolVersion != s.Client.ProtocolVersion {
			segs[0].Style = sc.Theme.Warn
			segs = append(segs, term.S(sc.Theme.Dim, ", another one than asked for"))
		}
		out = append(out, infoLine(sc, d.N, "chose", segs...))
	}
	if d.Supported != "" {
		out = append(out, infoLine(sc, d.N, "speaks", term.S(term.Plain, safe.Line(d.Supported))))
	}
	if d.Instructions != "" {
		says := safe.Line(strings.Join(strings.Fields(d.Instructions), " "))
		out = append(out, infoLine(sc, d.N, "says", term.S(sc.Theme.JSONString, says)))
	}
	switch {
	case d.N != 0:
	case s.Refused != 0:
		out = append(out, infoLine(sc, s.Refused, "", term.S(sc.Theme.Err, "it refused the handshake ("+view.FrameRef(s.Refused)+"): it declared nothing")))
	case s.Modern:
		out = append(out, infoLine(sc, 0, "", term.S(sc.Theme.Dim, "server/discover was not requested: what it declares is not known")))
	default:
		out = append(out, infoLine(sc, 0, "", term.S(sc.Theme.Warn, "no response to initialize was seen: what it declares is not known")))
	}
	return out
}

func sideName(d *insight.Side) safe.Text {
	t := safe.Line(d.Name)
	if d.Title != "" && d.Title != d.Name {
		t += " (" + safe.Line(d.Title) + ")"
	}
	return t + " " + safe.Line(d.Version)
}

// capabilityLine is the line of one capability.
func capabilityLine(sc *library.Scene, s *insight.Sides, c *insight.Capability) capLine {
	dim := sc.Theme.Dim
	l := capLine{sign: sc.Glyphs.Dot, signSt: dim, name: safe.Line(c.Name), nameSt: dim, used: c.Used, n: c.N}
	unknown := s.Client.N == 0 && !c.Server || s.Server.N == 0 && c.Server
	switch {
	case c.Declared && (c.Used > 0 || c.Unknown):
		l.sign, l.signSt, l.nameSt = sc.Glyphs.Ok, sc.Theme.Ok, term.Plain
	case c.Declared:
		l.sign, l.signSt, l.nameSt = sc.Glyphs.Ended, sc.Theme.Ok, term.Plain
		l.note = term.S(sc.Theme.Dim, "never used")
	case unknown:
		l.sign = "?"
		if c.Used > 0 {
			l.nameSt = term.Plain
		}
	case c.Undeclared():
		l.sign, l.signSt, l.nameSt = sc.Glyphs.Warn, sc.Theme.Warn, term.Plain
		l.note = term.S(sc.Theme.Warn, "not declared")
		l.n = c.First
	}
	if c.Elsewhere {
		l.sign, l.note = sc.Glyphs.Ended, term.S(sc.Theme.Dim, "not of this version")
	}
	if c.Value != "" {
		l.note = term.S(sc.Theme.Dim, safe.Line(c.Value))
	}
	switch {
	case c.Declared:
		l.said = []term.Seg{term.S(sc.Theme.Ok, "declared")}
	case unknown:
		l.said = []term.Seg{term.S(sc.Theme.Dim, "unknown")}
	default:
		l.said = []term.Seg{term.S(sc.Theme.Dim, "no")}
	}
	return l
}

// NewCapabilities is the view of the capabilities of both sides.
func NewCapabilities(r *Reader) view.View {
	return &capabilitiesView{base: base{reader: r}, session: library.AllSessions}
}

func (v *capabilitiesView) Commands(h view.Host) []keymap.Command {
	others := keymap.Unless(len(v.talks) > 1 && h.Scope().Session < 0, "there is no other session to show")
	return []keymap.Command{
		{
			ID: "capabilities.open", Key: keymap.Bind("enter", "enter", "the message that declares it"), Hint: "declared", Group: keymap.Move, Why: v.whyNotOpen,
			Run: func() tea.Cmd { return h.Jump(h.Scope().Rec, v.selected().n) },
		},
		{ID: "capabilities.next-pane", Key: keymap.Bind("tab l h right left", "tab", "the other side"), Hint: "side", Group: keymap.Move, Run: keymap.Do(v.turn)},
		{
			ID: "capabilities.next-problem", Key: keymap.Bind("]", "] [", "next, previous session"), Title: "next session", Hint: "session",
			Group: keymap.Look, Why: others, Run: keymap.Do(func() { v.other(1) }),
		},
		{ID: "capabilities.previous-problem", Key: keymap.Bind("[", "", ""), Title: "previous session", Why: others, Run: keymap.Do(func() { v.other(-1) })},
		{ID: "capabilities.copy-report", Key: keymap.Bind("y", "y", "copy the capabilities of the side"), Hint: "copy", Group: keymap.Act, Run: func() tea.Cmd { return v.copy(h) }},
		{ID: "capabilities.back", Key: keymap.Bind("esc", "esc", "back to the messages"), Hint: "back", Group: keymap.Move, Run: func() tea.Cmd { return h.Run("global.back") }},
	}
}

// whyNotOpen says why there is no message that declares what is selected.
func (v *capabilitiesView) whyNotOpen() safe.Text {
	switch l := v.selected(); {
	case l == nil:
		return "nothing is selected"
	case l.n == 0 && l.used > 0:
		return "nothing declares it"
	case l.n == 0:
		return "it was not declared"
	}
	return ""
}

// turn goes to the other side.
func (v *capabilitiesView) turn() {
	s := &v.lines
	v.side = 1 - v.side
	if !v.beside {
		s.Sel = 1
		if v.side == 1 {
			s.Sel = len(v.all[0]) + 3
		}
	}
	s.Move(0)
}

// other shows another session of the recording.
func (v *capabilitiesView) other(step int) {
	i := slices.Index(v.talks, v.sides.Session)
	v.session = v.talks[(max(i, 0)+step+len(v.talks))%len(v.talks)]
}

func (v *capabilitiesView) copy(h view.Host) tea.Cmd {
	raw, what := v.sides.Client.Caps, "capabilities of the client"
	if v.side == 1 {
		raw, what = v.sides.Server.Caps, "capabilities of the server"
	}
	if text, ok := wire.Indent(raw, ""); ok {
		raw = text
	}
	return h.Copy(string(raw), what)
}

func (v *capabilitiesView) State(h view.Host) []term.Seg {
	sc := h.Scene()
	if !v.answered || !v.known {
		return v.reader.state(sc)
	}
	declared, used, odd := 0, 0, 0
	for i := range v.sides.Capabilities {
		c := &v.sides.Capabilities[i]
		side := &v.sides.Client
		if c.Server {
			side = &v.sides.Server
		}
		switch {
		case c.Declared:
			declared++
		case c.Undeclared() && side.N != 0:
			odd++
		}
		if c.Declared && c.Used > 0 {
			used++
		}
	}
	dot := " " + sc.Glyphs.Dot + " "
	out := []term.Seg{term.S(sc.Theme.Dim, term.Number(declared)+" declared"+dot+term.Number(used)+" used")}
	if odd > 0 {
		out = append(out, term.S(sc.Theme.Dim, dot), term.S(sc.Theme.Warn, term.Number(odd)+" not declared"))
	}
	return out
}
