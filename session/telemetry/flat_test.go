package telemetry

import (
	"fmt"
	"testing"

	"midwire/session/record"
	"midwire/session/wire"
)

// What is read of a recording is not kept: of a session with many calls the latest are held,
// and each call is told of once.
func TestCallsAreNotKept(t *testing.T) {
	t.Parallel()
	const calls = 50_000
	w, err := record.Create(t.TempDir(), record.Header{Tap: "stdio"}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range calls {
		w.Append(&wire.Frame{T: int64(2 * i), Kind: wire.KindLine, Dir: wire.ToServer, X: 1, Data: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i)})
		w.Append(&wire.Frame{T: int64(2*i + 1), Kind: wire.KindLine, Dir: wire.ToClient, X: 1, Data: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{}}`, i)})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	most, told := 0, 0
	one := &walk{
		path: w.Path(), begin: func(record.Header) {}, frame: func(*wire.Frame) {},
		over: func(_ uint64, e ended) error {
			if e.row >= 0 {
				told++
			}
			most = max(most, e.live.Tracker.Rows())
			return nil
		},
		idle: func() error { return nil }, end: func() error { return nil },
	}
	if err := one.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if told != calls || most > 20_000 {
		t.Errorf("%d calls of %d were told, %d rows are held", told, calls, most)
	}
}
