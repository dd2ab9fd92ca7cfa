package record

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"midwire/session/record/redact"
	"midwire/session/wire"
)

// fullDisk is a file on a disk with room for so many bytes more.
type fullDisk struct {
	*os.File
	room   int
	noCut  bool
	writes int
}

func (d *fullDisk) Write(p []byte) (int, error) {
	d.writes++
	n, err := d.File.Write(p[:min(len(p), max(d.room, 0))])
	d.room -= n
	if err == nil && n < len(p) {
		err = &os.PathError{Op: "write", Path: d.Name(), Err: syscall.ENOSPC}
	}
	return n, err
}

func (d *fullDisk) Truncate(size int64) error {
	if d.noCut {
		return errors.New("not permitted")
	}
	info, _ := d.Stat()
	d.room += int(info.Size() - size)
	return d.File.Truncate(size)
}

// A disk that becomes full after any number of bytes, and has room again later:
// the recording is readable at every moment, numbered without holes, and says
// exactly what is missing.
func TestFullDisk(t *testing.T) {
	for _, noCut := range []bool{false, true} {
		for _, long := range []bool{false, true} {
			t.Run(fmt.Sprintf("noCut=%v,long=%v", noCut, long), func(t *testing.T) {
				step := 5
				if long {
					step = 41
				}
				for room := 0; room < 600; room += step {
					testFullDisk(t, room, noCut, long)
				}
			})
		}
	}
}

func testFullDisk(t *testing.T, room int, noCut, long bool) {
	t.Helper()
	now := started
	var said []string
	w, err := Create(t.TempDir(), Header{Started: started}, Options{
		Redact:      redact.Options{Keep: true},
		Now:         func() time.Time { return now },
		OnTrouble:   func(err error) { said = append(said, err.Error()) },
		OnRecovered: func() { said = append(said, "recovered") },
	})
	if err != nil {
		t.Fatal(err)
	}
	disk := &fullDisk{File: w.file.(*os.File), room: room, noCut: noCut}
	w.file = disk
	payload := []byte(`{"jsonrpc":"2.0"}`)
	numbered := 0
	appendFrame := func(data []byte) {
		f := wire.Frame{T: 5, Kind: wire.KindLine, EOL: "\n", Len: len(data), Data: data}
		if w.Append(&f); f.N > 0 {
			numbered++
		}
	}
	for i := range 8 {
		if long && i == 3 {
			// Long enough for its own way, too long for the disk.
			appendFrame(bytes.Repeat([]byte("5"), longPayload))
		}
		appendFrame(payload)
		w.Flush()
		check(t, w.Path(), -1)
	}
	if w.Err() == nil || len(said) != 1 {
		if room < 8*len(`{"n":1,"t":5,"k":"line","len":17,"json":{"jsonrpc":"2.0"}}`)+8 || long {
			t.Fatalf("room %d: %v, said %q", room, w.Err(), said)
		}
		w.Close()
		return
	}
	writes := disk.writes
	appendFrame(payload)
	w.Flush()
	if disk.writes != writes {
		t.Fatal("tried again within a second")
	}
	now = now.Add(time.Second)
	disk.room = 1 << 20
	w.Flush()
	appendFrame(payload)
	if err := w.Close(); err != nil || len(said) != 2 || said[1] != "recovered" {
		t.Fatalf("%v, said %q", err, said)
	}
	lost, bytes := w.Lost()
	frames := 10
	if long {
		frames++
	}
	if int(lost) != frames-numbered || bytes < lost*17 {
		t.Fatalf("room %d: lost %d frames, %d bytes; numbered %d", room, lost, bytes, numbered)
	}
	check(t, w.Path(), int(lost))
}

// check reads a recording and verifies numbers and, unless -1, losses.
func check(t *testing.T, path string, lost int) {
	t.Helper()
	got, r := readAll(t, path)
	defer r.Close()
	missing := 0
	for i, f := range got {
		if f.N != uint64(i+1) {
			t.Fatalf("frame %d stands at %d", f.N, i+1)
		}
		if f.Kind == wire.KindGap {
			n, _ := wire.Int(wire.Get(f.Data, "frames"))
			missing += int(n)
			if why := wire.Text(wire.Get(f.Data, "why")); why != syscall.ENOSPC.Error() {
				t.Fatalf("gap because %q", why)
			}
		}
	}
	if lost < 0 {
		return
	}
	if last := got[len(got)-1]; missing != lost || last.Kind != wire.KindEnd || string(last.Data) != fmt.Sprintf(`{"frames":%d}`, len(got)-1) {
		t.Fatalf("%d frames missing, want %d; last %s", missing, lost, last.Data)
	}
	if bad, n := r.Bad(); n > 1 || n == 1 && !strings.Contains(fmt.Sprint(bad), "JSON") && !strings.Contains(fmt.Sprint(bad), "payload") {
		t.Fatalf("bad lines: %v", bad)
	}
}

// A recording that is closed while the disk is full is cut back to what is
// whole, and what was buffered counts as lost.
func TestCloseInTrouble(t *testing.T) {
	w := create(t, Options{})
	w.file = &fullDisk{File: w.file.(*os.File), room: 150}
	for range 5 {
		f := sample()
		w.Append(&f)
	}
	if err := w.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("close: %v", err)
	}
	got, r := readAll(t, w.Path())
	if frames, size := w.Lost(); len(got) != 0 || r.Torn() || frames != 5 || size != 5*int64(sample().Len) {
		t.Errorf("%d frames, torn %v, lost %d frames and %d bytes", len(got), r.Torn(), frames, size)
	}
	w.Append(&wire.Frame{})
	w.Flush()
	if w.Close() != nil {
		t.Error("closed twice")
	}
}

// TestStartsWithoutRoom: a recording that could not be created is as soon as it can be, and
// says what it misses.
func TestStartsWithoutRoom(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recordings")
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // as good as a full disk
		t.Fatal(err)
	}
	now, again, shared := time.Now(), 0, 0
	w, err := Create(dir, Header{Tap: "stdio", Started: now}, Options{
		Now: func() time.Time { return now }, OnRecovered: func() { again++ },
		OnTrouble: func(err error) { t.Error("said twice: ", err) }, OnShared: func(error) { shared++ },
	})
	if err == nil || w.Path() != "" {
		t.Fatalf("created: %v, %q", err, w.Path())
	}
	say := func(text string) uint64 {
		f := wire.Frame{Kind: wire.KindLine, Dir: wire.ToServer, X: 1, Data: []byte(text)}
		w.Append(&f)
		w.Flush()
		return f.N
	}
	if n := say(`{"lost":1}`); n != 0 || w.Err() == nil {
		t.Errorf("frame %d, %v", n, w.Err())
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	now = now.Add(retryAfter)
	say(`{"lost":2}`) // and with it the recording begins
	say(`{"kept":1}`)
	if err := w.Close(); err != nil || again != 1 || shared > 1 {
		t.Errorf("%v, recovered %d times, %d warnings", err, again, shared)
	}
	data, err := os.ReadFile(w.Path())
	if text := string(data); err != nil || !strings.Contains(text, `"frames":2,"bytes":20`) || !strings.Contains(text, "kept") {
		t.Errorf("%v\n%s", err, text)
	}
}
