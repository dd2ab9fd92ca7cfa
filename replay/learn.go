package replay

import (
	"cmp"
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
	type place struct {
		call int32
		rule string
	}
	seen := map[place][]uint64{} // what was there, in the replays in which it was not what was recorded
	for _, r := range reports {
		for i := range r.Outcomes {
			o := &r.Outcomes[i]
			for _, c := range o.Changes {
				if p, err := jsonpath.Parse(c.Path); err == nil {
					at := place{o.Call, Rule{Method: o.Method, Target: o.Target, Path: p}.String()}
					seen[at] = append(seen[at], c.sum)
				}
			}
		}
	}
	places := slices.SortedFunc(maps.Keys(seen), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.call, b.call), cmp.Compare(a.rule, b.rule))
	})
	var rules []Rule
	said := map[string]bool{}
	for _, at := range places {
		of := seen[at]
		r, err := ParseRule(at.rule)
		if err == nil && !said[at.rule] && (len(of) < len(reports) || slices.Max(of) != slices.Min(of)) {
			said[at.rule] = true
			rules = append(rules, r)
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
