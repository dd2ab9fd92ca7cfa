package library

import (
	"midwire/session"
	"midwire/session/ledger"
)

// Debts are what the call of a row waits for, its own response first, then what that
// stands on; nil when nothing is owed. It is a bounded amount of work.
func (r *Recording) Debts(i int) []ledger.Debt {
	row := r.Tracker.Row(i)
	checker := r.Findings.checker
	if r.Merges() {
		m := r.Frame(uint64(row.Request))
		if m == nil {
			return nil
		}
		checker = r.checkers[m.Part]
	}
	if checker == nil || row.Kind != session.RowCall {
		return nil
	}
	chain := checker.Ledger().Chain(i)
	switch {
	case row.Ending.Open():
		return chain
	case len(chain) < 2 || chain[1].Kind == ledger.Page: // nobody need read a list to its end
		return nil
	}
	return chain
}
