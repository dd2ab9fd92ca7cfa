package replaying

import (
	"midwire/replay"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// drawAnswer draws what comparing or asking again comes to, whole, above what it rests on: in at most
// h lines, of which the last names how much has no room.
func (v *Comparison) drawAnswer(sc *library.Scene, w, h int) []string {
	if !v.result.Found || len(v.result.Problems) == 0 {
		return nil
	}
	p := sc.Theme.Panel("Answer", term.S(sc.Theme.Dim, safe.Line(v.result.SecondName)))
	iw, edge := p.Inner(&sc.Screen, w, h)
	edge = h - edge
	d, card := document.Doc{Width: iw - 2}, document.Card(&sc.Screen, sc.Theme.Steel())
	for i, s := range v.result.Problems {
		st := term.Plain
		if i == 0 {
			st = term.Bold
		}
		d.AddLike(card, 2, term.S(st, safe.Line(s)))
		if len(d.Lines) > h-edge {
			d.Lines = d.Lines[:max(h-edge-1, 0)]
			more := sc.Glyphs.Folded + " " + term.Number(len(v.result.Problems)-i) + " more: y copies all"
			d.AddLike(card, 0, term.S(sc.Theme.Dim, more))
			break
		}
	}
	return p.Draw(&sc.Screen, w, len(d.Lines)+edge, d.All(&sc.Screen, iw, 1))
}

// drawTries draws the ways in which a server was asked, by try, and below them all of what came back
// in the selected one.
func (v *Comparison) drawTries(sc *library.Scene, w, h int) []string {
	tries, th := v.result.Tries, sc.Theme
	p := th.Panel("Asked again", term.S(th.Ok, sc.Glyphs.Ok), term.S(th.Dim, " served  "),
		term.S(th.Err, sc.Glyphs.Err), term.S(th.Dim, " failed"))
	p.Focus = true
	_, ih := p.Inner(&sc.Screen, w, h)
	most := 1
	for _, t := range tries {
		most = max(most, t.Times)
	}
	table := &term.Table[int]{
		Screen: &sc.Screen,
		Hue:    func(i int) term.Style { st, _ := tried(sc, tries[i], 0); return st },
		Columns: []term.Column[int]{
			{Head: "VARIANT", Min: 12, Max: 31, Cell: func(i int) term.Seg {
				return term.S(term.Bold, safe.Line(tries[i].Name))
			}},
			{Head: "TRIES", Min: max(most*3, 5), Gap: 2, Draw: func(l *term.Line, i int) {
				for k := range tries[i].Times {
					st, sign := tried(sc, tries[i], k)
					l.Put(st, sign).Gap(2)
				}
			}},
			{Head: "CAME BACK", Min: 10, Flex: 3, Gap: 1, Cell: func(i int) term.Seg {
				if i > 0 && tries[i].Answer == tries[0].Answer {
					return term.S(th.Dim, "the same")
				}
				return term.S(term.Plain, safe.Line(tries[i].Answer))
			}},
		},
	}
	list := min(len(tries)+1+h-ih, h)
	out := view.Rows(p, table, &v.lines, len(tries), func(i int) int { return i }, w, list)
	below := th.Panel("Came back")
	iw, _ := below.Inner(&sc.Screen, w, h)
	d := document.Doc{Width: iw - 2}
	if i := v.lines.Sel; i >= 0 && i < len(tries) {
		below.State = []term.Seg{term.S(th.Dim, safe.Line(tries[i].Name))}
		d.Add(term.S(term.Plain, safe.Line(tries[i].Answer)))
	}
	return append(out, below.Draw(&sc.Screen, w, h-list, d.All(&sc.Screen, iw, 1))...)
}

// tried is the sign of a try of a way: those that were served come first.
func tried(sc *library.Scene, t replay.Tried, k int) (term.Style, safe.Text) {
	if k < t.Served {
		return sc.Theme.Ok, sc.Glyphs.Ok
	}
	return sc.Theme.Err, sc.Glyphs.Err
}

// tallied says how many tries failed, and how many were served.
func tallied(sc *library.Scene, all []replay.Tried) []term.Seg {
	served, failed := 0, 0
	for _, t := range all[1:] {
		served, failed = served+t.Served, failed+t.Times-t.Served
	}
	th := sc.Theme
	return []term.Seg{
		th.Badge(th.Err, term.Number(failed)+" failed"), term.S(term.Plain, " "), th.Badge(th.Ok, term.Number(served)+" served"),
		term.S(term.Plain, "   of "+term.Number(served+failed)+" tries "),
	}
}
