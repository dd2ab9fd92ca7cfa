package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/term"
)

// capsView shows what client and server say that they can do, side by side,
// and what of it they use.
type capsView struct {
	insightView
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
	sign   string
	signSt term.Style
	name   safe.Text
	nameSt term.Style
	said   []term.Seg // what it says, or how it stands
	used   int
	note   term.Seg
	n      uint64 // frame it comes from
	info   bool   // no capability: said has the whole line
}

type capsAnswer struct {
	sides insight.Sides
	known bool
	talks []int
}

func (v *capsView) area() area               { return inCaps }
func (v *capsView) refresh(m *Model) tea.Cmd { return m.wait(v) }
func (v *capsView) name() safe.Text          { return "capabilities" }
func (v *capsView) scroller() *scroller      { return &v.insightView.scroller }
func (v *capsView) told(m *Model) safe.Text {
	if len(v.talks) < 2 || m.list.Session >= 0 {
		return m.scopeWords()
	}
	return "session " + term.Number(v.sides.Session+1) + " of " + term.Number(len(m.list.Rec.Tracker.Sessions())) + "; ] and [ go to the others"
}

func (v *capsView) question(m *Model) question {
	q := m.askAbout(inCaps)
	q.pick = v.session
	return q
}

func (v *capsView) ask(q question, b *insight.Book) any {
	a := capsAnswer{talks: b.Talks()}
	at := q.in
	if at == library.AllSessions {
		at = q.pick
	}
	if at == library.AllSessions && len(a.talks) > 0 {
		at = a.talks[0]
	}
	a.sides, a.known = b.Sides(at)
	return a
}

func (v *capsView) take(m *Model, _ question, answer any) {
	a := answer.(capsAnswer)
	v.sides, v.known, v.talks, v.answered = a.sides, a.known, a.talks, true
	v.look = -1
}

// lay makes the lines anew when the theme has changed, or the answer.
func (v *capsView) lay(m *Model) {
	if v.look == m.look {
		return
	}
	v.look = m.look
	s := &v.sides
	v.all = [2][]capLine{clientLines(m, s), serverLines(m, s)}
	for i := range s.Capabilities {
		c := &s.Capabilities[i]
		side := 0
		if c.Server {
			side = 1
		}
		v.all[side] = append(v.all[side], capabilityLine(m, s, c))
	}
}

func infoLine(m *Model, n uint64, name safe.Text, said ...term.Seg) capLine {
	return capLine{name: name, nameSt: m.th.Dim, said: said, n: n, info: true}
}

func clientLines(m *Model, s *insight.Sides) (out []capLine) {
	c := &s.Client
	if c.Info != 0 {
		out = append(out, infoLine(m, c.Info, "name", term.S(term.Bold, sideName(c))))
	}
	if c.ProtocolVersion != "" {
		out = append(out, infoLine(m, c.N, "asked for", term.S(term.Plain, safe.Line(c.ProtocolVersion))))
	}
	switch {
	case s.Modern:
		st := term.Plain
		if s.Envelopes < s.Requests {
			st = m.th.Warn
		}
		out = append(out, infoLine(m, c.N, "declares", term.S(st, "with "+term.Number(s.Envelopes)+" of "+term.Count(s.Requests, "request")), term.S(m.th.Dim, ", in _meta")))
		if s.Traced > 0 {
			out = append(out, infoLine(m, 0, "traced", term.S(term.Plain, term.Count(s.Traced, "request")+" with a traceparent")))
		}
	case c.N == 0:
		out = append(out, infoLine(m, 0, "", term.S(m.th.Warn, "initialize was not seen: what it declared is not known")))
	}
	return out
}

