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
		for _, token := range tr.groupAt(int32(g.Index)).scope.tokenOf {
			if len(token) > maxName {
				t.Errorf("%d bytes of a progress token are kept", len(token))
			}
		}
	}
}

// Sessions behind those that are told apart are one, which is not watched.
func TestManySessionsAreBounded(t *testing.T) {
	watched := map[int]bool{}
	tr := New(Options{Tap: "http", Watch: func(e *Event) {
		if e.Session != nil {
			watched[e.Session.Index] = true
		}
	}})
	n, x := uint64(0), uint32(0)
	post := func(id int) {
		x++
		n += 2
		head := fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nMcp-Session-Id: s%d\r\nContent-Length: 1\r\n\r\n", id)
		tr.Apply(&wire.Frame{N: n - 1, Kind: wire.KindRequest, Dir: wire.ToServer, Conn: x, X: x, Data: head})
		body := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		tr.Apply(&wire.Frame{N: n, Kind: wire.KindBody, Dir: wire.ToServer, Conn: x, X: x, Data: body})
	}
	const many = maxSessions + 100
	for i := range many {
		post(i)
	}
	all := tr.Sessions()
	last := all[len(all)-1]
	if len(all) != maxSessions+1 || !last.More || last.Calls != many-maxSessions || watched[last.Index] {
		t.Errorf("%d sessions, the last with %d calls, watched: %v", len(all), last.Calls, watched[last.Index])
	}
	post(3)
	if all[3].Calls != 2 {
		t.Errorf("a session of before has %d calls", all[3].Calls)
	}
	if len(tr.conns) > maxConns || len(tr.dir.ids) > maxFound {
		t.Errorf("%d connections, %d ids", len(tr.conns), len(tr.dir.ids))
	}
}

// Names and long ids of sessions take a bounded amount of memory.
func TestNamesAreBounded(t *testing.T) {
	tr := New(Options{Tap: "stdio"})
	long := strings.Repeat("x", maxName-10)
	for i := range maxNames/len(long) + 1000 {
		raw := fmt.Sprintf(`{"jsonrpc":"2.0","id":"%06d%s","method":"m"}`, i, long)
		tr.Apply(&wire.Frame{N: uint64(2*i + 1), X: 1, Kind: wire.KindLine, Dir: wire.ToServer, Data: []byte(raw)})
		raw = fmt.Sprintf(`{"jsonrpc":"2.0","id":"%06d%s","result":{}}`, i, long)
		tr.Apply(&wire.Frame{N: uint64(2*i + 2), X: 1, Kind: wire.KindLine, Dir: wire.ToClient, Data: []byte(raw)})
	}
	if got := tr.Name(tr.Row(tr.Rows() - 1).ID); got != "…" || len(tr.process.scope.calls[0].texts) > 0 {
		t.Errorf("the last id is %.20q, %d wait", got, len(tr.process.scope.calls[0].texts))
	}
	for i := range tr.Rows() {
		if tr.Row(i).Response == 0 {
			t.Fatalf("call %d has no response", i)
		}
	}
	a, b := strings.Repeat("x", 1<<20)+"a", strings.Repeat("x", 1<<20)+"b"
	if id := shortID(a); len(id) > maxSessionID || id == shortID(b) || id != shortID(a) {
		t.Errorf("%d bytes of an id are kept", len(id))
	}
}
