package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"midwire/session/wire"
)

// watcher keeps what a Watch delivered, and fails when frames come twice or
// out of order.
type watcher struct {
	*testing.T
	*Watch
	recs   map[string]wire.Recording
	frames map[string]uint64 // the last one
	told   []string
}

// watchIn watches in a bubble, where waiting takes no time.
func watchIn(t *testing.T, dir string, since time.Time, files []string) *watcher {
	t.Helper()
	w, err := NewWatch(dir, since, files)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return &watcher{t, w, map[string]wire.Recording{}, map[string]uint64{}, nil}
}

// look takes news for at most so long, and says whether there was any.
func (w *watcher) look(ctx context.Context, most time.Duration) bool {
	w.Helper()
	ctx, stop := context.WithTimeout(ctx, most)
	defer stop()
	n, err := w.Next(ctx)
	if err != nil {
		return false
	}
	w.take(n)
	return true
}

func (w *watcher) take(n wire.Batch) {
	w.Helper()
	for _, r := range n.Recordings {
		w.recs[r.ID] = r
	}
	for _, f := range n.Frames {
		if f.Frame.N != w.frames[f.Rec]+1 {
			w.Fatalf("%s: frame %d after %d", f.Rec, f.Frame.N, w.frames[f.Rec])
		}
		if _, known := w.recs[f.Rec]; !known {
			w.Fatalf("frames of %s before the recording", f.Rec)
		}
		if want := fmt.Sprintf(`{"n":%d}`, f.Frame.N); f.Frame.Kind == wire.KindLine && string(f.Frame.Data) != want {
			w.Fatalf("%s: frame %d is %s", f.Rec, f.Frame.N, f.Frame.Data)
		}
		w.frames[f.Rec] = f.Frame.N
	}
	if n.Err != nil {
		w.told = append(w.told, n.Err.Error())
	}
}

// within takes news until ok, which must be soon.
func (w *watcher) within(most time.Duration, what string, ok func() bool) {
	w.Helper()
	for end := time.Now().Add(most); !ok(); {
		if left := time.Until(end); left <= 0 || !w.look(w.Context(), left) && !ok() {
			w.Fatalf("not %s within %v: %v, frames %v", what, most, w.recs, w.frames)
		}
	}
}

const soon = listPeriod + 2*watchPeriod

// rest takes what there is until nothing comes any more.
func (w *watcher) rest() {
	w.Helper()
	for range 1000 {
		if !w.look(w.Context(), 2*soon) {
			return
		}
	}
	w.Fatal("news without end")
}

// line appends frames that name their numbers.
func line(w *Writer, count int) {
	for range count {
		w.Append(&wire.Frame{Kind: wire.KindLine, Dir: wire.ToServer, X: 1, EOL: "\n", Data: fmt.Appendf(nil, `{"n":%d}`, w.n+1)})
	}
	w.Flush()
}

func tap(t *testing.T, dir, id string, at time.Time) *Writer {
	t.Helper()
	w, err := Create(dir, Header{ID: id, Started: at, Tap: "stdio", Command: []string{"a", "b"}}, Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func TestWatchGrowing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		w := watchIn(t, filepath.Join(dir, "later"), time.Time{}, nil)
		if w.look(t.Context(), 2*soon) {
			t.Errorf("news of nothing: %v", w.recs)
		}
		a, b := tap(t, w.dir, "a", started), tap(t, w.dir, "b", started)
		w.within(soon, "listed", func() bool { return w.recs["a"].Live && w.recs["b"].Live })
		if r := w.recs["a"]; r.Where != "a b" || r.Tap != "stdio" || !r.Started.Equal(started) || r.Size == 0 {
			t.Errorf("%+v", r)
		}
		for i := range 30 {
			line(a, i)
			line(b, 1)
			w.within(2*watchPeriod, "delivered", func() bool { return w.frames["a"] == a.n && w.frames["b"] == b.n })
		}
		line(a, 3*batchFrames)
		w.within(soon, "delivered at once", func() bool { return w.frames["a"] == a.n })
		a.Close()
		w.within(soon, "ended", func() bool { return !w.recs["a"].Live && w.frames["a"] == a.n })
		if r := w.recs["a"]; r.Trouble != "" || !w.recs["b"].Live {
			t.Errorf("%+v", w.recs)
		}
		w.rest()
		line(b, 1)
		w.within(2*watchPeriod, "delivered after a pause", func() bool { return w.frames["b"] == b.n })
	})
}

func TestWatchFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		a := tap(t, dir, "a", started)
		line(a, 5)
		raw, _ := os.ReadFile(a.Path())
		twin := tempFile(t, raw)
		link := filepath.Join(t.TempDir(), "link.jsonl")
		if err := os.Symlink(a.Path(), link); err != nil {
			link = a.Path()
		}
		w := watchIn(t, dir, started.Add(time.Hour), []string{a.Path(), twin, a.Path(), link})
		tap(t, dir, "other", started.Add(2*time.Hour))
		w.rest()
		if len(w.recs) != 2 || w.frames["a"] != 5 || w.frames["x"] != 5 || !w.recs["a"].Live || w.recs["x"].Live {
			t.Errorf("%v %v", w.recs, w.frames)
		}
		// A file that is not locked may grow all the same: somebody copies it.
		f, err := os.OpenFile(twin, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(f, `{"n":6,"t":1,"k":"line","len":7,"json":{"n":6}}`)
		f.Close()
		w.within(soon, "delivered", func() bool { return w.frames["x"] == 6 })
		if _, err := NewWatch(dir, time.Time{}, []string{a.Path(), tempFile(t, []byte("Dear"))}); !errors.Is(err, ErrNotRecording) {
			t.Errorf("a letter: %v", err)
		}
	})
}

func TestWatchPast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := library(t, "old", "new")
		w := watchIn(t, dir, time.Time{}, nil)
		w.rest()
		if len(w.recs) != 2 || len(w.frames) != 0 {
			t.Fatalf("%v %v", w.recs, w.frames)
		}
		if _, err := w.Frame("old", 1); err == nil {
			t.Error("a frame of what is not open")
		}
		w.Open("old")
		w.Open("old")
		w.Open("nobody")
		w.within(2*watchPeriod, "loaded", func() bool { return w.frames["old"] == 2 })
		if f, err := w.Frame("old", 1); err != nil || f.Kind != wire.KindNote {
			t.Errorf("%+v, %v", f, err)
		}
		w.rest()
		if len(w.frames) != 1 {
			t.Errorf("%v", w.frames)
		}

		w = watchIn(t, dir, started.Add(time.Minute), nil)
		w.Open("old")
		w.rest()
		if len(w.recs) != 1 || w.frames["new"] != 2 || len(w.frames) != 1 {
			t.Errorf("since: %v %v", w.recs, w.frames)
		}
	})
}

// A header that comes in pieces is no trouble, neither at once nor late.
func TestWatchHeaderInPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		w := watchIn(t, dir, time.Time{}, nil)
		header := `{"midwire":1,"id":"a","started":"2026-11-21T10:15:00Z","tap":"stdio"}` + "\n"
		now, late := filepath.Join(dir, "now.jsonl"), filepath.Join(dir, "late.jsonl")
		for _, path := range []string{now, late} {
			if err := os.WriteFile(path, []byte(header[:20]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		long := time.Now().Add(-time.Minute)
		os.Chtimes(late, long, long)
		w.within(soon, "in trouble", func() bool { return strings.Contains(w.recs["late"].Trouble, "ends within its first line") })
		w.rest()
		if len(w.recs) != 1 {
			t.Fatalf("%v", w.recs)
		}
		for _, path := range []string{now, late} {
			if err := os.WriteFile(path, []byte(header), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		w.within(2*watchPeriod, "listed", func() bool { return w.recs["now"].Tap == "stdio" })
		w.within(soon, "mended", func() bool { r := w.recs["late"]; return r.Tap == "stdio" && r.Trouble == "" })
	})
}

func TestWatchDeleted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files cannot be moved")
	}
	synctest.Test(t, func(t *testing.T) {
		dir := library(t, "past", "loaded", "kept")
		live := tap(t, dir, "live", started)
		line(live, 3)
		w := watchIn(t, dir, time.Time{}, nil)
		w.rest()
		w.Open("loaded")
		w.rest()
		for _, id := range []string{"past", "loaded", "live"} {
			os.Rename(filepath.Join(dir, id+extension), filepath.Join(dir, id))
		}
		w.Open("past")
		w.within(soon, "deleted", func() bool {
			return w.recs["past"].Trouble == "was deleted" && w.recs["loaded"].Trouble == "was deleted" && w.recs["live"].Trouble == "was deleted"
		})
		if w.recs["live"].Live || w.recs["kept"].Trouble != "" {
			t.Errorf("%+v", w.recs)
		}
		w.rest()
		line(live, 1) // into a file without a name
		w.within(soon, "read to its end", func() bool { return w.frames["live"] == 4 })
		if f, err := w.Frame("loaded", 1); err != nil || f.N != 1 {
			t.Errorf("%+v, %v", f, err)
		}
		for _, id := range []string{"past", "loaded", "live"} {
			os.Rename(filepath.Join(dir, id), filepath.Join(dir, id+extension))
		}
		w.within(2*soon, "back", func() bool {
			return w.recs["past"].Trouble == "" && w.recs["loaded"].Trouble == "" && w.recs["live"].Trouble == "" && w.recs["live"].Live
		})
		os.RemoveAll(dir)
		w.within(soon, "all deleted", func() bool { return w.recs["kept"].Trouble == "was deleted" })
		w.rest()
	})
}

