package session

import (
	"strconv"

	"midwire/session/words"
)

// refresh makes the steps of a session again.
func (g *group) refresh() {
	g.dirty = false
	if g.Modern {
		g.Steps = g.modernSteps(g.Steps[:0])
	} else {
		g.Steps = g.legacySteps(g.Steps[:0])
	}
}

// Became stands between the protocol version that a client requested and another
// one that it got.
const Became = "→"

// did is a step that happened, or else is ahead.
func did(name string, m mark, note string) LifeStep {
	s := LifeStep{Name: name, Frame: m.frame, T: m.t, Note: note}
	if m.set() {
		s.Mark = StepDone
	}
	return s
}

func (g *group) beginStep() LifeStep {
	name := "connect"
	if g.Transport == TransportStdio {
		name = "spawn"
	}
	s := did(name, g.life.begin, "")
	s.Mark = StepDone // everything seen passed it
	if g.life.beginBad != "" {
		s.Mark, s.Note = StepBad, g.life.beginBad
	}
	return s
}

func (g *group) legacySteps(steps []LifeStep) []LifeStep {
	l := &g.life
	steps = append(steps, g.beginStep())
	if g.Transport == TransportSSE {
		steps = append(steps, did("endpoint", l.endpoint, ""))
	}
	if l.probed || l.discover.set() {
		s := did("discover", l.discover, l.discoverBad)
		s.Took = l.discoverTook
		if l.discoverBad != "" {
			// A refused probe is how a client learns to use the handshake.
			s.Mark = StepSkipped
		}
		steps = append(steps, s)
	}
	steps = append(steps, g.initStep())
	if g.Transport == TransportHTTP && g.ID != "" && g.IDSource != IDMeta {
		steps = append(steps, g.issuedStep())
	}
	steps = append(steps, g.initializedStep())
	if g.Transport == TransportHTTP && g.ID != "" && g.IDSource != IDMeta {
		steps = append(steps, g.sentBackStep())
	}
	operating := did(StepOperating, g.life.operating, "")
	if g.State == StateOperating {
		operating.Mark = StepNow
	}
	return append(steps, operating, g.closedStep())
}

func (g *group) initStep() LifeStep {
	l := &g.life
	s := did("initialize", l.initSent, "")
	switch {
	case !l.initSent.set() && l.early.set() && l.earlyRefused:
		s.Mark, s.Note, s.Frame, s.T = StepBad, "skipped, request refused", l.early.frame, l.early.t
	case !l.initSent.set() && (g.State == StateOperating || g.State == StateClosed || g.State == StateLost):
		s.Mark, s.Note = StepSkipped, "not seen"
	case !l.initSent.set():
	case l.initBad != "":
		s.Mark, s.Note = StepBad, l.initBad
	case !l.initDone.set():
		s.Mark = StepNow
	case l.earlyRefused && l.early.frame < l.initSent.frame:
		s.Mark, s.Note = StepBad, "late, an earlier request was refused"
		s.Frame, s.T = l.early.frame, l.early.t
	default:
		s.Took = max(l.initDone.t-l.initSent.t, 1)
		s.Note = string(g.ProtocolVersion)
		if l.asked != "" && l.asked != g.ProtocolVersion {
			s.Note = string(l.asked) + " " + Became + " " + s.Note
		}
		if l.inits > 1 {
			s.Note = words.Count(l.inits, "time")
		}
	}
	return s
}

func (g *group) issuedStep() LifeStep {
	s := did("id issued", g.life.initDone, "")
	s.Frame = g.life.initSent.frame
	switch g.IDSource {
	case IDClient:
		s.Mark, s.Note = StepBad, "invented by the client"
	case IDForeign, IDQuery:
		s.Mark, s.Note = StepSkipped, "not seen"
	case IDReplaced:
		s.Note = "replaced"
	}
	return s
}

