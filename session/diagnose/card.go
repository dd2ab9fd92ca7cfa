package diagnose

import (
	"midwire/session/evidence"
)

// The labels of what to do, in a card.
const (
	Fix = "fix"
	Or  = "or"
)

// NamesCause reports whether the verdict says why, and who must act; else it says what was seen.
func (v *Verdict) NamesCause() bool {
	return v.Side != Unclear && v.Rule != "" && (v.Known || v.Outcome == Impaired)
}

// Card is what stands below the first line of a session: what to do where that is known, what was
// seen. It is nil of a session in which all was served. seen is
// Checker.Evidence of the session, or an earlier card of it.
func (v *Verdict) Card(seen []evidence.Line) (all []evidence.Line) {
	if v.Outcome != Failed && v.Outcome != Impaired && !v.Odd {
		return nil
	}
	one := func(label, text string) {
		all = append(all, evidence.Line{Label: label, Parts: []evidence.Part{{Text: text}}})
	}
	if v.NamesCause() && v.Cause != nil {
		label := Fix
		for _, text := range v.Cause.Fixes() {
			one(label, text)
			label = Or
		}
	}
	for _, l := range seen {
		if l.Label != Fix && l.Label != Or {
			all = append(all, l)
		}
	}
	return all
}
