package intercept

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"midwire/session/record"
	"midwire/session/wire"
)

// hungDisk makes the recording of a tap whose disk does not answer from the
// first time on that the recording is handed to it, until release is closed.
// Nothing fails: a write just does not return.
func hungDisk(t *testing.T, release <-chan struct{}) (*record.Writer, time.Time) {
	t.Helper()
	started := time.Now()
	w, err := record.Create(t.TempDir(), record.Header{Started: started, Tap: "http"}, record.Options{
		Now: func() time.Time { <-release; return time.Now() }, // asked around each write
	})
	if err != nil {
		t.Fatal(err)
	}
	return w, started
}

// said is what a tap says, complete once all of the bubble stands still.
type said struct {
	mu  sync.Mutex // guards all
	all []string
}

func (s *said) trouble(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, err.Error())
}

func (s *said) check(t *testing.T, what ...string) {
	t.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, text := range s.all {
		if len(s.all) == len(what) && strings.Contains(text, what[i]) {
			continue
		}
		t.Errorf("said %q, want %q", s.all, what)
	}
	if len(s.all) == 0 && len(what) > 0 {
		t.Errorf("said nothing, want %q", what)
	}
}

// A disk that hangs stops no pump for longer than a second, takes no more
// memory than the queue has, is told once, and what it missed is a gap.
func TestHungDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		w, started := hungDisk(t, release)
		var s said
		tap := newTap(func() *record.Writer { return w }, started, s.trouble)
		lines := &lineStream{tap: tap, kind: wire.KindLine, dir: wire.ToClient}
		line := append(bytes.Repeat([]byte("x"), 1<<20-1), '\n')
		begun := time.Now()
		for range 100 {
			tap.q.put(lines, tap.now(), line)
			synctest.Wait()
		}
		if d := time.Since(begun); d > queueStall {
			t.Errorf("the pump waited %v in all", d)
		}
		if held := tap.q.size + tap.q.taken; held > queueLimit+len(line) {
			t.Errorf("%d bytes are held", held)
		}
		for i := range uint32(3 * queueFacts) { // clients that come and go
			seen := newExchanges(tap, i)
			tap.q.put(seen.requests(), tap.now(), []byte("GET / HTTP/1.1\r\n\r\n"))
			tap.q.do(tap.now(), func(at int64) { seen.end(at, wire.Close{}) }, seen.requests(), seen.responses())
		}
		if n := len(tap.q.items) + len(tap.q.missing); n > 2*queueFacts+1000 {
			t.Errorf("%d things are held for later", n)
		}
		s.check(t, "does not keep up")
		close(release)
		synctest.Wait()
		time.Sleep(time.Second)
		tap.q.put(lines, tap.now(), []byte("{}\n"))
		tap.close()
		var lost, kept int64
		all := frames(t, w.Path())
		for _, f := range all {
			if f.Kind == wire.KindGap {
				n, _ := wire.Int(wire.Get(f.Data, "bytes"))
				lost += n
			}
			if f.Kind == wire.KindLine {
				kept += int64(len(f.Data) + len(f.EOL))
			}
		}
		if kept < queueLimit || kept+lost < 100<<20 || all[len(all)-1].Kind != wire.KindEnd {
			t.Errorf("%d bytes kept, %d in gaps, the last frame is %v", kept, lost, all[len(all)-1].Kind)
		}
		s.check(t, "does not keep up")
	})
}

// Little traffic never fills the queue; a user must know all the same.
func TestHungDiskWithLittleTraffic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		w, started := hungDisk(t, release)
		var s said
		tap := newTap(func() *record.Writer { return w }, started, s.trouble)
		lines := &lineStream{tap: tap, kind: wire.KindLine, dir: wire.ToClient}
		for range 30 {
			tap.q.put(lines, tap.now(), []byte("{}\n"))
			time.Sleep(time.Second)
		}
		s.check(t, "does not respond")
		close(release)
		tap.close()
		if n := len(ofKind(frames(t, w.Path()), wire.KindLine)); n != 30 {
			t.Errorf("%d lines recorded", n)
		}
	})
}

// An idle tap, and one that was suspended with everything in it, is not stuck.
func TestIdleIsNotStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s said
		tap := newTap(record.Discard, time.Now(), s.trouble)
		lines := &lineStream{tap: tap, kind: wire.KindLine, dir: wire.ToClient}
		for range 5 {
			tap.q.put(lines, tap.now(), []byte("{}\n"))
			time.Sleep(time.Hour)
		}
		tap.q.mu.Lock()
		tap.q.since -= int64(time.Hour) // as if the observer had not been let run
		tap.q.asleep, tap.q.looked = false, false
		tap.q.mu.Unlock()
		tap.q.put(lines, tap.now(), make([]byte, 2*queueHurry))
		time.Sleep(time.Minute)
		tap.close()
		s.check(t)
	})
}

// A tap that ends does not wait for ever for a disk that hangs.
func TestCloseOnHungDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		w, started := hungDisk(t, release)
		var s said
		tap := newTap(func() *record.Writer { return w }, started, s.trouble)
		tap.tell(wire.Frame{Kind: wire.KindNote}, wire.Note{Text: "x"})
		begun := time.Now()
		tap.close()
		if d := time.Since(begun); d > 2*closePatience {
			t.Errorf("closed after %v", d)
		}
		s.check(t, "has no end")
		close(release)
		<-tap.done
	})
}

// What is lost while a tap ends is in the recording too.
func TestGapAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		w, started := hungDisk(t, release)
		tap := newTap(func() *record.Writer { return w }, started, nil)
		lines := &lineStream{tap: tap, kind: wire.KindLine, dir: wire.ToClient}
		tap.tell(wire.Frame{Kind: wire.KindNote}, wire.Note{Text: "x"})
		synctest.Wait()
		for range queueLimit>>20 + 4 {
			tap.q.put(lines, tap.now(), append(bytes.Repeat([]byte("x"), 1<<20-1), '\n'))
		}
		go tap.close()
		synctest.Wait()
		close(release)
		<-tap.done
		all := frames(t, w.Path())
		if gaps := ofKind(all, wire.KindGap); len(gaps) != 1 || !strings.Contains(string(gaps[0].Data), fmt.Sprint(4<<20)) {
			t.Errorf("gaps: %v of %d frames", gaps, len(all))
		}
	})
}

// In a recording time does not run backwards, although two pumps may look at
// the clock in one order and hand over their copies in the other.
func TestTimeDoesNotRunBackwards(t *testing.T) {
	w, started := newRecording(t, "stdio")
	tap := newTap(func() *record.Writer { return w }, started, nil)
	lines := &lineStream{tap: tap, kind: wire.KindLine, dir: wire.ToClient}
	for _, at := range []int64{5, 3, 9, 8, 8, 10} {
		tap.q.put(lines, at, []byte("{}\n"))
	}
	tap.close()
	var times []int64
	for _, f := range frames(t, w.Path()) {
		times = append(times, f.T)
	}
	if !slices.IsSorted(times) || !slices.Equal(times[:6], []int64{5, 5, 9, 9, 9, 10}) {
		t.Errorf("times %v", times)
	}
}