func (g *group) initializedStep() LifeStep {
	l := &g.life
	s := did("initialized", l.initialized, "")
	switch {
	case l.eager.set() && l.eagerRefused:
		s.Mark, s.Note = StepBad, "late"
		if !l.initialized.set() {
			s.Note = "missing"
		}
		s.Frame, s.T = l.eager.frame, l.eager.t
	case l.refusedWith != 0:
		s.Mark, s.Note = StepBad, "refused with "+strconv.Itoa(int(l.refusedWith))
	case l.initialized.set() && !l.initDone.set() && l.initSent.set():
		s.Note = "early"
	case l.initialized.set() && l.eager.set() && l.eager.frame < l.initialized.frame:
		s.Note = "late"
	case l.initialized.set():
	case g.State == StateNegotiated:
		s.Mark = StepNow
	case l.operating.set():
		s.Mark, s.Note = StepSkipped, "not seen"
	}
	return s
}

func (g *group) sentBackStep() LifeStep {
	l := &g.life
	s := did("id sent back", l.idSent, "")
	all := strconv.Itoa(l.idSents + l.idMisses)
	switch {
	case l.idMissing.set():
		s = did(s.Name, l.idMissing, sentIn(l.idSents)+" of "+all)
		s.Mark = StepBad
	case g.IDSource == IDForeign && !l.initSent.set() && l.earlyRefused:
		s.Mark, s.Note = StepSkipped, "none was issued"
	case l.idSent.set():
		s.Note = strconv.Itoa(l.idSents) + "/" + all
	}
	return s
}

// sentIn says in how many requests.
func sentIn(n int) string {
	if n == 0 {
		return "in none"
	}
	return "only in " + strconv.Itoa(n)
}

// StepOperating is the name of the step in which a session does its work.
const StepOperating = "operating"

func (g *group) closedStep() LifeStep {
	l := &g.life
	s := did("closed", l.closed, l.closeNote)
	switch {
	case g.State == StateLost:
		s.Mark, s.Note = StepBad, "404, the server does not know it"
	case l.closedBad != "":
		s.Mark, s.Note = StepBad, l.closedBad
	case l.exitBad:
		s.Mark = StepBad
	}
	return s
}

// modernSteps are those of a conversation of 2026-07-28, where every request
// stands for itself.
func (g *group) modernSteps(steps []LifeStep) []LifeStep {
	l := &g.life
	steps = append(steps, g.beginStep())
	d := did("discover", l.discover, l.discoverBad)
	d.Took = l.discoverTook
	switch {
	case l.discoverBad != "" && g.Probe:
		d.Mark = StepSkipped
	case l.discoverBad != "":
		d.Mark = StepBad
	case l.discover.set() && l.discoverTook == 0:
		d.Mark = StepNow
	case !l.discover.set():
		d.Mark, d.Note = StepSkipped, "not requested"
	}
	steps = append(steps, d)
	v := LifeStep{
		Name: "_meta version", Mark: StepDone,
		Note: strconv.Itoa(l.metaGood) + "/" + strconv.Itoa(l.metaAll),
	}
	if l.metaBad.set() {
		v.Mark, v.Frame, v.T = StepBad, l.metaBad.frame, l.metaBad.t
	}
	steps = append(steps, v)
	if g.Transport == TransportHTTP {
		h := LifeStep{Name: "headers match", Mark: StepDone}
		if l.headBad > 0 {
			h = LifeStep{
				Name: h.Name, Mark: StepBad, Frame: l.headBadAt.frame, T: l.headBadAt.t,
				Note: strconv.Itoa(l.headBad) + " of " + strconv.Itoa(l.headAll) + " do not",
			}
		}
		n := LifeStep{Name: "no session id", Mark: StepDone}
		if l.idSeen.set() {
			n = LifeStep{Name: n.Name, Mark: StepBad, Frame: l.idSeen.frame, T: l.idSeen.t, Note: "carried one"}
		}
		steps = append(steps, h, n)
	}
	if l.closed.set() {
		steps = append(steps, g.closedStep())
	}
	return steps
}
