package library

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/library/summary"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/term"
)

// judged is the verdict on a session, as of when.
type judged struct {
	stamp, seen int
	finished    bool
	own         diagnose.Verdict // of the checker
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
	if r.Merges() {
		checker, finished = r.checkers[s.Tap], r.finished[s.Tap]
	}
	for len(r.verdicts) <= i {
		r.verdicts = append(r.verdicts, judged{stamp: -1})
	}
	was, seen := &r.verdicts[i], s.Messages+s.Errors+s.Pending
	const few = 256 // of a session with more messages some more need not be looked at at once
	same := was.stamp == r.Findings.Stamp && was.finished == finished
	if same && (was.seen == seen || was.seen > few && seen-was.seen < was.seen/8) {
		return was.verdict
	}
	if finished || was.own.Outcome != diagnose.Works { // what works does so until the end
		was.own = checker.Verdict(s, r.Findings.All)
	}
	was.stamp, was.seen, was.finished, was.verdict = r.Findings.Stamp, seen, finished, was.own
	if f := r.WorstOf(i); !finished && !s.Probe && f != nil &&
		(was.own.Outcome != diagnose.Works || r.refusedLast(s)) {
		was.verdict = diagnose.Verdict{
			Outcome: diagnose.Failed, Cause: f, Known: true, Rule: f.Rule.ID, Side: f.Side, Confidence: f.Confidence,
		}
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
		if row.Kind == session.RowCall && row.Dir == wire.ToServer && row.Verdict != session.VerdictPending {
			return row.Verdict == session.VerdictError && (row.Code != 0 || row.Status >= 400)
		}
	}
	return false
}

// Judgement says in at most so many cells what a session comes to, and what was found
// besides.
func (r *Recording) Judgement(sc *Scene, i, room int) []term.Seg {
	var also *summary.Finding
	if f := r.worst(i); f != nil {
		also = &summary.Finding{Rule: f.Rule.ID, Title: f.Rule.Title, Severity: f.Severity}
	}
	return r.judgement(sc, i, also, room)
}

// VerdictText is Judgement without what else was found.
func (r *Recording) VerdictText(sc *Scene, i, room int) []term.Seg {
	return r.judgement(sc, i, nil, room)
}

func (r *Recording) judgement(sc *Scene, i int, also *summary.Finding, room int) []term.Seg {
	v, title := r.VerdictOf(i), ""
	if v.Cause != nil {
		title = v.Cause.Rule.Title
	}
	return sc.Judgement(v, title, also, room)
}

// Judgement says in at most so many cells what a session comes to: why it failed and
// who is responsible, or else what was found besides, the worst of which is also, nil
// for nothing. Title is that of the rule that knows the cause.
func (sc *Scene) Judgement(v diagnose.Verdict, title string, also *summary.Finding, room int) []term.Seg {
	th, sg := sc.Theme, sc.Glyphs
	var out []term.Seg
	switch {
	case v.Outcome == diagnose.Failed && v.Known:
		words := Phrase(v.Rule, title, room-2, sg)
		out = append(out, term.S(th.Err, sg.Err+" "+words))
		if who := " " + sg.Dot + " " + safe.Line(v.Side.String()); 2+term.Width(words)+term.Width(who) <= room {
			out = append(out, term.S(th.Dim, who))
		}
		return out
	case v.Outcome == diagnose.Failed:
		text := safe.Text("failed, cause unknown")
		if 2+len(text) > room {
			text = "cause unknown"
		}
		return append(out, term.S(th.Err, sg.Err+" "+term.Shorten(text, room-2, sg)))
	case v.Outcome == diagnose.Works:
		out = append(out, term.S(th.Ok, sg.Ok+" works"))
	default:
		text := "not enough seen: " + safe.Line(v.Why)
		if 2+term.Width(text) > room {
			text = safe.Line(v.Why)
		}
		out = append(out, term.S(th.Dim, sg.Dot+" "+term.ShortenWords(text, room-2, sg)))
	}
	if also == nil || also.Severity > diagnose.Warning {
		return out
	}
	const least = 9 // cells for words that say something
	gap := safe.Text("  ")
	if room < 24 {
		gap = " "
	}
	sign, st := sc.Severity(also.Severity)
	switch room -= term.SegsWidth(out) + len(gap); {
	case room >= least+2:
		out = append(out, term.S(st, gap+sign+" "+Phrase(also.Rule, also.Title, room-2, sg)))
	case room >= 1:
		out = append(out, term.S(st, gap+sign))
	}
	return out
}

// Phrase is what a rule finds in at most so many cells: its title without who is
// responsible, or fewer words.
func Phrase(rule, title string, room int, sg *term.Glyphs) safe.Text {
	if title == "" {
		return term.ShortenWords(Short(rule), room, sg)
	}
	for _, who := range []string{"The client ", "The server "} {
		title = strings.TrimPrefix(title, who)
	}
	text := safe.Line(title)
	if term.Width(text) <= room {
		return text
	}
	if name := Short(rule); term.Width(name) <= room {
		return name
	}
	return term.ShortenWords(Short(rule), room, sg)
}

// Short is what a rule is called where little room is.
func Short(rule string) safe.Text { return safe.Line(rules.Brief(rule)) }

// worst is the first of the worst errors and warnings of a session.
func (r *Recording) worst(session int) (worst *diagnose.Finding) {
	t := r.Findings.BySession[session]
	if t[diagnose.Error] == 0 && t[diagnose.Warning] == 0 {
		return nil
	}
	for _, f := range r.Findings.All {
		if f.Session != session || f.Severity > diagnose.Warning || r.Findings.Muted[f.Rule.ID] {
			continue
		}
		if worst == nil || f.Severity < worst.Severity {
			worst = f
		}
	}
	return worst
}
