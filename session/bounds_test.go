package session

import (
	"fmt"
	"strings"
	"testing"

	"midwire/session/wire"
)

// Exchanges that never end, and progress tokens of any length, take a bounded amount of memory.
func TestWhatNeverEndsIsBounded(t *testing.T) {
	tr := New(Options{Tap: "http"})
	const many = 2*maxExchanges + 5
	for x := range uint32(many) {
		tr.Apply(&wire.Frame{
			N: uint64(x + 1), Kind: wire.KindRequest, Dir: wire.ToServer, Conn: x%7 + 1, X: x + 1,
			Data: []byte("GET /mcp HTTP/1.1\r\n\r\n"),
		})
	}
	if n := len(tr.open); n > maxExchanges || tr.open[many] == nil {
		t.Errorf("%d exchanges are open", n)
	}
	tr = New(Options{Tap: "stdio"})
	raw := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":"%s"}}}`,
		strings.Repeat("x", 1<<20))
	tr.Apply(&wire.Frame{N: 1, Kind: wire.KindLine, Dir: wire.ToServer, X: 1, Data: []byte(raw)})
	for _, g := range tr.Sessions() {
		for _, token := range tr.at(int32(g.Index)).scope.tokenOf {
			if len(token) > maxName {
				t.Errorf("%d bytes of a progress token are kept", len(token))
			}
		}
	}
}
