package findings

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/view"
)

// Show makes the findings ready for being opened, anew or again. The first that
// the selected message is about is selected; elsewhere says that this message is of
// another recording than the one shown now.
func (p *View) Show(h view.Host, again bool, about []*diagnose.Finding, elsewhere bool) {
	p.rebuild(h)
	if !again {
		p.reach = p.reaches()[0]
	}
	p.reading = false
	if len(about) > 0 {
		if elsewhere {
			p.reach = reachAll
		} else if p.reach == reachSession && about[0].Session != h.Scope().Session {
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
	p.visited = p.visited || len(p.Entries) > 0
}

// Commands implements view.View.
func (p *View) Commands(h view.Host) []keymap.Command {
	chosen := keymap.Unless(p.Selected() != nil, "there is no finding")
	some := h.Scene().Width >= 80 && p.shown != (library.Tally{})
	read := safe.Text("read")
	if p.reading {
		read = "list"
	}
	turn := keymap.Do(func() { p.reading = !p.reading && len(p.Entries) > 0 })
	show := func(s diagnose.Severity) func() tea.Cmd {
		return keymap.Do(func() {
			p.hidden[s] = !p.hidden[s]
			p.arrange()
		})
	}
	return []keymap.Command{
		{
			ID: "findings.open", Key: keymap.Bind("enter l right", "enter", "unfold, go to the message"), Hint: "open", Group: keymap.Move, Why: chosen,
			Run: func() tea.Cmd { return p.open(h) },
		},
		{ID: "findings.back", Key: keymap.Bind("esc", "esc", "back to the messages"), Hint: "back", Group: keymap.Move, Run: func() tea.Cmd {
			if p.reading {
				p.reading = false
				return nil
			}
			return h.Run("global.back")
		}},
		{ID: "findings.next-pane", Key: keymap.Bind("tab shift+tab", "tab", "the explanation, the list"), Hint: read, Group: keymap.Move, Why: chosen, Run: turn},
		{ID: "findings.left", Key: keymap.Bind("h left", "h", "fold"), Group: keymap.Move, Run: keymap.Do(func() { p.fold(false) })},
		{ID: "findings.next-problem", Key: keymap.Bind("]", "] [", "next, previous rule"), Title: "next rule", Group: keymap.Move, Run: keymap.Do(func() { p.step(1) })},
		{ID: "findings.previous-problem", Key: keymap.Bind("[", "", ""), Title: "previous rule", Run: keymap.Do(func() { p.step(-1) })},
		{
			ID: "findings.only-these", Key: keymap.Bind("f", "f", "only this rule's messages"), Hint: "only these", Group: keymap.Look, Why: chosen,
			Run: keymap.Do(func() { p.onlyThese(h) }),
		},
		{
			ID: "findings.scope", Key: keymap.Bind("s", "s", "session, recording, all"), Hint: "scope", Group: keymap.Look,
			Why: keymap.Unless(len(p.reaches()) > 1, "these are the findings of all that was read"), Run: keymap.Do(p.nextReach),
		},
		{
			ID: "findings.errors", Key: keymap.Bind("e", "e w n", "errors, warnings, notes"), Title: "show errors, or not", Hint: keymap.When(some, "show"),
			Group: keymap.Look, Run: show(diagnose.Error),
		},
		{ID: "findings.warnings", Key: keymap.Bind("w", "", ""), Title: "show warnings, or not", Run: show(diagnose.Warning)},
		{ID: "findings.notes", Key: keymap.Bind("n", "", ""), Title: "show notes, or not", Run: show(diagnose.Note)},
		{ID: "findings.order", Key: keymap.Bind("o", "o", "the worst first, or by time"), Hint: keymap.When(some, "order"), Group: keymap.Look, Run: keymap.Do(func() {
			p.byTime = !p.byTime
			p.arrange()
		})},
		{
			ID: "findings.mute", Key: keymap.Bind("m", "m", "mute the rule, or not"), Hint: "mute", Group: keymap.Act, Why: chosen,
			Run: func() tea.Cmd { return p.mute(h) },
		},
		{
			ID: "findings.copy-report", Key: keymap.Bind("y", "y", "copy as Markdown"), Hint: "copy", Group: keymap.Act, Why: chosen,
			Run: func() tea.Cmd { return h.Copy(detail.Markdown(h.Scene(), p.Selected().About), "explanation") },
		},
		{
			ID: "findings.export", Key: keymap.Bind("x", "x", "export as SARIF"), Hint: keymap.When(h.Exports(), "export"), Group: keymap.Act, Why: chosen,
			Run: func() tea.Cmd { return p.export(h) },
		},
	}
}

// open unfolds, or jumps to the message that is evidence.
func (p *View) open(h view.Host) tea.Cmd {
	e := p.Selected()
	switch {
	case e == nil:
		return nil
	case e.n != 0:
		return h.Jump(e.About.Rec, e.n)
	case p.reading && len(e.About.Frames) > 0:
		return h.Jump(e.About.Rec, e.About.Frames[0])
	}
	p.fold(!e.open)
	return nil
}

// nextReach looks at the findings of another session, of a recording, of all.
func (p *View) nextReach() {
	all := p.reaches()
	p.reach = all[(slices.Index(all, p.reach)+1)%len(all)]
	p.arrange()
}

// mute counts the findings of a rule and shows them no more, or again.
func (p *View) mute(h view.Host) tea.Cmd {
	e := p.Selected()
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
func (p *View) onlyThese(h view.Host) {
	e := p.Selected()
	if e == nil {
		return
	}
	sc := library.Scope{Rec: e.About.Rec, Session: library.AllSessions}
	if p.reach == reachSession && sc.Rec == p.Rec {
		sc = p.Scope
	}
	frame := uint64(0)
	if len(e.About.Frames) > 0 {
		frame = e.About.Frames[0]
	}
	h.ShowOnly(sc, "finding:"+e.rule.ID, frame)
}

// export writes what is shown as SARIF.
func (p *View) export(h view.Host) tea.Cmd {
	found := map[string][]*diagnose.Finding{}
	n := 0
	for _, f := range p.gather() {
		if p.muted[f.Rule.ID] {
			continue
		}
		of, one := f.Rec.FindingOrigin(f.Finding) // the rules may have more to say of it meanwhile
		found[of.ID] = append(found[of.ID], one)
		n++
	}
	if n == 0 {
		return h.Complain("no finding is shown that could be exported")
	}
	return h.Export(found, n)
}

// click selects a finding, and opens it when it was selected already.
func (p *View) Click(h view.Host, x, y int) tea.Cmd {
	if p.text.Has(x, y) {
		p.reading = len(p.Entries) > 0
		return nil
	}
	p.reading = false
	if y == p.list.Y {
		if id := p.choiceAt(h.Scene(), x, p.list.W); id != "" {
			return keymap.Named(p.Commands(h), id).Run()
		}
		return nil
	}
	if again, ok := p.lines.PickLine(y - p.list.Y - 1); ok && again {
		return p.open(h)
	}
	return nil
}
