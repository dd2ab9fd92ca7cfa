package library

import (
	"cmp"
	"slices"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/term"
)

// judged is the verdict on a session, as of when.
type judged struct {
	stamp, seen int
	finished    bool
	verdict     diagnose.Verdict
}

// VerdictOf is what a session comes to. One that goes on is judged by what is known so
// far: an error that was found is why it fails, as long as nothing was served, or its
// latest request was refused.
func (r *Recording) VerdictOf(i int) diagnose.Verdict {
	s := r.Session(i)
	if s == nil || r.Findings.checker == nil {
		return diagnose.Verdict{Why: "nothing was read yet"}
	}
	checker, finished := r.Findings.checker, r.Findings.Finished
	for len(r.verdicts) <= i {
		r.verdicts = append(r.verdicts, judged{stamp: -1})
	}
	was, seen := &r.verdicts[i], s.Messages+s.Errors+s.Pending
	const few = 256 // of a session with more messages some more need not be looked at at once
	same := was.stamp == r.Findings.Stamp && was.finished == finished
	if same && (was.seen == seen || was.seen > few && seen-was.seen < was.seen/8) {
		return was.verdict
	}
	was.stamp, was.finished, was.seen = r.Findings.Stamp, finished, seen
	was.verdict = checker.Verdict(s, r.Findings.All)
	if f := r.WorstOf(i); !finished && !s.Probe && f != nil &&
		(was.verdict.Outcome == diagnose.Unseen || was.verdict.Outcome == diagnose.Failed || r.refusedLast(s)) {
		was.verdict = diagnose.Because(f, true)
	}
	return was.verdict
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

// Judgement says in at most so many cells what a session comes to: why it failed and
// who is responsible, or what is wrong although it works.
func (sc *Scene) Judgement(v diagnose.Verdict, room int) []term.Seg {
	th, sg := sc.Theme, sc.Glyphs
	one := func(st term.Style, sign safe.Text, texts ...safe.Text) []term.Seg { // the first that fits, or the last
		i := slices.IndexFunc(texts, func(t safe.Text) bool { return 2+term.Width(t) <= room })
		if i < 0 {
			i = len(texts) - 1
		}
		return []term.Seg{term.S(st, sign+" "+term.ShortenWords(texts[i], room-2, sg))}
	}
	why, brief := safe.Line(v.Why), safe.Line(v.Brief)
	switch v.Outcome {
	case diagnose.Works:
		if why != "" {
			return one(th.Ok, sg.Ok, "works; noted: "+why, "works; noted: "+brief, "works; noted")
		}
		return one(th.Ok, sg.Ok, "works")
	case diagnose.Impaired:
		return one(th.Warn, sg.Warn, safe.Line(v.Praise())+why, safe.Line(v.Praise())+brief, brief)
	case diagnose.OnPurpose:
		return one(th.Dim, sg.Dot, "on purpose: "+why, "on purpose: "+brief, brief)
	case diagnose.Unseen:
		if v.Rule != "" {
			why = brief
		}
		return one(th.Dim, sg.Dot, "not enough seen: "+why, why)
	}
	if !v.Known {
		return one(th.Err, sg.Err, "failed, cause unknown: "+brief, "cause unknown: "+brief, brief, "cause unknown")
	}
	rule := rules.Find(v.Rule)
	if v.Cause != nil {
		rule = v.Cause.Rule
	}
	title, short := Short(v.Rule), Short(v.Rule)
	switch {
	case v.Brief != "" && rule != nil && v.Brief != cmp.Or(rule.Brief, rule.ID): // it says more than its rule
		title, short = brief, brief
	case rule != nil && rule.Title != "":
		title = safe.Line(rule.Title)
	}
	out := one(th.Err, sg.Err, title, short)
	if who := " " + sg.Dot + " " + safe.Line(v.Side.String()); term.SegsWidth(out)+term.Width(who) <= room {
		out = append(out, term.S(th.Dim, who))
	}
	return out
}

// Fault says in the words of a badge which side is responsible for a finding.
func Fault(f *diagnose.Finding) safe.Text { return Badge(f.Side, f.Confidence, f.AtFault()) }

// Badge says which side is responsible: "fix the server" where that is certain and a
// remedy is there. What is only possible is nobody's fault yet.
func Badge(side diagnose.Side, sure diagnose.Confidence, remedy bool) safe.Text {
	name := safe.Line(side.String())
	switch {
	case side == diagnose.Unclear || side == diagnose.Midwire:
		return "at fault: " + name
	case sure == diagnose.Possible:
		return "possibly the " + name
	case remedy:
		return "fix the " + name
	}
	return "at fault: the " + name
}

// Short is what a rule is called where little room is.
func Short(rule string) safe.Text { return safe.Line(rules.Brief(rule)) }
