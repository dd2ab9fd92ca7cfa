package detail

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/evidence"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// maxSentence is how many rows the first line of a card has, maxSeen a line of evidence.
const maxSentence, maxSeen = 3, 2

// WriteAccount adds what a session comes to, in so many rows: who must act, why and what to do,
// or what was seen where the cause is not known. The last row names what has no room.
func WriteAccount(
	d *document.Doc, sc *library.Scene, v *diagnose.Verdict, s *session.Session, lines []evidence.Line, rows int,
) {
	card, end := document.Card(&sc.Screen, sc.Theme.Steel()), len(d.Lines)+rows
	first := []term.Seg{term.S(term.Bold, safe.Line(v.Line))}
	if v.NamesCause() {
		_, st := sc.Severity(max(v.Severity, diagnose.Error))
		card = document.Card(&sc.Screen, st)
		act := safe.Line(diagnose.Act(rules.Find(v.Rule), v.Side, s))
		first = append([]term.Seg{sc.Theme.Badge(st, act), term.S(term.Plain, "  ")}, first...)
	}
	d.AddAtMost(min(rows, maxSentence), sc.Glyphs, card, 0, first...)
	WriteEvidence(d, sc, card, lines, end-len(d.Lines))
}

// WriteEvidence adds lines of a card in so many rows, each behind its label. What is to be done
// is never cut while there is room; the last row names what has none.
func WriteEvidence(d *document.Doc, sc *library.Scene, card document.Line, lines []evidence.Line, rows int) {
	end := len(d.Lines) + rows
	for i, l := range lines {
		room, most := end-len(d.Lines), maxSeen
		if i < len(lines)-1 {
			room-- // for what is left out
		}
		doing := l.Label == diagnose.Fix || l.Label == diagnose.Or
		if doing {
			most = max(room, 0)
		}
		from, width := len(d.Lines), d.Width-2-evidence.LabelWidth
		whole := d.AddAtMost(most, sc.Glyphs, card, evidence.LabelWidth, evidenceLine(sc, l, most*width-8)...)
		if fits := len(d.Lines)-from <= room; fits && (whole || !doing || i == 0 && most > 0) {
			continue
		}
		d.Lines = d.Lines[:from]
		if end > len(d.Lines) {
			var left []string
			for _, l := range lines[i:] {
				if !slices.Contains(left, l.Label) {
					left = append(left, l.Label)
				}
			}
			more := sc.Glyphs.Folded + " " + term.Number(len(lines)-i) + " more: " + safe.Line(strings.Join(left, ", "))
			d.AddAtMost(1, sc.Glyphs, card, 0, term.S(sc.Theme.Dim, more))
		}
		return
	}
}

// evidenceLine is a line behind its label; its quotes are shortened to so many bytes of the whole.
func evidenceLine(sc *library.Scene, l evidence.Line, most int) []term.Seg {
	label, th := sc.Theme.Faint, sc.Theme
	switch l.Label {
	case evidence.Refused, evidence.Failed:
		label = th.Err
	case evidence.Silent:
		label = th.Pend
	case evidence.Served:
		label = th.Ok
	}
	pad := safe.Repeat(" ", max(evidence.LabelWidth-len(l.Label), 1))
	return []term.Seg{term.S(label, safe.Line(l.Label)+pad), term.S(term.Plain, safe.Line(l.Fit(most)))}
}
