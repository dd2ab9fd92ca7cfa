package findings

import (
	"cmp"
	"slices"

	"midwire/session"
	"midwire/session/diagnose"
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
	pane := term.Panel{
		Name: p.name(sc, partVerdict, "Verdict"), State: []term.Seg{term.S(sc.Theme.Dim, safe.Line(e.rule.ID))},
		Focus: p.focus == partVerdict,
	}
	w, h := pane.Inner(&sc.Screen, r.W, r.H)
	f := p.About()
	p.writeVerdict(sc, f, min(w, maxProse))
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

// writeVerdict writes the card, the part of the life cycle that broke, and the
// words about it.
func (p *View) writeVerdict(sc *library.Scene, f library.Located, w int) {
	t := newText(sc, w)
	happened, does := writeCard(&t, f)
	t.blank()
	writeBroken(&t, f)
	writeCode(&t, p.code.places[f.Finding])
	for _, e := range detail.Explain(f) {
		if e.Label == "" || e.Label == "what" && happened || e.Label == "fix" && does { // the card says it
			continue
		}
		st := term.Plain
		if e.Label == "for" {
			st = sc.Theme.Dim
		} else if len(t.Lines) > 0 {
			t.blank()
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
	if lines := f.Rec.CardOf(f.Session); !f.Known() && len(lines) > 0 {
		t.blank()
		detail.WriteEvidence(&t.Doc, sc, document.Line{}, lines, len(lines)*2)
	}
	if segs := comesTo(sc, f); segs != nil {
		t.blank()
		t.add(labelW, append([]term.Seg{term.S(sc.Theme.Faint, "session ")}, segs...)...)
	}
	if n := f.Consequences(); n > 0 {
		verb := safe.Text(" follow")
		if n == 1 {
			verb = " follows"
		}
		t.add(labelW, term.S(sc.Theme.Faint, "also    "), term.S(term.Plain, term.Count(n, "finding")+verb+" from it"))
	}
	if does, n, server := others(f); n > 0 {
		text := term.Count(n, "other client") + " of " + server + " " + does
		if n == 1 {
			text = "another client of " + server + " does it right"
		}
		t.add(labelW, term.S(sc.Theme.Faint, "others  "), term.S(sc.Theme.Ok, sc.Glyphs.Ok+" "), term.S(term.Plain, text))
	}
	p.verdict = t
}

// labelW is the column of the labels.
const labelW = 8

// writeCard writes who must act, how sure that is, what happened and what to do, in five
// rows. It says whether that is all of what happened, and of what to do.
func writeCard(t *text, f library.Located) (happened, does bool) {
	th, c := t.sc.Theme, detail.NewCard(t.sc, f)
	who, peer := whose(f)
	if who != "" {
		st := term.Bold
		if f.Side == diagnose.Client {
			st += f.Rec.Hue(th, f.Session)
		}
		c.Head = append(c.Head, term.S(st, who))
		if peer.Version != "" {
			c.Head = append(c.Head, term.S(th.Dim, " "+safe.Line(peer.Version)))
		}
	}
	c.Happened = detail.Said(t.sc, f, term.Bold, f.Message)
	if happened = c.Fits(t.sc, t.Width); !happened {
		c.Happened = []term.Seg{term.S(term.Bold, safe.Line(f.Rule.Title))}
	}
	return happened, c.Write(&t.Doc, t.sc, f.Finding)
}

// comesTo says what the session of a finding comes to, and whether that is because of
// it.
func comesTo(sc *library.Scene, f library.Located) []term.Seg {
	v, th := f.Rec.VerdictOf(f.Session), sc.Theme
	switch {
	case f.Rec.Session(f.Session) == nil:
		return nil
	case v.Outcome == diagnose.Failed && v.Rule == f.Rule.ID:
		return []term.Seg{term.S(th.Err, sc.Glyphs.Err+" "), term.S(term.Plain, "failed because of this")}
	}
	return f.Rec.Judgement(sc, f.Session, maxProse)
}

// whose names the side at fault, as far as it has a name.
func whose(f library.Located) (safe.Text, session.Peer) {
	s := f.Rec.Session(f.Session)
	switch {
	case s == nil:
	case f.Side == diagnose.Client:
		return f.Rec.SessionName(f.Session), s.Client
	case f.Side == diagnose.Server:
		return safe.Line(s.Server.Name), s.Server
	}
	return "", session.Peer{}
}

// writeBroken writes the part of the life cycle that the finding broke.
func writeBroken(t *text, f library.Located) {
	steps := detail.Broke(f)
	if steps == nil {
		return
	}
	var segs []term.Seg
	for i := range steps {
		if i > 0 {
			segs = append(segs, term.S(t.sc.Theme.Dim, " "+t.sc.Glyphs.H+t.sc.Glyphs.LinkEnd+" "))
		}
		segs = append(segs, detail.DrawStep(t.sc, &steps[i])...)
	}
	t.add(2, segs...)
}

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
