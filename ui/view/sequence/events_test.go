package sequence

import (
	"math/rand/v2"
	"slices"
	"testing"

	"midwire/session"
	"midwire/session/timeline"
	"midwire/session/wire"
	"midwire/ui/internal/scenes"
	"midwire/ui/library"
	"midwire/ui/messages"
)

// TestEventsByAndBy reads the same events whether the frames come one by one or
// all at once, and every answer of a batch.
func TestEventsByAndBy(t *testing.T) {
	var batch scenes.Tape
	batch.Line(wire.ToServer, `[{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":3,"method":"prompts/list"}]`)
	batch.Line(wire.ToServer, `{"jsonrpc":"2.0","id":4,"method":"resources/list"}`)
	batch.Line(wire.ToClient, `[{"jsonrpc":"2.0","id":3,"result":{}},{"jsonrpc":"2.0","id":4,"result":{}},{"jsonrpc":"2.0","id":1,"result":{}}]`)
	r := rand.New(rand.NewPCG(4, 4))
	for name, fs := range map[string][]wire.Frame{
		"stdio": scenes.Stdio(), "http": scenes.HTTP(), "busy": scenes.Busy(),
		"batch": batch.Frames, "pings": scenes.Pings(300), "random": scenes.RandomCalls(r, 50),
	} {
		for _, fold := range []bool{true, false} {
			rec := library.New(wire.Recording{ID: "p", Label: "p", Tap: "stdio", Live: true}, nil)
			l := &messages.List{Scope: library.Scope{Rec: rec, Session: library.AllSessions}}
			var one, all eventLog
			for i := range fs {
				rec.Apply(&fs[i])
				if r.IntN(2) == 0 {
					one.read(rec, l, fold, 100)
				}
			}
			one.read(rec, l, fold, 1000)
			for all.more = true; all.more; {
				all.read(rec, l, fold, 3)
			}
			if !slices.Equal(one.events, all.events) || !slices.Equal(one.tail, all.tail) {
				t.Errorf("%s: one by one %v %v\nall at once %v %v", name, one.events, one.tail, all.events, all.tail)
			}
			if fold {
				continue
			}
			asked, answered := 0, 0
			for _, b := range all.events {
				switch b.kind {
				case timeline.Request:
					asked++
				case timeline.Response:
					answered++
				}
			}
			want, replied := 0, 0
			for i := range rec.Tracker.Rows() {
				row := rec.Tracker.Row(i)
				if row.Kind == session.RowCall || row.Kind == session.RowHTTP {
					want++
					if row.Response != 0 {
						replied++
					}
				}
			}
			if asked != want || answered != replied {
				t.Errorf("%s: %d asked and %d answered, want %d and %d", name, asked, answered, want, replied)
			}
		}
	}
}
