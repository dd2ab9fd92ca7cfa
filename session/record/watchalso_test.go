package record

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// A recording that comes into being while given files are watched can be
// watched as well, and every recording can be found by its id.
func TestWatchAlso(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		a := tap(t, dir, "a", started)
		line(a, 2)
		w := watchIn(t, dir, time.Time{}, []string{a.Path()})
		w.rest()
		b := tap(t, dir, "b", started)
		w.rest()
		if len(w.recs) != 1 {
			t.Fatalf("%v", w.recs)
		}
		w.Add(b.Path())
		w.Add(b.Path())
		w.Add(filepath.Join(dir, "nobody.jsonl"))
		line(b, 3)
		w.within(soon, "delivered", func() bool { return w.recs["b"].Live && w.frames["b"] == 3 })
		if w.Path("b") != b.Path() || w.Path("a") != a.Path() {
			t.Errorf("%q %q", w.Path("a"), w.Path("b"))
		}
		all := watchIn(t, dir, time.Time{}, nil)
		if got := all.Path("later"); got != filepath.Join(dir, "later.jsonl") {
			t.Errorf("%q", got)
		}
	})
}

// TestNudge: Next returns once for a nudge, though there is no news.
func TestNudge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, err := NewWatch(t.TempDir(), time.Time{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		w.Nudge()
		if b, err := w.Next(t.Context()); err != nil || len(b.Recordings)+len(b.Frames) > 0 {
			t.Errorf("%+v, %v", b, err)
		}
		ctx, stop := context.WithTimeout(t.Context(), 3*watchPeriod)
		defer stop()
		if _, err := w.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it returns again: %v", err)
		}
	})
}