// A tap that was killed in the middle of a line left a torn recording; one
// that still writes did not.
func TestWatchTorn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const trouble = "its last line is incomplete"
		dir := library(t, "past")
		past, err := os.OpenFile(filepath.Join(dir, "past.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(past, `{"n":3,`)
		past.Close()
		live := tap(t, dir, "live", started)
		line(live, 3)
		fmt.Fprint(live.file.(*os.File), `{"n":4,"t":1,`)
		w := watchIn(t, dir, time.Time{}, nil)
		w.rest()
		if w.recs["past"].Trouble != trouble || w.recs["live"].Trouble != "" || !w.recs["live"].Live || w.frames["live"] != 3 {
			t.Errorf("%+v", w.recs)
		}
		w.Open("past")
		live.file.Close() // as the operating system does it
		w.within(soon, "torn", func() bool { return !w.recs["live"].Live && w.recs["live"].Trouble == trouble })
		w.rest()
		if w.recs["past"].Trouble != trouble || w.frames["past"] != 2 {
			t.Errorf("%+v %v", w.recs, w.frames)
		}
		live.done = true
	})
}

// What a newer midwire writes is listed with its trouble, and when it ends.
func TestWatchNewer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		f, err := createFile(dir, &Header{ID: "newer"})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(f, `{"midwire":9}`)
		w := watchIn(t, dir, time.Time{}, nil)
		w.within(soon, "listed", func() bool {
			return w.recs["newer"].Live && strings.Contains(w.recs["newer"].Trouble, "update midwire")
		})
		f.Close()
		w.within(soon, "ended", func() bool { return !w.recs["newer"].Live })
		w.Open("newer")
		w.rest()
	})
}

// A recording that gets shorter is told of once.
func TestWatchShortened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := library(t, "a", "b")
		w := watchIn(t, dir, started, nil)
		w.rest()
		os.Truncate(filepath.Join(dir, "a.jsonl"), 10)
		w.within(soon, "in trouble", func() bool { return strings.Contains(w.recs["a"].Trouble, "open it again") })
		w.rest()
		if w.recs["b"].Trouble != "" {
			t.Errorf("%+v", w.recs)
		}
	})
}

func TestWatchEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		w := watchIn(t, dir, time.Time{}, nil)
		ctx, stop := context.WithCancel(t.Context())
		a := tap(t, dir, "a", started)
		line(a, 3*batchFrames)
		w.Report(errors.New("one"))
		w.Report(errors.New("two"))
		stop()
		begun := time.Now()
		for range 10 {
			n, err := w.Next(ctx)
			if err != nil {
				if !errors.Is(err, context.Canceled) || w.frames["a"] < 3*batchFrames || fmt.Sprint(w.told) != "[one\ntwo]" || time.Since(begun) > 0 {
					t.Errorf("%v after %v: %v, told %q", err, time.Since(begun), w.frames, w.told)
				}
				w.Close()
				if _, err := w.Next(t.Context()); err == nil || errors.Is(err, context.Canceled) {
					t.Errorf("closed: %v", err)
				}
				return
			}
			w.take(n)
			line(a, 1) // whoever writes on does not keep us
		}
		t.Error("no end")
	})
}

// Payloads are loaded, recordings asked for and troubles told while Next runs.
func TestWatchManyHands(t *testing.T) {
	dir := library(t, "past")
	a := tap(t, dir, "a", started)
	w := watchIn(t, dir, time.Time{}, nil)
	known, done := make(chan uint64, 16), make(chan bool)
	go func() {
		defer close(done)
		for n := range known {
			w.Open("past")
			_, _ = w.Frame("past", 1)
			if f, err := w.Frame("a", n); err != nil || string(f.Data) != fmt.Sprintf(`{"n":%d}`, n) {
				t.Errorf("frame %d: %+v, %v", n, f, err)
			}
			w.Report(errors.New("trouble"))
		}
	}()
	for a.n < 500 {
		line(a, 50)
		w.within(10*time.Second, "delivered", func() bool { return w.frames["a"] == a.n })
		known <- a.n
		known <- 1
	}
	close(known)
	<-done
}
