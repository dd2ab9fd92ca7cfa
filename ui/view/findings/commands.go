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
	p.focus = partList
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
		p.pick(p.located(about[0]), p.rowShown(h))
	case !p.visited:
		p.lines.Sel = 0
	}
	p.visited = p.visited || len(p.Entries) > 0
}

func (p *View) located(f *diagnose.Finding) library.Located {
	for _, r := range p.recs {
		if r.Findings.Causes[f] != nil || slices.Contains(r.Findings.All, f) {
			return library.Located{Rec: r, Finding: f}
		}
	}
	return library.Located{Rec: p.Rec, Finding: f}
}

// rowShown is the row that is selected among the messages, -1 for none.
func (p *View) rowShown(h view.Host) int {
	if id, ok := h.Rows().Selected(); ok && p.Rec != nil {
		return int(id)
	}
	return -1
}

// Commands implements view.View.
func (p *View) Commands(h view.Host) []keymap.Command {
	chosen := keymap.Unless(p.Selected() != nil, "there is no finding")
	e := p.Selected()
	folds := e != nil && p.focus == partList && (e.follows > 0 || e.root != nil)
	several := keymap.Unless(len(p.spots.all) > 1 || folds, "there is one exchange that proves it")
	does := safe.Text("to the message")
	if folds && e.root == nil && !e.opened {
		does = "what follows"
	}
	next := keymap.Problems("finding", keymap.When(len(p.Entries) > 1, "next finding"), nil, keymap.Step(p.lines.Move))
	return append([]keymap.Command{
		keymap.Open("go to the message", does, chosen, func() tea.Cmd { return p.open(h) }),
		{
			ID: "findings.next-proof", Key: keymap.Bind("right l", "← →", "previous, next exchange"), Title: "next exchange that proves it",
			Hint: keymap.When(len(p.spots.all) > 1, "next proof"), Group: keymap.Move, Why: several,
			Run: keymap.Do(func() {
				if !p.unfold(true) {
					p.spots.step(1)
				}
			}),
		},
		{
			ID: "findings.previous-proof", Key: keymap.Bind("left h", "", ""), Title: "previous exchange that proves it", Why: several,
			Run: keymap.Do(func() {
				if p.spots.now > 0 || !p.unfold(false) {
					p.spots.step(-1)
				}
			}),
		},
		keymap.Pane("list, verdict, proof", keymap.When(!p.roomy, "pane"), chosen, func() { p.turn(1) }),
		next[0], next[1],
		{
			ID: "findings.whole-proof", Key: keymap.Bind("+ = -", "+", "the whole proof, or folded"), Title: "show all of the proof, or what matters of it",
			Group: keymap.Look, Why: chosen, Run: keymap.Do(func() { p.proof.Whole = !p.proof.Whole }),
		},
	}, append(p.lookCommands(h), p.actCommands(h, chosen)...)...)
}

func (p *View) lookCommands(h view.Host) []keymap.Command {
	chosen := keymap.Unless(p.Selected() != nil, "there is no finding")
	return []keymap.Command{
		{
			ID: "view.only", Key: keymap.Bind("f", "f", "only this rule's messages"), Hint: "only these", Group: keymap.Look, Why: chosen,
			Run: keymap.Do(func() { p.onlyThese(h) }),
		},
		{
			ID: "findings.scope", Key: keymap.Bind("s", "s", "session, recording, all"), Hint: "scope", Group: keymap.Look,
			Why: keymap.Unless(len(p.reaches()) > 1, "these are the findings of all that was read"), Run: keymap.Do(p.nextReach),
		},
	}
}

func (p *View) actCommands(h view.Host, chosen func() safe.Text) []keymap.Command {
	return []keymap.Command{
		keymap.Copy("copy as Markdown", "copy report", chosen, func() tea.Cmd {
			return h.Copy(detail.Markdown(h.Scene(), p.About()), "explanation")
		}),
		{
			ID: "findings.export", Key: keymap.Bind("x", "x", "export as SARIF"), Hint: keymap.When(p.Exports, "export"), Group: keymap.Act, Why: chosen,
			Run: func() tea.Cmd { return p.export(h) },
		},
	}
}

// Back implements view.Backer: it leads to the list.
func (p *View) Back() bool {
	was := p.focus != partList
	p.focus = partList
	return was
}

func (p *View) turn(n part) {
	if p.focus = (p.focus + n) % partCount; len(p.Entries) == 0 {
		p.focus = partList
	}
}

// About is the finding that is explained: of the selected row the one that shows
// in the exchange that is proved.
func (p *View) About() library.Located {
	e := p.Selected()
	p.spots.of(e)
	if s := p.spots.current(); s != nil {
		return s.Located
	}
	return e.list[0]
}

// open jumps to the message that is the proof; where there is no room for the
// verdict beside the list it is opened first.
func (p *View) open(h view.Host) tea.Cmd {
	switch e := p.Selected(); {
	case e == nil || p.unfold(true):
	case !p.roomy && p.focus == partList:
		p.focus = partVerdict
	default:
		f := p.About()
		if s := p.spots.current(); s != nil {
			return h.Jump(f.Rec, s.n)
		}
	}
	return nil
}

// nextReach looks at the findings of another session, of a recording, of all.
func (p *View) nextReach() {
	all := p.reaches()
	p.reach = all[(slices.Index(all, p.reach)+1)%len(all)]
	p.arrange()
}

// onlyThese shows nothing but the messages that the rule points at.
func (p *View) onlyThese(h view.Host) {
	if p.Selected() == nil {
		return
	}
	f := p.About()
	sc := library.Scope{Rec: f.Rec, Session: library.AllSessions}
	if p.reach == reachSession && sc.Rec == p.Rec {
		sc = p.Scope
	}
	frame := uint64(0)
	if s := p.spots.current(); s != nil {
		frame = s.n
	}
	h.Do(view.ShowOnly{Scope: sc, Filter: "finding:" + f.Rule.ID, Frame: frame})
}

func (p *View) export(h view.Host) tea.Cmd {
	found := map[string][]*diagnose.Finding{}
	n := 0
	for _, f := range p.gather() {
		one := *f.Finding // the rules may have more to say of it meanwhile
		found[f.Rec.ID] = append(found[f.Rec.ID], &one)
		n++
	}
	if n == 0 {
		return h.Complain("no finding is shown that could be exported")
	}
	return h.Do(view.Export{Found: found, N: n})
}
