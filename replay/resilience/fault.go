package resilience

import "midwire/replay/checks"

// Fault is what is broken in a trial.
type Fault struct {
	Name  string
	Rules []string // lines of the gate
	Help  string   // what happens
	Spec  string
	// Resumes says that the fault is for streams that can be resumed: it strikes when
	// the client has got the id by which it can.
	Resumes bool
	*Offer  // what is not broken, but unusual
}

// Check is the check of a fault before it is played.
func (f *Fault) Check() *checks.Check {
	stage := "faults"
	if f.Offer != nil {
		stage = "offers"
	}
	return &checks.Check{Stage: stage, Name: f.Name, Help: f.Help, Spec: f.Spec, Verdict: checks.Skipped}
}

// Grade turns what came of a fault into a verdict: it fails from an outcome on. At an offer
// a client that is not served fails.
func (f *Fault) Grade(c *checks.Check, fail checks.Outcome) {
	if f.Offer != nil {
		fail = checks.Told
	}
	switch {
	case c.Outcome <= checks.NotApplicable:
		c.Outcome, c.Verdict = checks.NotApplicable, checks.Skipped
	case c.Outcome >= fail && f.Offer != nil && f.Should:
		c.Verdict = checks.Noted
	case c.Outcome >= fail:
		c.Verdict = checks.Failed
	case c.Outcome == checks.RecoveredLate:
		c.Verdict = checks.Noted
	default:
		c.Verdict = checks.Passed
	}
}
