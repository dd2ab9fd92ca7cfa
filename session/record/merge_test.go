package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"midwire/session/wire"
)

const all = "merge/all"

// merged takes news and keeps what is of the merge.
type merged struct {
	*watcher
	got []wire.Tagged
	rec wire.Recording
	at  float64
}

func (m *merged) next(most time.Duration) bool {
	m.Helper()
	ctx, stop := context.WithTimeout(m.Context(), most)
	defer stop()
	n, err := m.Next(ctx)
	if err != nil {
		return false
	}
	for _, f := range n.Frames {
		if f.Rec == all {
			m.got = append(m.got, f)
		}
	}
	for _, r := range n.Recordings {
		if r.ID == all {
			m.rec = r
		}
	}
	if share, ok := n.Loading[all]; ok {
		m.at = share
	}
	return true
}

func (m *merged) until(most time.Duration, what string, ok func() bool) {
	m.Helper()
	for end := time.Now().Add(most); !ok(); {
		if left := time.Until(end); left <= 0 || !m.next(left) && !ok() {
			m.Fatalf("not %s within %v: %+v, %d frames", what, most, m.rec, len(m.got))
		}
	}
}

// check holds for what was delivered of a merge, from a position on: the frames
// are numbered without holes, in order of time, and can be had again.
func (m *merged) check(from int) {
	m.Helper()
	for i, f := range m.got {
		if f.Frame.N != uint64(i+1) {
			m.Fatalf("frame %d is number %d", i+1, f.Frame.N)
		}
		if i > from && f.Frame.T < m.got[i-1].Frame.T {
			m.Errorf("frame %d came %v before the one before it", i+1, time.Duration(m.got[i-1].Frame.T-f.Frame.T))
		}
		again, err := m.Frame(all, f.Frame.N)
		if err != nil || !sameFrame(again, f.Frame) {
			m.Fatalf("frame %d is %+v, and later %+v, %v", i+1, f.Frame, again, err)
		}
		own, err := m.Frame(f.Part, f.PartN)
		if err == nil && string(own.Data) != string(again.Data) {
			m.Fatalf("frame %d is not frame %d of %s", i+1, f.PartN, f.Part)
		}
	}
}

// say appends a frame as it would come at this moment.
func say(w *Writer, x uint32) {
	w.Append(&wire.Frame{
		T: int64(time.Since(w.started)), Kind: wire.KindBody, Dir: wire.ToServer, X: x, Conn: x,
		Data: fmt.Appendf(nil, `{"n":%d}`, w.n+1),
	})
	w.Flush()
}

func tapNow(t *testing.T, dir, id string) *Writer {
	t.Helper()
	w, err := Create(dir, Header{ID: id, Label: id, Tap: "http"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func TestMergePast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		ids := []string{"a", "b", "c"}
		for i, id := range ids {
			w := tapNow(t, dir, id)
			for k := range 100 {
				time.Sleep(time.Duration(7*i+3) * time.Millisecond)
				say(w, uint32(k/10+1))
			}
			w.Close()
		}
		m := &merged{watcher: watchIn(t, dir, time.Time{}, nil)}
		m.within(soon, "listed", func() bool { return len(m.recs) == 3 })
		m.Merge(all, append(ids, "unknown"))
		m.until(soon, "read", func() bool { return m.at == 1 })
		m.check(0)
		if len(m.got) != 303 || m.rec.Live || m.rec.Trouble != "" || m.rec.Tap != "http" { // with an end each
			t.Errorf("%d frames of %+v", len(m.got), m.rec)
		}
		if a := m.recs["a"]; !m.rec.Started.Equal(a.Started) || m.got[0].Part != "a" {
			t.Errorf("began %v, a %v", m.rec.Started, a.Started)
		}
		xs := map[uint32]string{}
		for _, f := range m.got {
			if of := xs[f.Frame.X]; f.Frame.X != 0 && of != "" && of != f.Part {
				t.Fatalf("exchange %d is one of %s and of %s", f.Frame.X, of, f.Part)
			}
			xs[f.Frame.X] = f.Part
		}
		if len(xs) != 31 || m.got[len(m.got)-2].Frame.Conn != 30 {
			t.Errorf("%d exchanges, the last connection %d", len(xs)-1, m.got[len(m.got)-2].Frame.Conn)
		}
		if _, err := m.Frame(all, 304); !errors.Is(err, ErrNoFrame) {
			t.Errorf("frame 304: %v", err)
		}
	})
}

