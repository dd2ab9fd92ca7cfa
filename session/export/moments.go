package export

import (
	"cmp"
	"slices"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/session/words"
)

// moment is one arrow of a sequence diagram, or one note in it.
type moment struct {
	n       uint64 // frame
	t       int64
	session int // index; -1 for none
	dir     wire.Dir
	kind    momentKind
	bad     bool
	text    string
}

type momentKind uint8

const (
	momentAsk momentKind = iota
	momentResponse
	momentNotify
	momentNote    // something at the server's side: process, standard error
	momentFinding // what a rule found
	momentGap     // there is more than fits
)

// moments tells the story of the rows, with what was found, in order.
func (s *Source) moments(first, last int) []moment {
	rows, gap, skipped := s.some(first, last, func(*session.Row) bool { return true })
	return s.story(rows, gap, skipped, s.findings())
}

// story tells of these rows, of which some are missing before the one at gap.
func (s *Source) story(rows []int, gap, skipped int, findings []*diagnose.Finding) []moment {
	var all []moment
	for i, at := range rows {
		r := s.tracker.Row(at)
		if i == gap && skipped > 0 {
			all = append(all, moment{
				n:       uint64(r.Request),
				t:       r.T,
				session: -1,
				kind:    momentGap,
				text:    words.Count(skipped, "more row") + " left out",
			})
		}
		all = append(all, s.rowMoments(r)...)
	}
	for _, f := range findings {
		n := uint64(0)
		if len(f.Frames) > 0 {
			n = f.Frames[0]
		}
		all = append(all, moment{
			n:       n,
			t:       f.T,
			session: f.Session,
			kind:    momentFinding,
			bad:     f.Severity == diagnose.Error,
			text:    severitySign(f.Severity) + " " + f.Rule.ID + ": " + f.Message,
		})
	}
	// A finding comes after what it is about.
	slices.SortStableFunc(all, func(a, b moment) int { return cmp.Compare(a.n, b.n) })
	return all
}

func (s *Source) rowMoments(r *session.Row) []moment {
	target, result := s.words(r)
	name := s.clean(s.tracker.Name(r.Name))
	m := moment{n: uint64(r.Request), t: r.T, session: int(r.Session), dir: r.Dir, text: words.Join(name, target)}
	bad := r.Verdict == session.VerdictError || r.Verdict == session.VerdictLost
	if r.Kind == session.RowHTTP {
		m.text = target // it begins with the name
	}
	switch r.Kind {
	case session.RowStderr, session.RowProcess, session.RowTap:
		m.kind, m.bad = momentNote, bad
		m.text = words.Join(m.text, result)
		return []moment{m}
	case session.RowCall, session.RowHTTP:
		m.kind = momentAsk
		if r.End == 0 || r.Verdict == session.VerdictPending || r.Verdict == session.VerdictLost {
			m.bad = bad
			m.text = words.Join(m.text, map[bool]string{true: "(no response)", false: "(pending)"}[bad])
			return []moment{m}
		}
		a := moment{
			n:       max(m.n, uint64(r.Response)),
			t:       r.End,
			session: m.session,
			dir:     r.Dir.Opposite(),
			kind:    momentResponse,
			bad:     bad,
		}
		a.text = words.Join(result, "("+Duration(r.Latency())+")")
		if r.Kind == session.RowHTTP && r.First != 0 { // a stream ends much later than it gets its response
			a.t, a.text = r.First, result
		}
		return []moment{m, a}
	case session.RowNotification:
		m.kind = momentNotify
	default:
		m.kind, m.bad = momentResponse, r.Kind == session.RowNoise || bad
		m.text = words.Join(m.text, result)
	}
	return []moment{m}
}

// short makes a text of the wire one safe line of at most n characters.
func short(text string, n int) string {
	runes := []rune(safe.Clean(text))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n-1]) + "…"
}
