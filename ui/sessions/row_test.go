package sessions

import (
	"testing"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/library/summary"
)

// TestBroke: the verdict says whether a session failed; as long as there is none,
// its state does.
func TestBroke(t *testing.T) {
	for _, c := range []struct {
		sum  summary.Session
		want bool
	}{
		{summary.Session{State: session.StateFailed}, true},
		{summary.Session{State: session.StateOperating}, false},
		{summary.Session{
			State: session.StateFailed, Result: diagnose.Verdict{Why: "the client tried again"},
		}, false},
		{summary.Session{
			State: session.StateClosed, Result: diagnose.Verdict{Outcome: diagnose.Failed},
		}, true},
	} {
		if r := (&row{sum: &c.sum}); r.broke() != c.want {
			t.Errorf("%v with %+v: %v", c.sum.State, c.sum.Result, !c.want)
		}
	}
}
