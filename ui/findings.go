package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/term"
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

// headline is a finding in a line, said of a row: what shows there, or what the
// row is evidence of.
func (sc *scene) headline(r *recording, f *diagnose.Finding, row int) []term.Seg {
	title := safe.Line(f.Rule.Title)
	sign, st := sc.severity(f.Severity)
	switch {
	case r.finds.muted[f.Rule.ID]:
		return []term.Seg{term.S(sc.th.Dim, safe.Text(sc.sg.Dot)+" "), term.S(sc.th.Dim, "muted: "+title)}
	case !r.showsAtRow(f, row):
		return []term.Seg{term.S(sc.th.Dim, safe.Text(sc.sg.Dot)+" "), term.S(sc.th.Dim, "evidence of "), term.S(st, safe.Text(sign)+" "), term.S(sc.th.Dim, title)}
	}
	return []term.Seg{term.S(st, safe.Text(sign)+" "), term.S(term.Plain, title)}
}

// worse is the worse of two severities, of which 0 is none.
func worse(a, b diagnose.Severity) diagnose.Severity {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// rowAt is the row that frame n belongs to, -1 for none. The head of an HTTP
// message belongs to the row of its body.
func (r *recording) rowAt(n uint64) int {
	f := r.frame(n)
	if f == nil {
		return -1
	}
	if f.Row >= 0 || f.X == 0 {
		return int(f.Row)
	}
	const near = 64 // frames of one message stand together
	i, _ := slices.BinarySearchFunc(r.frames, n, func(m meta, n uint64) int { return int(m.N) - int(n) })
	for j := i + 1; j < min(i+near, len(r.frames)); j++ {
		if g := &r.frames[j]; g.X == f.X && g.Row >= 0 {
			return int(g.Row)
		}
	}
	for j := i - 1; j >= max(i-near, 0); j-- {
		if g := &r.frames[j]; g.X == f.X && g.Row >= 0 {
			return int(g.Row)
		}
	}
	return -1
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

// How eagerly findings are reviewed.
type haste uint8

const (
	reviewMuch  haste = iota // recordings with much news
	reviewStale              // with any
	reviewAll                // all recordings
)

type reviewMsg struct{}

// later is news of the checkers that waits: whether there is some, and whether
// a timer runs for it.
type later struct{ due, timed bool }

// reviewSoon comes back to the news that can wait.
func (m *Model) reviewSoon() tea.Cmd {
	if !m.later.due || m.later.timed {
		return nil
	}
	m.later.timed = true
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return reviewMsg{} })
}

func (reviewMsg) take(m *Model) tea.Cmd {
	m.later.timed = false
	m.review(reviewStale)
	return nil
}

// review brings the findings of recordings up to date and says whether any
// changed.
func (m *Model) review(how haste) bool {
	changed := false
	m.later.due = false
	for _, r := range m.recs {
		if how != reviewAll {
			r.finish()
			if !r.finds.stale() {
				continue
			}
		}
		if how == reviewMuch && r.finds.waits() {
			m.later.due = true
			continue
		}
		changed = true
		m.arrange(r)
	}
	if changed {
		m.dirty = true
		m.report.rebuild(m)
	}
	return changed
}

// arrange arranges the findings of a recording, and the list where a filter
// asks for them.
func (m *Model) arrange(r *recording) {
	rows := r.arrange()
	if l := &m.list; r == l.rec && l.query != nil && l.query.findings {
		if l.frames {
			l.reset(l.scope, true, l.query)
		} else {
			l.changed(rows)
		}
	}
}

// severity is the sign of a severity.
func (sc *scene) severity(s diagnose.Severity) (string, term.Style) {
	switch s {
	case diagnose.Error:
		return sc.sg.Err, sc.th.Err
	case diagnose.Warning:
		return sc.sg.Warn, sc.th.Warn
	case diagnose.Note:
		return sc.sg.Note, sc.th.Note
	}
	return sc.sg.Dot, sc.th.Dim
}

// tally counts findings by severity in a few cells: all of them, or the worst.
func (sc *scene) tally(t tally, short bool) []term.Seg {
	var out []term.Seg
	for s := diagnose.Error; s <= diagnose.Note; s++ {
		if t[s] == 0 || short && len(out) > 0 {
			continue
		}
		sign, st := sc.severity(s)
		out = append(out, term.S(st, safe.Text(sign)+term.Number(t[s])+" "))
	}
	if len(out) > 0 {
		out = append(out, term.S(term.Plain, "  "))
	}
	return out
}

// found is the sign of a row, or of a frame when frames is set: what shows
// there, or a dot for evidence of what shows elsewhere.
func (sc *scene) found(x *findings, id uint64, frames bool) (string, term.Style) {
	at, evidence := x.shows[int32(id)], len(x.byRow[int32(id)]) > 0
	if frames {
		at, evidence = x.showsAt[id], len(x.byFrame[id]) > 0
	}
	if at == 0 && !evidence {
		return "", term.Plain
	}
	return sc.severity(at)
}
