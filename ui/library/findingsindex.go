package library

import (
	"slices"

	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
)

// Severities is one more than the number of severities, which begin at 1.
const Severities = int(diagnose.Note) + 1

// Tally is how many findings there are of each severity.
type Tally [Severities]int

// Sum is how many findings there are.
func (t Tally) Sum() int {
	return t[diagnose.Error] + t[diagnose.Warning] + t[diagnose.Note]
}

// Worst is the worst severity of all, 0 when there are no findings.
func (t Tally) Worst() diagnose.Severity {
	for s := diagnose.Error; s <= diagnose.Note; s++ {
		if t[s] > 0 {
			return s
		}
	}
	return 0
}

// Findings is what rules found in one recording, arranged for being looked up
// by row, frame and session. It is made anew when the checker has news.
type Findings struct {
	checker      *diagnose.Checker                       // nil while nothing was read
	changes      int                                     // of the checker, when it was asked last
	Stamp        int                                     // changes with everything below
	Finished     bool                                    // the checker knows that nothing more will come
	beside       []*diagnose.Finding                     // what comparing with other recordings of the flow showed
	All          []*diagnose.Finding                     // the roots, each with what follows from it
	Causes       map[*diagnose.Finding]*diagnose.Finding // of what follows from another: the root
	Rules        map[string]bool                         // ids of those that fired
	ByRow        map[int32][]*diagnose.Finding
	ByFrame      map[uint64][]*diagnose.Finding
	ShowsAtRow   map[int32]diagnose.Severity // rows where something shows; the other evidence is not in it
	ShowsAtFrame map[uint64]diagnose.Severity
	Total        Tally
	BySession    map[int]Tally
}

// OfRow returns the findings that a row is evidence of.
func (x *Findings) OfRow(row int) []*diagnose.Finding { return x.ByRow[int32(row)] }

// Stale says whether the checker has news.
func (x *Findings) Stale() bool { return x.checker != nil && x.checker.Changes() != x.changes }

// Renew has the findings arranged again: notes may say more of them.
func (x *Findings) Renew() { x.changes = -1 }

// ArrangeFindings asks the checker for its findings and arranges them. It returns the
// rows that findings were or are about.
func (r *Recording) ArrangeFindings() []int {
	x := &r.Findings
	if x.checker == nil {
		return nil
	}
	rules.Tell(x.checker, r.Notes)
	touched := map[int32]bool{}
	for i := range x.ByRow {
		touched[i] = true
	}
	x.changes = x.checker.Changes()
	x.Stamp++
	x.All = x.checker.Findings()
	if len(x.beside) > 0 {
		x.All = diagnose.Roots(append(x.All, x.beside...))
	}
	x.Rules, x.ByRow, x.ByFrame = map[string]bool{}, map[int32][]*diagnose.Finding{}, map[uint64][]*diagnose.Finding{}
	x.ShowsAtRow, x.ShowsAtFrame = map[int32]diagnose.Severity{}, map[uint64]diagnose.Severity{}
	x.Total, x.BySession, x.Causes = Tally{}, map[int]Tally{}, map[*diagnose.Finding]*diagnose.Finding{}
	for _, root := range x.All {
		root.Each(func(f *diagnose.Finding, depth int) {
			if depth > 0 {
				x.Causes[f] = root
			}
			r.enter(f, depth == 0)
		})
	}
	for i := range x.ByRow {
		touched[i] = true
	}
	rows := make([]int, 0, len(touched))
	for i := range touched {
		rows = append(rows, int(i))
	}
	slices.Sort(rows)
	return rows
}

// enter files one finding under its frames, their rows, and its session. Only a root
// is counted.
func (r *Recording) enter(f *diagnose.Finding, root bool) {
	x := &r.Findings
	x.Rules[f.Rule.ID] = true
	at := f.Severity
	if root {
		x.Total[at]++
		t := x.BySession[f.Session]
		t[at]++
		x.BySession[f.Session] = t
	}
	for _, n := range f.Frames {
		r.point(f, n)
	}
	for _, n := range f.Shows {
		row := r.point(f, n)
		x.ShowsAtFrame[n] = Worse(x.ShowsAtFrame[n], at)
		if row >= 0 {
			x.ShowsAtRow[row] = Worse(x.ShowsAtRow[row], at)
		}
	}
}

// point files a finding under one of its frames and returns the row of that, -1
// for none.
func (r *Recording) point(f *diagnose.Finding, n uint64) int32 {
	x, row := &r.Findings, int32(r.RowAt(n))
	if last := x.ByFrame[n]; len(last) == 0 || last[len(last)-1] != f {
		x.ByFrame[n] = append(last, f)
	}
	if last := x.ByRow[row]; row >= 0 && (len(last) == 0 || last[len(last)-1] != f) {
		x.ByRow[row] = append(last, f)
	}
	return row
}

// ShowsAtRow says whether a finding shows at a row, and is not only borne out
// by it.
func (r *Recording) ShowsAtRow(f *diagnose.Finding, row int) bool {
	return slices.ContainsFunc(f.Shows, func(n uint64) bool { return r.RowAt(n) == row })
}

// Worse is the worse of two severities, of which 0 is none.
func Worse(a, b diagnose.Severity) diagnose.Severity {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// WorstOf is the worst of the errors of a session, nil when there is none: the
// one that showed first.
func (r *Recording) WorstOf(session int) *diagnose.Finding {
	if r.Findings.BySession[session][diagnose.Error] == 0 {
		return nil
	}
	for _, f := range r.Findings.All {
		if f.Session == session && f.Severity == diagnose.Error {
			return f
		}
	}
	return nil
}

// Waits says whether news of the checker can wait a moment: where much was
// found already, a little more is not worth arranging it all.
func (x *Findings) Waits() bool {
	const many = 200
	return len(x.All) > many && x.checker.Changes() < x.changes+x.changes/8
}

// Join takes in what a comparison found and says whether that is news. What was
// found before stays the same finding.
func (x *Findings) Join(found []*diagnose.Finding) bool {
	news := len(found) != len(x.beside)
	for i, f := range found {
		j := slices.IndexFunc(x.beside, f.Same)
		if j < 0 {
			news = true
			continue
		}
		old := x.beside[j]
		news = news || old.Count != f.Count || old.Message != f.Message
		*old = *f
		found[i] = old
	}
	x.beside = found
	return news
}

// Errors is how many errors there are among the findings.
func (t Tally) Errors() int { return t[diagnose.Error] }
