package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/session/wire"
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
	signSt style
	name   safe.Text
	nameSt style
	said   []seg // what it says, or how it stands
	used   int
	note   seg
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
	if len(v.talks) < 2 || m.list.session >= 0 {
		return m.scopeWords()
	}
	return "session " + number(v.sides.Session+1) + " of " + number(len(m.list.rec.t.Sessions())) + "; ] and [ go to the others"
}

func (v *capsView) question(m *Model) question {
	q := m.askAbout(inCaps)
	q.pick = v.session
	return q
}

func (v *capsView) ask(q question, b *insight.Book) any {
	a := capsAnswer{talks: b.Talks()}
	at := q.in
	if at == wholeRecording {
		at = q.pick
	}
	if at == wholeRecording && len(a.talks) > 0 {
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

func infoLine(m *Model, n uint64, name safe.Text, said ...seg) capLine {
	return capLine{name: name, nameSt: m.th.dim, said: said, n: n, info: true}
}

func clientLines(m *Model, s *insight.Sides) (out []capLine) {
	c := &s.Client
	if c.Info != 0 {
		out = append(out, infoLine(m, c.Info, "name", seg{bold, sideName(c)}))
	}
	if c.ProtocolVersion != "" {
		out = append(out, infoLine(m, c.N, "asked for", seg{plain, safe.Line(c.ProtocolVersion)}))
	}
	switch {
	case s.Modern:
		st := plain
		if s.Envelopes < s.Requests {
			st = m.th.warn
		}
		out = append(out, infoLine(m, c.N, "declares", seg{st, "with " + number(s.Envelopes) + " of " + count(s.Requests, "request")}, seg{m.th.dim, ", in _meta"}))
		if s.Traced > 0 {
			out = append(out, infoLine(m, 0, "traced", seg{plain, count(s.Traced, "request") + " with a traceparent"}))
		}
	case c.N == 0:
		out = append(out, infoLine(m, 0, "", seg{m.th.warn, "initialize was not seen: what it declared is not known"}))
	}
	return out
}

func serverLines(m *Model, s *insight.Sides) (out []capLine) {
	d := &s.Server
	if d.Info != 0 {
		out = append(out, infoLine(m, d.Info, "name", seg{bold, sideName(d)}))
	}
	if d.ProtocolVersion != "" {
		segs := []seg{{plain, safe.Line(d.ProtocolVersion)}}
		if s.Client.ProtocolVersion != "" && d.ProtocolVersion != s.Client.ProtocolVersion {
			segs[0].st = m.th.warn
			segs = append(segs, seg{m.th.dim, ", another one than asked for"})
		}
		out = append(out, infoLine(m, d.N, "chose", segs...))
	}
	if d.Supported != "" {
		out = append(out, infoLine(m, d.N, "speaks", seg{plain, safe.Line(d.Supported)}))
	}
	if d.Instructions != "" {
		out = append(out, infoLine(m, d.N, "says", seg{m.th.jsonString, safe.Line(strings.Join(strings.Fields(d.Instructions), " "))}))
	}
	switch {
	case d.N != 0:
	case s.Refused != 0:
		out = append(out, infoLine(m, s.Refused, "", seg{m.th.err, "it refused the handshake (" + frameRef(s.Refused) + "): it declared nothing"}))
	case s.Modern:
		out = append(out, infoLine(m, 0, "", seg{m.th.dim, "nobody asked server/discover: what it declares is not known"}))
	default:
		out = append(out, infoLine(m, 0, "", seg{m.th.warn, "no answer to initialize was seen: what it declares is not known"}))
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
	l := capLine{sign: m.sg.dot, signSt: m.th.dim, name: safe.Line(c.Name), nameSt: m.th.dim, used: c.Used, n: c.N}
	unknown := s.Client.N == 0 && !c.Server || s.Server.N == 0 && c.Server
	switch {
	case c.Declared && (c.Used > 0 || c.Unknown):
		l.sign, l.signSt, l.nameSt = m.sg.ok, m.th.ok, plain
	case c.Declared:
		l.sign, l.signSt, l.nameSt = m.sg.ended, m.th.ok, plain
		l.note = seg{m.th.dim, "never used"}
	case unknown:
		l.sign = "?"
		if c.Used > 0 {
			l.nameSt = plain
		}
	case c.Undeclared():
		l.sign, l.signSt, l.nameSt = m.sg.warn, m.th.warn, plain
		l.note = seg{m.th.warn, "not declared"}
		l.n = c.First
	}
	if c.Elsewhere {
		l.sign, l.note = m.sg.ended, seg{m.th.dim, "not of this revision"}
	}
	if c.Value != "" {
		l.note = seg{m.th.dim, safe.Line(c.Value)}
	}
	switch {
	case c.Declared:
		l.said = []seg{{m.th.ok, "declared"}}
	case unknown:
		l.said = []seg{{m.th.dim, "unknown"}}
	default:
		l.said = []seg{{m.th.dim, "no"}}
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
		return m.jump(m.list.rec, l.n), true
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
	if len(v.talks) < 2 || m.list.session >= 0 {
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
		return len(v.talks) > 1 && m.list.session < 0
	case actOpen:
		l := v.selected()
		return l != nil && l.n != 0
	}
	return true
}

func (v *capsView) state(m *Model) []seg {
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
	dot := safe.Text(" " + m.sg.dot + " ")
	out := []seg{{m.th.dim, number(declared) + " declared" + dot + number(used) + " used"}}
	if odd > 0 {
		out = append(out, seg{m.th.dim, dot}, seg{m.th.warn, number(odd) + " not declared"})
	}
	return out
}
