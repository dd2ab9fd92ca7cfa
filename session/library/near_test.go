package library

import (
	"bytes"
	"testing"

	"midwire/session/wire"
)

// What a server printed about a failure is looked at up to a mebibyte, however much it was.
func TestFloodAboutAFailure(t *testing.T) {
	line, loads := bytes.Repeat([]byte("x"), 1<<20), 0
	var s sources
	for n := range uint64(500) {
		s.printed = append(s.printed, moment{n, int64(n)})
	}
	text := s.stderrNear(&wire.Frame{Kind: wire.KindExit, T: 500}, func(n uint64) *wire.Frame {
		loads++
		return &wire.Frame{N: n, Kind: wire.KindStderr, Data: line}
	})
	if len(text) > 2<<20 || loads > 20 {
		t.Errorf("%d bytes of %d frames", len(text), loads)
	}
}
