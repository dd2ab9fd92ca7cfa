package export

import (
	"fmt"
	"strings"
	"testing"

	"midwire/session"
	"midwire/session/wire"
)

// A batch is loaded once, not for each of its messages.
func TestABatchIsLoadedOnce(t *testing.T) {
	const n = 50
	calls, responses := make([]string, n), make([]string, n)
	for i := range n {
		calls[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tool%d","arguments":{}}}`, i, i)
		responses[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"said %d"}]}}`, i, i)
	}
	frames := []wire.Frame{
		{N: 1, X: 1, Kind: wire.KindLine, Dir: wire.ToServer, Data: []byte("[" + strings.Join(calls, ",") + "]")},
		{N: 2, X: 1, Kind: wire.KindLine, Dir: wire.ToClient, Data: []byte("[" + strings.Join(responses, ",") + "]")},
	}
	tr := session.New(session.Options{Tap: "stdio"})
	for i := range frames {
		tr.Apply(&frames[i])
	}
	loads := 0
	var text strings.Builder
	Show(tr, func(k uint64) *wire.Frame { loads++; return &frames[k-1] }, func(s string) bool { text.WriteString(s); return true })
	for i := range n {
		if !strings.Contains(text.String(), fmt.Sprintf("tool%d → \"said %d\"", i, i)) {
			t.Errorf("no tool%d in %s", i, text.String())
			break
		}
	}
	if loads > 2 {
		t.Errorf("two frames were loaded %d times", loads)
	}
}
