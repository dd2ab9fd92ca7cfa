package ui

import (
	"midwire/session/diagnose"
	"slices"
)

// severities is one more than the number of severities, which begin at 1.
const severities = int(diagnose.Note) + 1

// tally is how many findings there are of each severity; at 0 those of muted
// rules.
type tally [severities]int

// sum is how many findings there are that are not muted.
func (t tally) sum() int {
	return t[diagnose.Error] + t[diagnose.Warning] + t[diagnose.Note]
}

// worst is the worst severity of all, 0 when there are no findings.
func (t tally) worst() diagnose.Severity {
	for s := diagnose.Error; s <= diagnose.Note; s++ {
		if t[s] > 0 {
			return s
		}
	}
	return 0
}

// findings is what rules found in one recording, arranged for being looked up
// by row, frame and session. It is made anew when the checker has news.
type findings struct {
	checker *diagnose.Checker   // nil while nothing was read
	changes int                 // of the checker, when it was asked last
	stamp   int                 // changes with everything below
	over    bool                // the checker knows that nothing more will come
	muted   map[string]bool     // ids of rules, the model's
	beside  []*diagnose.Finding // what comparing with other recordings of the flow showed
	all     []*diagnose.Finding
	rules   map[string]bool // ids of those that fired
	byRow   map[int32][]*diagnose.Finding
	byFrame map[uint64][]*diagnose.Finding
	shows   map[int32]diagnose.Severity // rows where something shows; the other evidence is not in it
	showsAt map[uint64]diagnose.Severity
	total   tally
	session map[int]tally
}

// of returns the findings that a row is evidence of, muted ones too.
func (x *findings) of(row int) []*diagnose.Finding { return x.byRow[int32(row)] }

// loud returns those of the findings whose rules are not muted.
func (x *findings) loud(fs []*diagnose.Finding) []*diagnose.Finding {
	if len(x.muted) == 0 {
		return fs
	}
	return slices.DeleteFunc(slices.Clone(fs), func(f *diagnose.Finding) bool { return x.muted[f.Rule.ID] })
}

// stale says whether the checker has news.
func (x *findings) stale() bool { return x.checker != nil && x.checker.Changes() != x.changes }

// finish tells the checker that a recording was read to its end.
func (r *recording) finish() {
	x := &r.finds
	if x.checker == nil || x.over || r.Live || !r.atEnd && r.loading < 1 {
		return
	}
	x.over = true
	x.checker.Finish()
}

// arrange asks the checker for its findings and arranges them. It returns the
// rows that findings were or are about.
func (r *recording) arrange() []int {
	x := &r.finds
	if x.checker == nil {
		return nil
	}
	touched := map[int32]bool{}
	for i := range x.byRow {
		touched[i] = true
	}
	x.changes = x.checker.Changes()
	x.stamp++
	if x.all = x.checker.Findings(); len(x.beside) > 0 {
		x.all = diagnose.Plain(append(x.all, x.beside...))
	}
	x.rules, x.byRow, x.byFrame = map[string]bool{}, map[int32][]*diagnose.Finding{}, map[uint64][]*diagnose.Finding{}
	x.shows, x.showsAt = map[int32]diagnose.Severity{}, map[uint64]diagnose.Severity{}
	x.total, x.session = tally{}, map[int]tally{}
	for _, f := range x.all {
		r.enter(f)
	}
	for i := range x.byRow {
		touched[i] = true
	}
	rows := make([]int, 0, len(touched))
	for i := range touched {
		rows = append(rows, int(i))
	}
	slices.Sort(rows)
	return rows
}

// enter files one finding under its frames, their rows, and its session.
func (r *recording) enter(f *diagnose.Finding) {
	x := &r.finds
	x.rules[f.Rule.ID] = true
	at := f.Severity
	if x.muted[f.Rule.ID] {
		at = 0
	}
	x.total[at]++
	t := x.session[f.Session]
	t[at]++
	x.session[f.Session] = t
	for i, n := range f.Frames {
		x.byFrame[n] = append(x.byFrame[n], f)
		row := int32(r.rowAt(n))
		if row >= 0 && !slices.Contains(x.byRow[row], f) {
			x.byRow[row] = append(x.byRow[row], f)
		}
		// What was found more than once has places where it shows among all
		// of its evidence.
		if at == 0 || i > 0 && f.Count == 1 {
			continue
		}
		x.showsAt[n] = worse(x.showsAt[n], at)
		if row >= 0 {
			x.shows[row] = worse(x.shows[row], at)
		}
	}
}

// showsAtRow says whether a finding shows at a row, and is not only borne out
// by it.
func (r *recording) showsAtRow(f *diagnose.Finding, row int) bool {
	return f.Count > 1 || len(f.Frames) > 0 && r.rowAt(f.Frames[0]) == row
}

// worse is the worse of two severities, of which 0 is none.
func worse(a, b diagnose.Severity) diagnose.Severity {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// worstOf is the worst of the errors of a session, nil when there is none: the
// one that showed first.
func (r *recording) worstOf(session int) *diagnose.Finding {
	if r.finds.session[session][diagnose.Error] == 0 {
		return nil
	}
	for _, f := range r.finds.all {
		if f.Session == session && f.Severity == diagnose.Error && !r.finds.muted[f.Rule.ID] {
			return f
		}
	}
	return nil
}

// waits says whether news of the checker can wait a moment: where much was
// found already, a little more is not worth arranging it all.
func (x *findings) waits() bool {
	const many = 200
	return len(x.all) > many && x.checker.Changes() < x.changes+x.changes/8
}

// join takes in what a comparison found and says whether that is news. What was
// found before stays the same finding.
func (x *findings) join(found []*diagnose.Finding) bool {
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
