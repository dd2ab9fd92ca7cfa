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

func (p *findingsView) commands(h host) []command {
	chosen := unless(p.selected() != nil, "there is no finding")
	some := h.Scene().Width >= 80 && p.shown != (library.Tally{})
	read := safe.Text("read")
	if p.reading {
		read = "list"
	}
	turn := do(func() { p.reading = !p.reading && len(p.entries) > 0 })
	show := func(s diagnose.Severity) func() tea.Cmd {
		return do(func() {
			p.hidden[s] = !p.hidden[s]
			p.arrange()
		})
	}
	return []command{
		{id: "findings.open", key: bind("enter l right", "enter", "unfold, go to the message"), hint: "open", group: move, why: chosen, run: func() tea.Cmd { return p.open(h) }},
		{id: "findings.back", key: bind("esc", "esc", "back to the messages"), hint: "back", group: move, run: func() tea.Cmd {
			if p.reading {
				p.reading = false
				return nil
			}
			return h.Run("global.back")
		}},
		{id: "findings.next-pane", key: bind("tab shift+tab", "tab", "the explanation, the list"), hint: read, group: move, why: chosen, run: turn},
		{id: "findings.left", key: bind("h left", "h", "fold"), group: move, run: do(func() { p.fold(false) })},
		{id: "findings.next-problem", key: bind("]", "] [", "next, previous rule"), title: "next rule", group: move, run: do(func() { p.step(1) })},
		{id: "findings.previous-problem", key: bind("[", "", ""), title: "previous rule", run: do(func() { p.step(-1) })},
		{id: "findings.only-these", key: bind("f", "f", "only this rule's messages"), hint: "only these", group: look, why: chosen, run: do(func() { p.onlyThese(h) })},
		{id: "findings.scope", key: bind("s", "s", "session, recording, all"), hint: "scope", group: look, why: unless(len(p.reaches()) > 1, "these are the findings of all that was read"), run: do(p.nextReach)},
		{id: "findings.errors", key: bind("e", "e w n", "errors, warnings, notes"), title: "show errors, or not", hint: when(some, "show"), group: look, run: show(diagnose.Error)},
		{id: "findings.warnings", key: bind("w", "", ""), title: "show warnings, or not", run: show(diagnose.Warning)},
		{id: "findings.notes", key: bind("n", "", ""), title: "show notes, or not", run: show(diagnose.Note)},
		{id: "findings.order", key: bind("o", "o", "the worst first, or by time"), hint: when(some, "order"), group: look, run: do(func() {
			p.byTime = !p.byTime
			p.arrange()
		})},
		{id: "findings.mute", key: bind("m", "m", "mute the rule, or not"), hint: "mute", group: act, why: chosen, run: func() tea.Cmd { return p.mute(h) }},
		{
			id: "findings.copy-report", key: bind("y", "y", "copy as Markdown"), hint: "copy", group: act, why: chosen,
			run: func() tea.Cmd { return h.Copy(detail.Markdown(h.Scene(), p.selected().about), "explanation") },
		},
		{
			id: "findings.export", key: bind("x", "x", "export as SARIF"), hint: when(h.Exports(), "export"), group: act, why: chosen,
			run: func() tea.Cmd { return p.export(h) },
		},
	}
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

// nextReach looks at the findings of another session, of a recording, of all.
func (p *findingsView) nextReach() {
	all := p.reaches()
	p.reach = all[(slices.Index(all, p.reach)+1)%len(all)]
	p.arrange()
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
		if id := p.choiceAt(h.Scene(), x, p.list.w); id != "" {
			return named(p.commands(h), id).run()
		}
		return nil
	}
	if again, ok := p.lines.PickLine(y - p.list.y - 1); ok && again {
		return p.open(h)
	}
	return nil
}
