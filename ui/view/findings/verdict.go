package findings

import (
	"cmp"
	"slices"

	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

func (p *View) drawVerdict(sc *library.Scene, r term.Rect) []string {
	e := p.Selected()
	if r.H == 0 || e == nil {
		return nil
	}
	f := p.About()
	a := detail.Found(f).Short()
	pane := term.Panel{
		Name: a.Title(sc), State: []term.Seg{term.S(sc.Theme.Dim, safe.Line(e.rule.ID))}, Focus: p.focus == partVerdict,
	}
	if pane.Focus {
		pane.Name[0].Style = sc.Theme.Key
	}
	w, h := pane.Inner(&sc.Screen, r.W, r.H)
	p.writeVerdict(sc, f, a, min(w, maxProse))
	lines := p.verdict.Lines
	for i := len(lines) - 1; i > 0 && len(lines) > h; i-- {
		if len(lines[i].Segs) == 0 {
			lines = slices.Delete(lines, i, i+1)
		}
	}
	p.verdict.Lines = lines
	return drawPage(sc, &pane, &p.page, r, &p.verdict.Doc, &document.Doc{})
}

// maxProse is how wide an explanation is at most, so that it can be read.
const maxProse = 84

// writeVerdict writes the account, and the words about it.
func (p *View) writeVerdict(sc *library.Scene, f library.Located, a *detail.Account, w int) {
	t := detail.NewText(sc, w)
	a.Write(&t.Doc, sc, detail.Whole)
	t.Part()
	writeCode(&t, p.code.places[f.Finding])
	for _, e := range detail.Explain(f) {
		if e.Label == "" { // the account says it
			continue
		}
		st := term.Plain
		if e.Label == "for" {
			st = sc.Theme.Dim
		} else if len(t.Lines) > 0 {
			t.Part()
		}
		segs := []term.Seg{term.S(sc.Theme.Faint, e.Label+safe.Repeat(" ", labelW-len(e.Label)))}
		like := document.Line{}
		if e.Label == "spec" {
			if like.Link = f.SpecURL(); like.Link != "" {
				st = sc.Theme.Key + term.Underline
			}
		}
		t.AddLike(like, labelW, append(segs, detail.Said(sc, f, st, string(e.Text))...)...)
	}
	if n := f.Consequences(); n > 0 {
		verb := safe.Text(" follow")
		if n == 1 {
			verb = " follows"
		}
		t.Put(labelW, term.S(sc.Theme.Faint, "also    "), term.S(term.Plain, term.Count(n, "finding")+verb+" from it"))
	}
	if does, n, server := others(f); n > 0 {
		text := term.Count(n, "other client") + " of " + server + " " + does
		if n == 1 {
			text = "another client of " + server + " does it right"
		}
		t.Put(labelW, term.S(sc.Theme.Faint, "others  "), term.S(sc.Theme.Ok, sc.Glyphs.Ok+" "), term.S(term.Plain, text))
	}
	p.verdict = t
}

// labelW is the column of the labels.
const labelW = 8

// others counts the clients of the same server that do right what a finding
// finds wrong, where that can be known.
func others(f library.Located) (does safe.Text, n int, server safe.Text) {
	right, s := f.Rule.Right, f.Rec.Session(f.Session)
	if right == nil || s == nil {
		return "", 0, ""
	}
	wrong := map[int]bool{}
	for _, one := range f.Rec.Findings.All {
		if one.Rule == f.Rule {
			wrong[one.Session] = true
		}
	}
	for i, one := range f.Rec.Tracker.Sessions() {
		if wrong[i] || s.Server.Name != "" && one.Server.Name != s.Server.Name {
			continue
		}
		if slices.ContainsFunc(one.Steps, func(step session.LifeStep) bool {
			return step.Name == right.Step && step.Mark == session.StepDone
		}) {
			n++
		}
	}
	server = cmp.Or(safe.Line(s.Server.Name), "this server")
	return safe.Line(right.Does), n, server
}
