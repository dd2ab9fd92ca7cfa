package intercept

import (
	"os"
	"slices"
	"testing"
	"time"

	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/session/wire"
)

// FuzzLines feeds the streams of a process to the observer, once whole and once cut small:
// what is recorded must not depend on the cuts, whether it is lines or HTTP/2.
func FuzzLines(f *testing.F) {
	f.Add([]byte("{}\r\n{\"a\":1}\nrest"), []byte("x\n\n"), []byte{1})
	f.Add([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\n"), []byte("\x00\n\x04"), []byte{2})
	f.Add([]byte("PRI * HTTP/1.1\r\n"), []byte(nil), []byte{0, 7})
	f.Add([]byte("PRI * HTTP/2."), []byte("PRI * HTTP/2.0\n"), []byte{3})
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, up, down, seed []byte) {
		whole := recordedLines(t, dir, up, down, nil)
		if cut := recordedLines(t, dir, up, down, append(slices.Clip(seed), 1)); cut != whole {
			t.Fatalf("the recording depends on the cuts:\n%s\nor\n%s", whole, cut)
		}
	})
}

func recordedLines(t *testing.T, dir string, up, down, seed []byte) string {
	t.Helper()
	w, err := record.Create(dir, record.Header{Tap: "stdio"}, record.Options{Redact: redact.Options{Keep: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(w.Path())
	tap := newTap(func() *record.Writer { return w }, time.Now(), nil)
	to := newLineStream(tap, wire.KindLine, wire.ToServer)
	to.other = newLineStream(tap, wire.KindLine, wire.ToClient)
	for _, side := range []struct {
		to   *lineStream
		data []byte
	}{{to, up}, {to.other, down}} {
		for i, rest := 0, side.data; len(rest) > 0; i++ {
			n := len(rest)
			if len(seed) > 0 {
				n = min(n, int(seed[i%len(seed)])%23+1)
			}
			tap.q.put(side.to, 0, rest[:n])
			rest = rest[n:]
		}
		tap.q.do(0, func(at int64) { side.to.end(at, wire.Close{By: wire.ByClient, Clean: true}) })
	}
	tap.close()
	return told(frames(t, w.Path()))
}
