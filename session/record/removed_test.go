//go:build unix

package record

import (
	"os"
	"testing"
	"time"

	"midwire/session/wire"
)

// A recording that somebody removes is said once, and written on: who holds it
// open may read it still.
func TestRemovedFileIsSaidOnce(t *testing.T) {
	now, said := time.Unix(0, 0), 0
	w, err := Create(t.TempDir(), Header{}, Options{
		Now:       func() time.Time { return now },
		OnTrouble: func(error) { said++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	step := func() {
		now = now.Add(2 * retryAfter)
		w.Append(&wire.Frame{Kind: wire.KindNote, Data: []byte("{}")})
		w.Flush()
	}
	step()
	if said != 0 {
		t.Fatal("said although the file is there")
	}
	if err := os.Remove(w.Path()); err != nil {
		t.Fatal(err)
	}
	step()
	step()
	if frames, _ := w.Lost(); said != 1 || frames != 0 {
		t.Fatalf("said %d times, %d frames lost", said, frames)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
