package diagnose

import (
	"cmp"
	"slices"

	"midwire/session"
)

// LifeCycle is the life cycle of a session as its verdict has it: no step is bad where
// it works, and one is where it failed. live says whether more may come. The steps that
// are given stay as they are.
func (v *Verdict) LifeCycle(steps []session.LifeStep, live bool) []session.LifeStep {
	steps = slices.Clone(steps)
	bad := -1
	for i := range steps {
		switch step := &steps[i]; {
		case step.Mark == session.StepNow && !live && step.Name == session.StepOperating:
			step.Mark = session.StepDone
		case step.Mark == session.StepNow && !live: // it never came
			step.Mark = session.StepAhead
		case step.Mark == session.StepBad && v.fine():
			step.Mark = session.StepSkipped
		case step.Mark == session.StepBad:
			bad = i
		}
	}
	if i := v.at(steps); v.Outcome == Failed && bad < 0 && i >= 0 {
		steps[i].Mark, steps[i].Note = session.StepBad, v.Short
	}
	return steps
}

// fine says whether nothing that a step of the life cycle shows harmed the session.
func (v *Verdict) fine() bool {
	switch v.Outcome {
	case Served, OnPurpose:
		return true
	case Impaired:
		return v.Cause == nil || v.Cause.Severity != Error
	}
	return false
}

// at is the step at which a session failed, -1 where there is none: that where the cause
// shows, or else of its evidence, or the last one that began before it, or of a cause that
// showed in an earlier session the last one of all.
func (v *Verdict) at(steps []session.LifeStep) int {
	at, last, cited := -1, -1, -1
	for i := range steps {
		step := &steps[i]
		if v.Cause != nil && step.Frame != 0 && slices.Contains(v.Cause.Shows, step.Frame) {
			return i
		}
		if v.Cause != nil && step.Frame != 0 && slices.Contains(v.Cause.Frames, step.Frame) && cited < 0 {
			cited = i
		}
		if step.Mark == session.StepAhead || step.Mark == session.StepSkipped {
			continue
		}
		last = i
		if v.Cause == nil || len(v.Cause.Frames) == 0 || step.Frame <= v.Cause.Frames[0] {
			at = i
		}
	}
	return cmp.Or(cited+1, at+1, last+1) - 1
}
