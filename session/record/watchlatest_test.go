package record

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"midwire/session/wire"
)

// TestLatest: what grows too fast is passed over, at the end of a line, and a frame that
// is larger than what is kept is delivered whole.
func TestLatest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		w, err := Create(dir, Header{ID: "fast", Started: time.Now()}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		watch := watchIn(t, dir, time.Time{}, nil)
		add := func(n int, text string) {
			for range n {
				w.Append(&wire.Frame{Kind: wire.KindLine, Dir: '>', X: 1, EOL: "\n", Data: []byte(text)})
			}
			w.Flush()
		}
		next := func() (frames []wire.Tagged) {
			for len(frames) == 0 {
				n, err := watch.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				frames = n.Frames
			}
			return frames
		}
		add(3, `{"a":1}`)
		next()
		watch.Latest(1000)
		add(1000, `{"a":1}`)
		got := next()
		if last := got[len(got)-1].Frame.N; len(got) > 20 || last != 1003 {
			t.Errorf("%d frames up to %d", len(got), last)
		}
		if _, err := watch.Frame("fast", 500); !errors.Is(err, ErrNoFrame) {
			t.Errorf("a frame that was passed over: %v", err)
		}
		add(1, `"`+strings.Repeat("x", 5000)+`"`)
		if got := next(); len(got) != 1 || len(got[0].Frame.Data) != 5002 {
			t.Errorf("of a long line: %d frames", len(got))
		}
		watch.Latest(0)
		add(100, `{"a":1}`)
		if got := next(); len(got) != 100 || got[0].Frame.N != 1005 {
			t.Errorf("%d frames from %d", len(got), got[0].Frame.N)
		}
	})
}
