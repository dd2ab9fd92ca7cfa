package session_test

import (
	"fmt"
	"strings"
	"testing"

	. "midwire/session"
	"midwire/session/describe"
	"midwire/session/wire"
)

// Every message of a batch has its own words, in whatever order they are asked
// for, and the batch is not read again for each: a batch of many would take
// minutes.
func TestWordsOfABatch(t *testing.T) {
	const n = 300
	calls := make([]string, n)
	for i := range calls {
		calls[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tool%d","arguments":{}}}`, i, i)
	}
	tr := New(Options{Tap: "stdio"})
	f := wire.Frame{N: 1, X: 1, Kind: wire.KindLine, Dir: wire.ToServer, Data: []byte(" [" + strings.Join(calls, " ,") + "]")}
	tr.Apply(&f)
	if tr.Rows() != n {
		t.Fatalf("%d rows", tr.Rows())
	}
	for k := range n {
		i := k * 7 % n
		if target, _ := describe.Row(tr, tr.Row(i), &f, nil); !strings.HasPrefix(target, fmt.Sprintf("tool%d", i)) {
			t.Errorf("row %d is %q", i, target)
		}
	}
	// What was read of it once is not read again.
	kept := tr.BatchIndex()
	describe.Row(tr, tr.Row(5), &f, nil)
	if len(kept) != n || &kept[0] != &tr.BatchIndex()[0] {
		t.Error("the batch is read anew for each message")
	}
	// A frame of the same number that has come further is another.
	f.Data = []byte(`[` + calls[7] + `]`)
	if target, _ := describe.Row(tr, tr.Row(0), &f, nil); !strings.HasPrefix(target, "tool7") {
		t.Errorf("words of what the frame was before: %q", target)
	}
}
