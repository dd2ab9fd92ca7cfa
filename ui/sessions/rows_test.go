package sessions

import (
	"fmt"
	"testing"

	"midwire/session/wire"
	"midwire/ui/library"
)

// calls is a live recording of one session with so many calls.
func calls(n int) *library.Recording {
	rec := library.New(wire.Recording{ID: "a", Tap: "stdio", Live: true}, nil)
	more(rec, 0, n)
	return rec
}

func more(rec *library.Recording, from, to int) {
	line := func(d wire.Dir, text string) {
		rec.Apply(&wire.Frame{
			N: uint64(len(rec.Frames) + 1), T: int64(len(rec.Frames)) * 1000, Kind: wire.KindLine, Dir: d, Data: []byte(text), Len: len(text), EOL: "\n",
		})
	}
	for i := from; i < to; i++ {
		line('>', fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search","arguments":{}}}`, i))
		line('<', fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, i))
	}
}

// TestCountingTakesTurns: however many messages a live session has, one refresh
// counts only some of them, and the rest follows, also what came meanwhile.
func TestCountingTakesTurns(t *testing.T) {
	rec := calls(5000)
	s, seq := &source{rec: rec}, 0
	refresh := func() int {
		room := 1000
		s.update(&seq, &room)
		return 1000 - room
	}
	if used := refresh(); used != 1000 || !s.counts || s.rows[0].sum.Messages != 10000 {
		t.Fatalf("%d counted, %+v", used, s.rows[0].sum)
	}
	more(rec, 5000, 5500)
	for n := 0; s.counts; n++ {
		if used := refresh(); used > 1000 || n > 20 {
			t.Fatalf("%d counted in refresh %d", used, n)
		}
	}
	if sum := s.rows[0].sum; sum.Calls != 5500 || len(sum.Tools) != 1 || sum.Tools[0].Calls != 5500 || sum.P95 != 1000 {
		t.Errorf("%d calls of %+v, p95 %d", sum.Calls, sum.Tools, sum.P95)
	}
	if refresh() != 0 {
		t.Error("it counts what is counted")
	}
}
