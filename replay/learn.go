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
				if seen[o.Call] == nil {
					seen[o.Call] = sums{}
				}
				if seen[o.Call][c.Path] == nil {
					seen[o.Call][c.Path] = make([]uint64, len(reports))
				}
				seen[o.Call][c.Path][i] = c.sum
			}
		}
	}
	var rules []Rule
	said := map[string]bool{}
	for j := range reports[0].Outcomes {
		o := &reports[0].Outcomes[j]
		for _, path := range slices.Sorted(maps.Keys(seen[o.Call])) {
			p, err := jsonpath.Parse(path)
			r := Rule{Method: o.Method, Target: o.Target, Path: p}
			of := seen[o.Call][path]
			if err == nil && slices.Max(of) != slices.Min(of) && !said[r.String()] {
				said[r.String()] = true
				rules = append(rules, r)
			}
		}
	}
	return rules
}

// Ignore takes differences that rules cover out of the report.
func (r *Report) Ignore(rules []Rule) { r.Outcomes = ignore(r.Outcomes, rules) }

// ignore returns outcomes without the differences that rules cover.
func ignore(outcomes []Outcome, rules []Rule) []Outcome {
	m := Masks{Rules: rules}
	less := slices.Clone(outcomes)
	for i := range less {
		o := &less[i]
		own := m.of(o.Method, o.Target)
		if len(own) == 0 || len(o.Changes) == 0 {
			continue
		}
		o.Changes = slices.DeleteFunc(slices.Clone(o.Changes), func(c Change) bool {
			at, err := jsonpath.Parse(c.Path)
			return err == nil && covered(own, at)
		})
		if o.Verdict == Changed && len(o.Changes) == 0 {
			o.Verdict = Same
			if o.Slower {
				o.Verdict = Slower
			}
		}
	}
	return less
}
