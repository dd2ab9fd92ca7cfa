package library

import (
	"slices"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/evidence"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/term"
)

// judged is the verdict on a session, as of when.
type judged struct {
	stamp, seen int
	finished    bool
	verdict     diagnose.Verdict
	card        []evidence.Line // nil until it is asked for
}

// VerdictOf is what a session comes to. One that goes on is judged by what is known so
// far: an error that was found is why it fails, as long as nothing was served, or its
// latest request was refused.
func (r *Recording) VerdictOf(i int) diagnose.Verdict {
	s := r.Session(i)
	if s == nil || r.Findings.checker == nil {
		return diagnose.Verdict{Line: "nothing was read yet", Short: "not read yet"}
	}
	checker, finished := r.Findings.checker, r.Findings.Finished
	for len(r.verdicts) <= i {
		r.verdicts = append(r.verdicts, judged{stamp: -1})
	}
	was, seen := &r.verdicts[i], s.Messages+s.Errors+s.Pending
	const few = 256 // of a session with more messages some more need not be looked at at once
	same := was.stamp == r.Findings.Stamp && was.finished == finished
	if same && (was.seen == seen || was.seen > few && (seen-was.seen < was.seen/8 || r.Loads() && seen < 2*was.seen)) {
		return was.verdict
	}
	was.stamp, was.finished, was.seen = r.Findings.Stamp, finished, seen
	was.verdict, was.card = checker.Verdict(s, r.Findings.All), nil
	if f := r.WorstOf(i); !finished && !s.Probe && f != nil &&
		(was.verdict.Outcome == diagnose.Unseen || was.verdict.Outcome == diagnose.Failed || r.refusedLast(s)) {
		was.verdict = diagnose.Because(f)
	}
	return was.verdict
}

// CardOf is what stands below the first line of a session.
func (r *Recording) CardOf(i int) []evidence.Line {
	v := r.VerdictOf(i)
	if i < 0 || i >= len(r.verdicts) {
		return nil
	}
	if was := &r.verdicts[i]; was.card == nil {
		was.card = v.Card(r.Findings.checker.Evidence(r.Session(i)))
	}
	return r.verdicts[i].card
}

// refusedLast says whether the latest request of the client that has a response was
// refused.
func (r *Recording) refusedLast(s *session.Session) bool {
	const most = 64
	rows := s.Rows()
	for _, i := range slices.Backward(rows[max(0, len(rows)-most):]) {
		row := r.Tracker.Row(int(i))
		if row.Kind == session.RowCall && row.Dir == wire.ToServer && !row.Ending.Open() {
			return row.Ending.Denied()
		}
	}
	return false
}

// Judgement says in at most so many cells what a session comes to.
func (r *Recording) Judgement(sc *Scene, i, room int) []term.Seg {
	return sc.Judgement(r.VerdictOf(i), room)
}

// Judgement says in at most so many cells what a session comes to.
func (sc *Scene) Judgement(v diagnose.Verdict, room int) []term.Seg {
	st, sign := sc.Sign(&v)
	return []term.Seg{term.S(st, sign+" "+term.ShortenWords(safe.Line(v.Short), room-2, sc.Glyphs))}
}

// Sign is the sign of a verdict, as the first line has it.
func (sc *Scene) Sign(v *diagnose.Verdict) (term.Style, safe.Text) {
	th, sg := sc.Theme, sc.Glyphs
	switch v.Sign() {
	case "✓":
		return th.Ok, sg.Ok
	case "✗":
		return th.Err, sg.Err
	case "!":
		return th.Warn, sg.Warn
	case "?":
		return th.Dim, "?"
	}
	return th.Dim, sg.Dot
}

// Fault says in the words of a badge who must act on a finding.
func Fault(f Located) safe.Text {
	return safe.Line(diagnose.Act(f.Rule, f.Side, f.Rec.Session(f.Session)))
}

// Short is what a rule is called where little room is.
func Short(rule string) safe.Text { return safe.Line(rules.Brief(rule)) }
