package sessions

import (
	"testing"
	"time"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/library/summary"
	"midwire/session/wire"
	"midwire/ui/library"
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
			State: session.StateFailed, Result: diagnose.Verdict{Line: "the client tried again"},
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

// TestCopiesStandWhereTheyCame: a session of another host is not the newest because it says so.
func TestCopiesStandWhereTheyCame(t *testing.T) {
	now := time.Now()
	far := now.AddDate(70, 0, 0)
	own := &row{rec: &library.Recording{Recording: wire.Recording{ID: "own", Started: now, Changed: now}}}
	copied := &row{rec: &library.Recording{Recording: wire.Recording{ID: "x@web1", Host: "web1", Started: far, Changed: now.Add(-time.Hour)}}}
	if newerFirst(own, copied) > 0 || dayOf(copied, now).rank < dayOf(own, now).rank {
		t.Error("the copy comes first")
	}
}