func serverLines(m *Model, s *insight.Sides) (out []capLine) {
	d := &s.Server
	if d.Info != 0 {
		out = append(out, infoLine(m, d.Info, "name", term.S(term.Bold, sideName(d))))
	}
	if d.ProtocolVersion != "" {
		segs := []term.Seg{term.S(term.Plain, safe.Line(d.ProtocolVersion))}
		if s.Client.ProtocolVersion != "" && d.ProtocolVersion != s.Client.ProtocolVersion {
			segs[0].Style = m.th.Warn
			segs = append(segs, term.S(m.th.Dim, ", another one than asked for"))
		}
		out = append(out, infoLine(m, d.N, "chose", segs...))
	}
	if d.Supported != "" {
		out = append(out, infoLine(m, d.N, "speaks", term.S(term.Plain, safe.Line(d.Supported))))
	}
	if d.Instructions != "" {
		out = append(out, infoLine(m, d.N, "says", term.S(m.th.JsonString, safe.Line(strings.Join(strings.Fields(d.Instructions), " ")))))
	}
	switch {
	case d.N != 0:
	case s.Refused != 0:
		out = append(out, infoLine(m, s.Refused, "", term.S(m.th.Err, "it refused the handshake ("+frameRef(s.Refused)+"): it declared nothing")))
	case s.Modern:
		out = append(out, infoLine(m, 0, "", term.S(m.th.Dim, "nobody asked server/discover: what it declares is not known")))
	default:
		out = append(out, infoLine(m, 0, "", term.S(m.th.Warn, "no answer to initialize was seen: what it declares is not known")))
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
func capabilityLine(m *Model, s *insight.Sides, c *insight.Capability) capLine {
	l := capLine{sign: m.sg.Dot, signSt: m.th.Dim, name: safe.Line(c.Name), nameSt: m.th.Dim, used: c.Used, n: c.N}
	unknown := s.Client.N == 0 && !c.Server || s.Server.N == 0 && c.Server
	switch {
	case c.Declared && (c.Used > 0 || c.Unknown):
		l.sign, l.signSt, l.nameSt = m.sg.Ok, m.th.Ok, term.Plain
	case c.Declared:
		l.sign, l.signSt, l.nameSt = m.sg.Ended, m.th.Ok, term.Plain
		l.note = term.S(m.th.Dim, "never used")
	case unknown:
		l.sign = "?"
		if c.Used > 0 {
			l.nameSt = term.Plain
		}
	case c.Undeclared():
		l.sign, l.signSt, l.nameSt = m.sg.Warn, m.th.Warn, term.Plain
		l.note = term.S(m.th.Warn, "not declared")
		l.n = c.First
	}
	if c.Elsewhere {
		l.sign, l.note = m.sg.Ended, term.S(m.th.Dim, "not of this revision")
	}
	if c.Value != "" {
		l.note = term.S(m.th.Dim, safe.Line(c.Value))
	}
	switch {
	case c.Declared:
		l.said = []term.Seg{term.S(m.th.Ok, "declared")}
	case unknown:
		l.said = []term.Seg{term.S(m.th.Dim, "unknown")}
	default:
		l.said = []term.Seg{term.S(m.th.Dim, "no")}
	}
	return l
}

func (v *capsView) do(m *Model, a action) (tea.Cmd, bool) {
	switch a {
	case actOpen:
		l := v.selected()
		switch {
		case l == nil:
			return nil, true
		case l.n == 0 && l.used > 0:
			return m.complain("nothing declares it"), true
		case l.n == 0:
			return m.complain("it was not declared"), true
		}
		return m.jump(m.list.Rec, l.n), true
	case actNextPane:
		v.turn()
	case actNextProblem, actPrevProblem:
		return v.other(m, a == actNextProblem), true
	case actCopyReport:
		return v.copy(m), true
	default:
		return nil, false
	}
	return nil, true
}

// turn goes to the other side.
func (v *capsView) turn() {
	s := &v.insightView.scroller
	v.side = 1 - v.side
	if !v.beside {
		s.sel = 1
		if v.side == 1 {
			s.sel = len(v.all[0]) + 3
		}
	}
	s.move(0)
}

// other shows another session of the recording.
func (v *capsView) other(m *Model, next bool) tea.Cmd {
	if len(v.talks) < 2 || m.list.Session >= 0 {
		return m.say("there is no other session to show")
	}
	i := slices.Index(v.talks, v.sides.Session)
	step := 1
	if !next {
		step = -1
	}
	v.session = v.talks[(max(i, 0)+step+len(v.talks))%len(v.talks)]
	return nil
}

func (v *capsView) copy(m *Model) tea.Cmd {
	raw, what := v.sides.Client.Caps, "capabilities of the client"
	if v.side == 1 {
		raw, what = v.sides.Server.Caps, "capabilities of the server"
	}
	if text, ok := wire.Indent(raw, ""); ok {
		raw = text
	}
	return clipboard(m, string(raw), what)
}

func (v *capsView) useful(m *Model, b binding) bool {
	switch b.do {
	case actNextProblem, actPrevProblem:
		return len(v.talks) > 1 && m.list.Session < 0
	case actOpen:
		l := v.selected()
		return l != nil && l.n != 0
	}
	return true
}

func (v *capsView) state(m *Model) []term.Seg {
	if !v.answered || !v.known {
		return m.shelfState()
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
	dot := safe.Text(" " + m.sg.Dot + " ")
	out := []term.Seg{term.S(m.th.Dim, term.Number(declared)+" declared"+dot+term.Number(used)+" used")}
	if odd > 0 {
		out = append(out, term.S(m.th.Dim, dot), term.S(m.th.Warn, term.Number(odd)+" not declared"))
	}
	return out
}
