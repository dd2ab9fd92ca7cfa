package detail

import (
	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Verdict adds the card of what is found about a message, the worst of it: who is
// at fault, what is wrong, the facts, what to do. It adds nothing where nothing is
// found.
func (m *Message) Verdict(d *document.Doc, sc *library.Scene) { m.verdict(d, sc, false) }

// verdict is Verdict; where there is little room what to do comes before the facts.
func (m *Message) verdict(d *document.Doc, sc *library.Scene, brief bool) {
	all := m.findings()
	if len(all) == 0 {
		return
	}
	f := all[0]
	sign, st := sc.Severity(f.Severity)
	th := sc.Theme
	badge := th.Badge(st, library.Fault(f))
	head := []term.Seg{badge, term.S(term.Plain, "  ")}
	switch {
	case m.Rec.Findings.Muted[f.Rule.ID]:
		st, head = th.Dim, []term.Seg{term.S(th.Dim, "muted: ")}
	case !m.Rec.ShowsAtRow(f, m.ID):
		st, head = th.Dim, []term.Seg{term.S(th.Dim, "evidence of "), term.S(st, sign+" ")}
	}
	card := document.Card(&sc.Screen, st)
	title, first := term.S(term.Bold, safe.Line(f.Rule.Title)), card
	first.Right = []term.Seg{sc.Sure(f)}
	switch fits := term.SegsWidth(append(head, title, first.Right[0]))+4 <= d.Width; {
	case fits:
		d.AddLike(first, 0, append(head, title)...)
	case brief: // what is wrong before how sure that is
		d.AddLike(card, 0, append(head, title)...)
	default:
		d.AddLike(first, 0, head...)
		d.AddLike(card, 0, title)
	}
	what, do := term.S(term.Plain, safe.Line(f.Message)), term.S(term.Bold, safe.Line(f.Fix()))
	if brief {
		what, do = do, what
	}
	d.AddLike(card, 0, what)
	d.AddLike(card, 0, do)
	keys := []term.Seg{term.S(th.Key, "!"), term.S(th.Dim, " explanation")}
	if f.Count > 1 {
		keys = append(keys, term.S(th.Key, "   ]"), term.S(th.Dim, " next of "+term.Number(f.Count)))
	}
	if n := f.Consequences(); n > 0 {
		follow := safe.Text(" that follow from it")
		if n == 1 {
			follow = " that follows from it"
		}
		keys = append(keys, term.S(th.Dim, "   and "+term.Number(n)+follow))
	}
	if n := len(all); n > 1 {
		keys = append(keys, term.S(th.Dim, "   and "+term.Count(n-1, "finding")+" more"))
	}
	if id := "   " + safe.Line(f.Rule.ID); term.SegsWidth(keys)+term.Width(id) <= d.Width-2 {
		keys = append(keys, term.S(th.Dim, id))
	}
	d.AddLike(card, 0, keys...)
}

// findings are those about the message that are not muted, or else all; what shows
// here comes first, then what is worst.
func (m *Message) findings() []*diagnose.Finding {
	all := m.Rec.Findings.OfRow(m.ID)
	if loud := m.Rec.Findings.Loud(all); len(loud) > 0 {
		all = loud
	}
	for i, f := range all {
		if i > 0 && m.weight(f) < m.weight(all[0]) {
			all = append([]*diagnose.Finding{f}, append(all[:i:i], all[i+1:]...)...)
		}
	}
	return all
}

func (m *Message) weight(f *diagnose.Finding) int {
	n := int(f.Severity)
	if !m.Rec.ShowsAtRow(f, m.ID) {
		n += library.Severities
	}
	return n
}
