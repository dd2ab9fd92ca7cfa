package intercept

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"midwire/session/defect"
	"midwire/session/record"
	"midwire/session/wire"
)

// brittle is a stream whose reader panics at some bytes.
type brittle struct{ lineStream }

func (b *brittle) feed(t int64, p []byte) {
	if strings.Contains(string(p), "boom") {
		panic("a framer that lost its way")
	}
	b.lineStream.feed(t, p)
}

// TestDefectOfTheObserver: what the observer panics at is a gap of the recording, and
// everything before and behind is recorded.
func TestDefectOfTheObserver(t *testing.T) {
	w, err := record.Create(t.TempDir(), record.Header{Tap: "stdio"}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan error, 8)
	tap := newTap(func() *record.Writer { return w }, time.Now(), func(err error) { told <- err })
	s := &brittle{lineStream{tap: tap, kind: wire.KindLine, dir: wire.ToServer}}
	for _, text := range []string{"1\n", "boom\n", "2\n"} {
		tap.q.put(s, tap.now(), []byte(text))
	}
	tap.q.do(tap.now(), func(int64) { _ = []int{}[len(told)] })
	tap.q.put(s, tap.now(), []byte("3\n"))
	tap.close()
	var got []string
	for _, f := range frames(t, w.Path()) {
		switch f.Kind {
		case wire.KindLine:
			got = append(got, string(f.Data))
		case wire.KindGap:
			n, _ := wire.Int(wire.Get(f.Data, "bytes"))
			got = append(got, "gap of "+string(rune('0'+n)))
		}
	}
	if all := strings.Join(got, ", "); all != "1, gap of 5, 2, gap of 0, 3" {
		t.Errorf("recorded %s", all)
	}
	for range 2 {
		if err := <-told; !errors.As(err, new(*defect.Defect)) {
			t.Errorf("told %v", err)
		}
	}
}

// brokenSource panics when it is read.
type brokenSource struct{}

func (brokenSource) next() ([]byte, error) { panic("a source that lost its way") }

func TestDefectOfAPump(t *testing.T) {
	told := make(chan error, 8)
	tap := newTap(record.Discard, time.Now(), func(err error) { told <- err })
	defer tap.close()
	p := &pump{tap: tap, src: brokenSource{}, dst: io.Discard, to: newLineStream(tap, wire.KindLine, wire.ToServer)}
	if err := p.run(); !errors.As(err, new(*defect.Defect)) || !errors.As(<-told, new(*defect.Defect)) {
		t.Errorf("the pump ends with %v", err)
	}
}
