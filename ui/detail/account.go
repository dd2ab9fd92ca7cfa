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

// Account is what is said of a session, or of what was found in it: a first line and, below it,
// what to do where that is known, and what was seen. It has two forms: a cause with who must act, and,
// in steel, what was seen, without a side.
type Account struct {
	Rec     *library.Recording // nil where it was not read
	Verdict diagnose.Verdict
	Session *session.Session // nil where there is none
	Lines   []evidence.Line
}

const (
	why         = "why" // the label of the reason
	maxSentence = 3     // rows of a first line where there are few
	maxSeen     = 2     // rows of a line of evidence where there are few
	maxFree     = 4     // rows of one where there are enough
)

// AccountOf is the account of a session.
func AccountOf(rec *library.Recording, i int) *Account {
	a := &Account{Rec: rec, Verdict: rec.VerdictOf(i), Session: rec.Session(i)}
	a.Lines = a.reasoned(rec.CardOf(i))
	return a
}

// Found is the account of a finding: that of its session where it is why that failed.
func Found(f library.Located) *Account {
	v := f.Rec.VerdictOf(f.Session)
	if v.Cause == f.Finding && len(f.Rec.CardOf(f.Session)) > 0 {
		return AccountOf(f.Rec, f.Session)
	}
	a := &Account{Rec: f.Rec, Verdict: diagnose.Because(f.Finding), Session: f.Rec.Session(f.Session)}
	a.Lines = a.reasoned(a.Verdict.Card(linesOn(f.Rec.CardOf(f.Session), f.Frames)))
	return a
}

// reasoned puts why it is so behind what to do about it.
func (a *Account) reasoned(lines []evidence.Line) []evidence.Line {
	if !a.Verdict.NamesCause() || a.Verdict.Cause == nil || a.Verdict.Cause.Cause == "" {
		return lines
	}
	at := slices.IndexFunc(lines, func(l evidence.Line) bool { return !does(l) })
	if at < 0 {
		at = len(lines)
	}
	one := evidence.Line{Label: why, Parts: []evidence.Part{{Text: sentence(a.Verdict.Cause.Cause)}}}
	return slices.Insert(slices.Clone(lines), at, one)
}

// sentence is the first sentence of a text.
func sentence(text string) string {
	text, _, _ = strings.Cut(text, ". ")
	return strings.TrimSuffix(text, ".") + "."
}

func does(l evidence.Line) bool { return l.Label == diagnose.Fix || l.Label == diagnose.Or }

// wrong are the labels of lines that say what went wrong, theirs those of what belongs to it.
var (
	wrong  = []string{evidence.Refused, evidence.Failed, evidence.Silent, evidence.Odd, evidence.Asked}
	theirs = []string{evidence.Sent, evidence.Got, evidence.Schema, evidence.Served, evidence.Differs, evidence.Next}
)

// linesOn are the lines on what went wrong in these frames.
func linesOn(lines []evidence.Line, frames []uint64) (out []evidence.Line) {
	is := false
	for _, l := range lines {
		says := slices.Contains(wrong, l.Label)
		if says {
			is = slices.ContainsFunc(l.Frames, func(n uint64) bool { return slices.Contains(frames, n) })
		}
		if is && (says || slices.Contains(theirs, l.Label)) {
			out = append(out, l)
		}
	}
	return out
}

// Title names the form of the account, and its rule.
func (a *Account) Title(sc *library.Scene) []term.Seg {
	th := sc.Theme
	if a.Verdict.NamesCause() {
		return []term.Seg{term.S(th.Title, "Cause")}
	}
	return []term.Seg{term.S(th.Title, "Seen"), term.S(th.Dim, "  "+diagnose.NotKnown)}
}

// said is the first line, with who must act before it.
func (a *Account) said(sc *library.Scene) (card document.Line, segs []term.Seg) {
	card, v := document.Card(&sc.Screen, sc.Theme.Steel()), &a.Verdict
	segs = []term.Seg{term.S(term.Bold, safe.Line(v.Line))}
	if a.Rec != nil && v.Cause != nil && v.Cause.Message == v.Line {
		segs = Said(sc, library.Located{Rec: a.Rec, Finding: v.Cause}, term.Bold, v.Line)
	}
	if v.NamesCause() {
		_, st := sc.Severity(max(v.Severity, diagnose.Error))
		act := safe.Line(diagnose.Act(rules.Find(v.Rule), v.Side, a.Session))
		card = document.Card(&sc.Screen, st)
		segs = append([]term.Seg{sc.Theme.Badge(st, act), term.S(term.Plain, "  ")}, segs...)
	}
	return card, segs
}

// Write adds the account in so many rows. What is to be done is never cut while there is room;
// the last row names what has none.
func (a *Account) Write(d *document.Doc, sc *library.Scene, rows int) {
	from := len(d.Lines)
	if a.write(d, sc, rows, maxFree) {
		return
	}
	d.Lines = d.Lines[:from]
	a.write(d, sc, rows, maxSeen)
}

// write is Write with so many rows for a line of evidence, and says whether that was all.
func (a *Account) write(d *document.Doc, sc *library.Scene, rows, seen int) bool {
	card, first := a.said(sc)
	end := len(d.Lines) + rows
	d.AddAtMost(min(rows, max(maxSentence, rows/3)), sc.Glyphs, card, 0, first...)
	for i, l := range a.Lines {
		room, most := end-len(d.Lines), seen
		if i < len(a.Lines)-1 {
			room-- // for what is left out
		}
		if does(l) {
			most = max(room, 0)
		}
		from, width := len(d.Lines), d.Width-2-evidence.LabelWidth
		whole := d.AddAtMost(most, sc.Glyphs, card, evidence.LabelWidth, a.line(sc, l, most*width-8)...)
		if fits := len(d.Lines)-from <= room; fits && (whole || !does(l) || i == 0 && most > 0) {
			continue
		}
		d.Lines = d.Lines[:from]
		if end > len(d.Lines) {
			var left []string
			for _, l := range a.Lines[i:] {
				if !slices.Contains(left, l.Label) {
					left = append(left, l.Label)
				}
			}
			more := sc.Glyphs.Folded + " " + term.Number(len(a.Lines)-i) + " more: " + safe.Line(strings.Join(left, ", "))
			d.AddAtMost(1, sc.Glyphs, card, 0, term.S(sc.Theme.Dim, more))
		}
		return false
	}
	return true
}

// Short is the account without what was seen, where the cause is known.
func (a *Account) Short() *Account {
	out := *a
	if a.Verdict.NamesCause() {
		seen := func(l evidence.Line) bool { return !does(l) && l.Label != why }
		out.Lines = slices.DeleteFunc(slices.Clone(a.Lines), seen)
	}
	return &out
}

// Rows is how many rows of w cells the account fills.
func (a *Account) Rows(sc *library.Scene, w int) int {
	d := document.Doc{Width: w}
	a.Write(&d, sc, Whole)
	return len(d.Lines)
}

// Whole is rows enough for every account.
const Whole = 1 << 8

// line is a line behind its label; its quotes are shortened to so many bytes of the whole.
func (a *Account) line(sc *library.Scene, l evidence.Line, most int) []term.Seg {
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
	of := library.Located{Rec: a.Rec, Finding: &diagnose.Finding{Frames: l.Frames}}
	return append([]term.Seg{term.S(label, safe.Line(l.Label)+pad)}, Said(sc, of, term.Plain, l.Fit(most))...)
}