// A silent part holds up nothing, one that ends leaves, one that is new joins,
// and one that cannot be read is named.
func TestMergeLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		a, b := tapNow(t, dir, "a"), tapNow(t, dir, "b")
		silent := tapNow(t, dir, "silent")
		m := &merged{watcher: watchIn(t, dir, time.Time{}, nil)}
		m.within(soon, "listed", func() bool { return len(m.recs) == 3 })
		m.Merge(all, []string{"a", "b", "silent"})
		for i := range 60 {
			for _, w := range []*Writer{a, b} {
				time.Sleep(time.Duration(i%7) * time.Millisecond)
				say(w, 1)
			}
			if i%5 == 0 {
				m.until(watermark+3*watchPeriod, "delivered", func() bool { return len(m.got) == 2*i+2 })
			}
		}
		if !m.rec.Live {
			t.Errorf("%+v", m.rec)
		}
		a.Close()
		c := tapNow(t, dir, "c")
		m.until(soon, "all of a there", func() bool { return slices.ContainsFunc(m.got, ofEnd("a")) })
		m.check(0)
		m.Merge(all, []string{"a", "b", "silent", "c"})
		say(c, 1)
		time.Sleep(time.Millisecond)
		say(b, 1)
		m.until(soon, "joined", func() bool { return m.got[len(m.got)-1].Part == "b" && len(m.got) == 123 })
		m.check(0)
		if c := m.got[len(m.got)-2]; c.Part != "c" || c.Frame.X != 3 {
			t.Errorf("joined as %+v", c)
		}
		for _, w := range []*Writer{b, c, silent} {
			if !m.rec.Live {
				t.Error("it ended before its parts")
			}
			w.Close()
		}
		m.until(soon, "ended", func() bool { return !m.rec.Live && len(m.got) == 126 })
		m.check(0)
	})
}

func ofEnd(part string) func(wire.Tagged) bool {
	return func(f wire.Tagged) bool { return f.Part == part && f.Frame.Kind == wire.KindEnd }
}

func TestMergeTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		a, b := tapNow(t, dir, "a"), tapNow(t, dir, "b")
		say(a, 1)
		say(b, 1)
		m := &merged{watcher: watchIn(t, dir, time.Time{}, nil)}
		m.within(soon, "listed", func() bool { return len(m.recs) == 2 })
		m.Merge(all, []string{"a", "b"})
		m.until(soon, "read", func() bool { return len(m.got) == 2 })
		if err := os.Truncate(b.Path(), 40); err != nil {
			t.Fatal(err)
		}
		say(a, 1)
		m.until(soon, "said", func() bool { return m.rec.Trouble != "" && len(m.got) == 3 })
		if want := "b: recording " + b.Path() + " was shortened while it was read; open it again"; m.rec.Trouble != want {
			t.Errorf("%q", m.rec.Trouble)
		}
		m.Merge("merge/two", []string{"b", filepath.Join(dir, "none")})
		m.next(soon)
	})
}

// The end of the context delivers what waits, and no more than that.
func TestMergeEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		a, b := tapNow(t, dir, "a"), tapNow(t, dir, "b")
		m := &merged{watcher: watchIn(t, dir, time.Time{}, nil)}
		m.within(soon, "listed", func() bool { return len(m.recs) == 2 })
		m.Merge(all, []string{"a", "b"})
		m.until(soon, "read", func() bool { return m.at == 1 })
		say(a, 1)
		say(b, 1)
		ctx, stop := context.WithCancel(t.Context())
		stop()
		for range 10 {
			n, err := m.Next(ctx)
			for _, f := range n.Frames {
				if f.Rec == all {
					m.got = append(m.got, f)
				}
			}
			if err != nil {
				if m.check(0); len(m.got) != 2 {
					t.Errorf("%d frames", len(m.got))
				}
				return
			}
			say(a, 1)
		}
		t.Error("no end")
	})
}
