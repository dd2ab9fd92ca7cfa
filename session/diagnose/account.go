package diagnose

import (
	"cmp"
	"slices"
)

// Account is what a recording comes to: the verdict on its worst session, or what was
// found that belongs to none and is worse. Whatever speaks of a whole recording takes it.
type Account struct {
	Verdict
	Session int // index of the session, -1 for none
}

// AccountOf is the account of a recording, given the verdicts on its sessions and the
// roots of what was found. Of equally bad sessions it is the first.
func AccountOf(verdicts []Verdict, roots []*Finding) Account {
	type candidate struct {
		Account
		weight int
	}
	var all []candidate
	for i, v := range verdicts {
		all = append(all, candidate{Account{v, i}, v.Weight()})
	}
	for _, f := range roots {
		if len(verdicts) == 0 || f.Session < 0 && f.Severity < Note && !f.Harmless {
			loose := candidate{Account{Session: -1}, f.Weight(nil)}
			if loose.of(f); len(verdicts) == 0 && f.Severity == Error {
				loose.Verdict = Because(f) // it is why there is no session
			}
			all = append(all, loose)
		}
	}
	if len(all) == 0 {
		return Account{Verdict: unseen("no session was seen"), Session: -1}
	}
	return slices.MinFunc(all, func(a, b candidate) int {
		return cmp.Compare(a.weight, b.weight)
	}).Account
}

// What verdicts and findings are ordered by, the worst first.
const (
	weighsFailure = iota * 10
	weighsUnknown // a failure without a cause
	weighsError
	weighsLosses // operations failed, and nothing that was found says why
	weighsWarning
	weighsPurpose
	weighsNote
	weighsUnseen
	weighsNothing
	weighsAside // another session has it

	beside = 5 // more for what explains no verdict
)

// weights are those of what is no more than found.
var weights = [...]int{Error: weighsError, Warning: weighsWarning, Note: weighsNote}

// Weight orders verdicts: the worst has the least.
func (v *Verdict) Weight() int {
	harms := v.Outcome == Impaired || v.Outcome == Unseen && v.Severity < Note
	switch severity := int(v.Severity); {
	case v.Outcome == Failed && v.Known:
		return weighsFailure + severity
	case v.Outcome == Failed:
		return weighsUnknown + severity
	case harms && severity > 0:
		return weights[severity] + severity
	case v.Outcome == Impaired:
		return weighsLosses
	case v.Outcome == OnPurpose:
		return weighsPurpose
	case v.Outcome == Unseen && v.Known:
		return weighsAside
	case v.Outcome == Unseen:
		return weighsUnseen
	case v.Odd:
		return weighsNote
	}
	return weighsNothing
}

// Harmed reports whether something went wrong that is more than worth knowing.
func (v *Verdict) Harmed() bool { return v.Weight() < weighsPurpose }

// Weight orders findings as verdicts are ordered: by the worst that it explains, or else
// behind what explains one that is as bad.
func (f *Finding) Weight(verdicts []Verdict) int {
	w := weights[f.Severity] + int(f.Severity) + beside
	for i := range verdicts {
		if verdicts[i].Cause == f {
			w = min(w, verdicts[i].Weight())
		}
	}
	return w
}
