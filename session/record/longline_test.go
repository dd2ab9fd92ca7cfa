package record

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"midwire/fixtures/effort"
	"midwire/session/wire"
)

// withLongLine writes a recording of two frames with a line between them that no reader
// reads. It takes no room on the disk.
func withLongLine(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	head := `{"midwire":1,"id":"x","started":"2026-01-01T00:00:00Z","tap":"stdio"}` + "\n" + `{"n":1,"k":"line","d":">","x":1,"len":2,"json":{}}` + "\n"
	_, err = f.WriteString(head)
	if err == nil {
		_, err = f.WriteAt([]byte("\n"+`{"n":2,"k":"line","d":">","x":1,"len":2,"json":{}}`+"\n"), int64(len(head))+3*MaxLine)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A line that is too long is passed over and named, and costs no memory.
func TestLongLineIsPassedOver(t *testing.T) {
	r, err := Open(withLongLine(t))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var f wire.Frame
	for n := uint64(1); n <= 2; n++ {
		if err := r.Next(&f); err != nil || f.N != n {
			t.Fatalf("frame %d, %v", f.N, err)
		}
	}
	if err := r.Next(&f); !errors.Is(err, io.EOF) || r.Torn() {
		t.Errorf("%v, torn %v", err, r.Torn())
	}
	bad, n := r.Bad()
	if n != 1 || bad[0].Reason != ErrLongLine.Error() || bad[0].Offset != 121 {
		t.Errorf("%d, %v", n, bad)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > MaxLine {
		t.Errorf("it took %d MiB", (after.TotalAlloc-before.TotalAlloc)>>20)
	}
	if f, err := r.Frame(2); err != nil || string(f.Data) != "{}" {
		t.Errorf("%q, %v", f.Data, err)
	}
}

// Where a recording is received, such a line is refused, however it is cut.
func TestLongLineIsRefused(t *testing.T) {
	f, err := os.Open(withLongLine(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if path, err := Spool(f); !errors.Is(err, ErrLongLine) {
		os.Remove(path)
		t.Errorf("a stream: %v", err)
	}
	dir := t.TempDir()
	piece := bytes.Repeat([]byte("x"), MaxLine/2)
	for try := range 2 { // a copy is opened again
		c, err := OpenCopy(dir, "x@host")
		if err == nil {
			err = c.Append(piece)
		}
		if err != nil {
			t.Fatalf("piece %d: %v", try+1, err)
		}
		if try == 1 {
			if err := c.Append([]byte("xx")); !errors.Is(err, ErrLongLine) {
				t.Errorf("a copy: %v", err)
			}
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// What a proxy records can be read, whatever its bytes are: each of them may take six when it
// is written as text. What masking makes too long is a gap.
func TestLongestUnitIsRead(t *testing.T) {
	const unit = 64 << 20
	w, err := Create(t.TempDir(), Header{Tap: "http"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"\x01", "x"} {
		w.Append(&wire.Frame{Kind: wire.KindBody, Dir: wire.ToClient, Data: bytes.Repeat([]byte(text), unit)})
	}
	want := "body body end"
	if effort.Long() { // masking millions of tokens takes seconds
		want = "body body gap end"
		w.Append(&wire.Frame{Kind: wire.KindBody, Dir: wire.ToClient, Data: []byte("[" + strings.Repeat(`{"token":"12345678"},`, unit/21) + "1]")})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var kinds []string
	var f wire.Frame
	for r.Next(&f) == nil {
		kinds = append(kinds, f.Kind.String())
		if f.Kind == wire.KindBody && len(f.Data) != unit {
			t.Errorf("a unit of %d bytes", len(f.Data))
		}
	}
	if got := strings.Join(kinds, " "); got != want {
		t.Errorf("%s", got)
	}
	if bad, n := r.Bad(); n > 0 {
		t.Errorf("%v", bad)
	}
}
