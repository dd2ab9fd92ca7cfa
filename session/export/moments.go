package export

import (
	"cmp"
	"slices"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/session/timeline"
	"midwire/session/words"
)

// moment is one arrow of a sequence diagram, or one note in it.
type moment struct {
	timeline.Event
	session int // index; -1 for none
	text    string
}

// Beside the arrows and notes of rows.
const (
	finding timeline.Kind = 100 + iota // what a rule found
	gap                                // there is more than fits
)

// moments returns the arrows and notes of the rows and the findings, in order.
func (s *Source) moments(first, last int) []moment {
	rows, gapAt, skipped := s.selectRows(first, last)
	var all []moment
	for i, at := range rows {
		r := s.tracker.Row(at)
		if i == gapAt && skipped > 0 {
			all = append(all, moment{
				Event:   timeline.Event{N: uint64(r.Request), T: r.T, Kind: gap},
				session: -1, text: words.Count(skipped, "more row") + " left out",
			})
		}
		all = append(all, s.rowMoments(r)...)
	}
	for _, f := range s.findings() {
		n := uint64(0)
		if len(f.Frames) > 0 {
			n = f.Frames[0]
		}
		all = append(all, moment{
			Event:   timeline.Event{N: n, T: f.T, Kind: finding, Bad: f.Severity == diagnose.Error},
			session: f.Session, text: severitySign(f.Severity) + " " + f.Rule.ID + ": " + f.Message,
		})
	}
	// A finding comes after what it is about.
	slices.SortStableFunc(all, func(a, b moment) int { return cmp.Compare(a.N, b.N) })
	return all
}

func (s *Source) rowMoments(r *session.Row) []moment {
	target, result := s.words(r)
	m := moment{Event: timeline.Begin(r), session: int(r.Session)}
	m.text = words.Join(s.clean(s.tracker.Name(r.Name)), target)
	if r.Kind == session.RowHTTP {
		m.text = target // it starts with the name
	}
	switch {
	case timeline.Ended(r):
		end := moment{Event: timeline.End(r), session: m.session, text: result}
		if r.Kind == session.RowCall {
			end.text = words.Join(result, "("+Duration(r.Latency())+")")
		}
		return []moment{m, end}
	case m.Kind == timeline.Request && m.Bad:
		m.text += " (no response)"
	case m.Kind == timeline.Request:
		m.text += " (pending)"
	case m.Kind != timeline.Notification:
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
