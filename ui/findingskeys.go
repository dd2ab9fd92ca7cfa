package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/library"
)

// openFindings shows the findings, or closes them. The one that the selected
// message is about, if there is one, is selected.
func (m *Model) openFindings() {
	p := m.findings
	if m.view == p {
		m.popView()
		return
	}
	about, rec := m.about(), m.list.Rec
	back := m.view == nil && m.history.view() == p && m.backToView()
	p.rebuild(m)
	if !back {
		p.reach = p.reaches()[0]
		m.openView(p)
	}
	p.reading = false
	if len(about) > 0 {
		if rec != m.list.Rec {
			p.reach = reachAll
		} else if p.reach == reachSession && about[0].Session != m.list.Session {
			p.reach = reachRecording
		}
	}
	p.arrange()
	switch {
	case len(about) > 0:
		p.pick(about[0])
	case !p.visited:
		p.unfoldFirst()
	}
	p.visited = p.visited || len(p.entries) > 0
}

// do carries out what a key means on the findings.
func (p *findingsView) do(h host, a action) (cmd tea.Cmd, mine bool) {
	switch a {
	case actOpen:
		return p.open(h), true
	case actLeft:
		p.fold(false)
	case actErrors, actWarnings, actNotes:
		at := diagnose.Error + diagnose.Severity(a-actErrors)
		p.hidden[at] = !p.hidden[at]
		p.arrange()
	case actOrder:
		p.byTime = !p.byTime
		p.arrange()
	case actReach:
		return p.nextReach(h), true
	case actMute:
		return p.mute(h), true
	case actExport:
		return p.export(h), true
	case actOnlyThese:
		p.onlyThese(h)
	case actCopyReport:
		if e := p.selected(); e != nil {
			return h.Copy(detail.Markdown(h.Scene(), e.about), "explanation"), true
		}
		return h.Complain("there is no finding to copy"), true
	case actNextPane, actPrevPane:
		p.reading = !p.reading && len(p.entries) > 0
	case actNextProblem:
		p.step(1)
	case actPrevProblem:
		p.step(-1)
	case actBack:
		if !p.reading {
			return nil, false
		}
		p.reading = false
	default:
		return nil, false
	}
	return nil, true
}

// open unfolds, or jumps to the message that is evidence.
func (p *findingsView) open(h host) tea.Cmd {
	e := p.selected()
	switch {
	case e == nil:
		return nil
	case e.n != 0:
		return h.Jump(e.about.Rec, e.n)
	case p.reading && len(e.about.Frames) > 0:
		return h.Jump(e.about.Rec, e.about.Frames[0])
	}
	p.fold(!e.open)
	return nil
}

func (p *findingsView) nextReach(h host) tea.Cmd {
	all := p.reaches()
	next := all[(slices.Index(all, p.reach)+1)%len(all)]
	if next == p.reach {
		return h.Say("these are the findings of all that was read")
	}
	p.reach = next
	p.arrange()
	return nil
}

// mute counts the findings of a rule and shows them no more, or again.
func (p *findingsView) mute(h host) tea.Cmd {
	e := p.selected()
	if e == nil {
		return nil
	}
	id := e.rule.ID
	at := p.lines.Sel
	if p.muted[id] {
		delete(p.muted, id)
		h.Review()
		p.rebuild(h)
		return h.Say(safe.Line(id) + " is shown again")
	}
	p.muted[id] = true
	p.opened[entryKey{rule: e.rule}] = false
	h.Review()
	p.rebuild(h)
	p.to(at)
	return h.Say(safe.Line(id) + " is muted: counted, and not marked")
}

// onlyThese shows nothing but the messages that the rule points at.
func (p *findingsView) onlyThese(h host) {
	e := p.selected()
	if e == nil {
		return
	}
	sc := library.Scope{Rec: e.about.Rec, Session: library.AllSessions}
	if p.reach == reachSession && sc.Rec == p.Rec {
		sc = p.Scope
	}
	frame := uint64(0)
	if len(e.about.Frames) > 0 {
		frame = e.about.Frames[0]
	}
	h.ShowOnly(sc, "finding:"+e.rule.ID, frame)
}

// export writes what is shown as SARIF.
func (p *findingsView) export(h host) tea.Cmd {
	found := map[string][]*diagnose.Finding{}
	n := 0
	for _, f := range p.gather() {
		if p.muted[f.Rule.ID] {
			continue
		}
		one := *f.Finding // the rules may have more to say of it meanwhile
		one.Frames = slices.Clone(one.Frames)
		found[f.Rec.ID] = append(found[f.Rec.ID], &one)
		n++
	}
	if n == 0 {
		return h.Complain("no finding is shown that could be exported")
	}
	return h.Export(found, n)
}

// click selects a finding, and opens it when it was selected already.
func (p *findingsView) click(h host, x, y int) tea.Cmd {
	if p.text.has(x, y) {
		p.reading = len(p.entries) > 0
		return nil
	}
	p.reading = false
	if y == p.list.y {
		cmd, _ := p.do(h, p.choiceAt(h.Scene(), x, p.list.w))
		return cmd
	}
	if again, ok := p.lines.PickLine(y - p.list.y - 1); ok && again {
		return p.open(h)
	}
	return nil
}

func (p *findingsView) useful(h host, b binding) bool {
	switch b.do {
	case actNextPane, actOnlyThese, actMute, actCopyReport, actOpen:
		return p.selected() != nil
	case actErrors, actWarnings, actNotes, actOrder:
		return h.Scene().Width >= 80 && p.shown != (library.Tally{})
	case actReach:
		return len(p.reaches()) > 1
	case actExport:
		return h.Exports() && p.selected() != nil
	}
	return true
}
