package replay

import (
	"maps"
	"slices"

	"midwire/session/jsonpath"
)

// Learn returns rules for what differed between several replays of one
// recording against one server: that says nothing of a change. The rules that
// the reports were made with are not repeated.
func Learn(reports []*Report) []Rule {
	if len(reports) < 2 {
		return nil
	}
	type sums map[string][]uint64 // what was at a path, by replay; 0 is what was recorded
	seen := map[int32]sums{}
	for i, r := range reports {
		for j := range r.Outcomes {
			o := &r.Outcomes[j]
			for _, c := range o.Changes {
				if seen[o.call] == nil {
					seen[o.call] = sums{}
				}
				if seen[o.call][c.Path] == nil {
					seen[o.call][c.Path] = make([]uint64, len(reports))
				}
				seen[o.call][c.Path][i] = c.sum
			}
		}
	}
	var rules []Rule
	told := map[string]bool{}
	for j := range reports[0].Outcomes {
		o := &reports[0].Outcomes[j]
		for _, path := range slices.Sorted(maps.Keys(seen[o.call])) {
			p, err := jsonpath.Parse(path)
			r := Rule{Method: o.Method, Target: o.Target, Path: p}
			of := seen[o.call][path]
			if err == nil && slices.Max(of) != slices.Min(of) && !told[r.String()] {
				told[r.String()] = true
				rules = append(rules, r)
			}
		}
	}
	return rules
}

// Ignore takes differences that rules cover out of the report.
func (r *Report) Ignore(rules []Rule) {
	m := Masks{Rules: rules}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		own := m.of(o.Method, o.Target)
		o.Changes = slices.DeleteFunc(o.Changes, func(c Change) bool {
			at, err := jsonpath.Parse(c.Path)
			return err == nil && slices.ContainsFunc(own, func(r Rule) bool { return r.Path.Matches(at) })
		})
		if o.Verdict == Changed && len(o.Changes) == 0 {
			o.Verdict = Same
			if o.Slower {
				o.Verdict = Slower
			}
		}
	}
}
