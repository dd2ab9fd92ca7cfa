package detail

import (
	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Verdict adds the card of what is found about a message, the worst of it: who is
// responsible, what is wrong, what to do. It adds nothing where nothing is found.
func (m *Message) Verdict(d *document.Doc, sc *library.Scene) { m.verdict(d, sc, 2) }

// verdict is Verdict, with so many lines of what is wrong in particular.
func (m *Message) verdict(d *document.Doc, sc *library.Scene, lines int) {
	all := m.findings()
	if len(all) == 0 {
		return
	}
	f, th := all[0], sc.Theme
	sign, st := sc.Severity(f.Severity)
	head := []term.Seg{th.Badge(st, library.Fault(f)), term.S(term.Plain, "  ")}
	switch {
	case m.Rec.Findings.Muted[f.Rule.ID]:
		st, head = th.Dim, []term.Seg{term.S(th.Dim, "muted: ")}
	case !m.Rec.ShowsAtRow(f, m.ID):
		st, head = th.Dim, []term.Seg{term.S(th.Dim, "evidence of "), term.S(st, sign+" ")}
	}
	card := document.Card(&sc.Screen, st)
	first := card
	if sure := sc.Sure(f); !term.Narrow(d.Width) {
		first.Right = []term.Seg{sure, term.S(th.Key, "   !"), term.S(th.Dim, " why")}
	}
	d.AddLike(first, 0, append(head, term.S(term.Bold, safe.Line(f.Rule.Title)))...)
	if lines > 0 {
		d.AddLike(card, 0, term.S(term.Plain, term.ShortenWords(safe.Line(f.Message), lines*(d.Width-4), sc.Glyphs)))
	}
	if fix := safe.Line(f.Fix()); fix != "" {
		d.AddLike(card, 6, term.S(th.Faint, "fix   "), term.S(term.Plain, fix))
	}
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
