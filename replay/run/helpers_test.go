package run

import (
	"testing"

	"midwire/fixtures/replaytest"
	"midwire/replay"
)

func TestMain(m *testing.M) { replaytest.Main(m, nil) }

func load(t testing.TB, path string) *replay.Script {
	t.Helper()
	s, err := replay.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// replayed replays a recording.
func replayed(t testing.TB, path string, opt Options) *replay.Report {
	t.Helper()
	p, err := load(t, path).Plan(replay.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	opt.Yes = true
	if opt.Record == nil {
		opt.Record = replaytest.Library(t)
	}
	r, err := Run(t.Context(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// allSame fails the test with what differs.
func allSame(t *testing.T, r *replay.Report, calls int) {
	t.Helper()
	if r.Differs() || r.Count(replay.Same) != calls {
		t.Errorf("want %d calls, all same; got %d:", calls, r.Count(replay.Same))
		for _, o := range r.Outcomes {
			t.Logf("%s %q %v %s slower=%v", o.Verdict, o.Label(), o.Changes, o.Note, o.Slower)
		}
		t.Logf("problems: %v", r.Problems)
	}
}
