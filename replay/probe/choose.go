package probe

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"midwire/replay"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/library"
	"midwire/session/library/notebook"
	"midwire/session/library/summary"
	"midwire/session/notes"
)

// Choose is the call of a recording to ask about: the first that the gravest finding, or
// that of a rule, is about and that failed; of a rule "" also any other that failed.
func Choose(s *replay.Script, rule string) (call int32, err error) {
	checked, err := library.Check([]string{s.Path}, rules.All())
	if err != nil {
		return 0, err
	}
	var all []*diagnose.Finding
	for _, root := range checked[0].Findings {
		root.Each(func(f *diagnose.Finding, _ int) { all = append(all, f) })
	}
	slices.SortStableFunc(all, func(a, b *diagnose.Finding) int { return int(a.Severity) - int(b.Severity) })
	for _, f := range all {
		if rule != "" && f.Rule.ID != rule {
			continue
		}
		for _, n := range slices.Concat(f.Frames, f.About) {
			if call, ok := s.CallAt(n); ok && Check(s, call) == nil {
				return call, nil
			}
		}
	}
	if rule != "" {
		return 0, fmt.Errorf("no finding of %s is about a request that failed; --call N names one by its frame", rule)
	}
	for i := range s.Calls {
		if Check(s, int32(i)) == nil {
			return int32(i), nil
		}
	}
	return 0, errors.New("no request of a client failed in this recording: there is nothing to ask")
}

// Note writes what came of asking about a call beside the recording, where it is evidence.
func (r *Result) Note(s *replay.Script, call int32) error {
	tries := 0
	for _, t := range r.Tries {
		tries += t.Times
	}
	changes := notes.Changes{}
	asked := notes.Asked{Says: r.Says, Known: r.Known, Side: r.Side, Tries: tries, At: time.Now()}
	changes.SetAsked(s.CallRow(call), asked)
	_, err := notebook.Write(s.Path, changes)
	r.Kept = err == nil
	return errors.Join(err, summary.Remove(s.Path)) // which says what was known before
}

// NotKept says why the outcome is not noted beside the recording; "" where it is.
func (r *Result) NotKept(own bool) string {
	switch {
	case r.Kept:
		return ""
	case !own:
		return "This is not kept: the recording was not made here."
	}
	return "This is not kept: nothing follows from it."
}
