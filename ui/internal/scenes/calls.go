package scenes

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"midwire/session/wire"
)

// Pings is n pings, every tenth of which fails.
func Pings(n int) []wire.Frame {
	var t Tape
	for i := range n {
		t.At(int64(i)*10).Line(wire.ToServer, `{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"n":%d}}`, i, i)
		if i%10 == 9 {
			t.Line(wire.ToClient, `{"jsonrpc":"2.0","id":%d,"error":{"code":-32600,"message":"no"}}`, i)
			continue
		}
		t.Line(wire.ToClient, `{"jsonrpc":"2.0","id":%d,"result":{}}`, i)
	}
	return t.Frames
}

// RandomCalls is a session of calls at random times with random answers.
func RandomCalls(r *rand.Rand, n int) []wire.Frame {
	var t Tape
	var open []int
	at := int64(0)
	for id := 0; id < n; {
		at += r.Int64N(40)
		t.At(at)
		if len(open) > 0 && r.IntN(2) == 0 {
			i := r.IntN(len(open))
			t.Line(wire.ToClient, `{"jsonrpc":"2.0","id":%d,"result":{}}`, open[i])
			open = slices.Delete(open, i, i+1)
			continue
		}
		t.Line(wire.ToServer, `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, id)
		open = append(open, id)
		id++
	}
	return t.Frames
}

// Busy is a session over HTTP with all that views draw: a stream of its own,
// an answer that streams, calls at once, one that waits, one that was given up,
// one that was lost, pings, progress, silence.
func Busy() []wire.Frame {
	const (
		up, down = wire.ToServer, wire.ToClient
		sid      = "Mcp-Session-Id: 9f3c\r\n"
		call     = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"n":%d},"_meta":{"progressToken":%d}}}`
	)
	var t Tape
	t.Fact(wire.KindOpen, wire.NoDir, 1, 0, wire.Open{Client: "127.0.0.1:51000", Upstream: "127.0.0.1:3000"})
	t.Post(1, "/mcp", "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"sampling":{}},"clientInfo":{"name":"team-bot","version":"2.1"}}}`).
		Answer(30, "200 OK", sid, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1.4"}}}`)
	t.Post(1, "/mcp", sid, `{"jsonrpc":"2.0","method":"notifications/initialized"}`).Answer(2, "202 Accepted", "", "")
	t.At(100).Get(2, "/mcp", sid)
	slow := t.At(400).Post(1, "/mcp", sid, fmt.Sprintf(call, 1, "index", 3, 7))
	t.At(600).Post(3, "/mcp", sid, fmt.Sprintf(call, 2, "read", 1, 8)).Answer(150, "200 OK", "", `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"some notes"}]}}`)
	var steps []string
	for i := range 4 {
		steps = append(steps, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":%d,"total":4}}`, i+1))
	}
	steps = append(steps, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"indexed"}]}}`)
	slow.Stream(250, steps...)
	for i := range 5 {
		t.At(int64(4000+i*400)).Post(1, "/mcp", sid, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, 10+i)).Answer(3, "200 OK", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, 10+i))
	}
	t.At(7000).Post(1, "/mcp", sid, fmt.Sprintf(call, 20, "delete", 1, 9)).Answer(40, "200 OK", "", `{"jsonrpc":"2.0","id":20,"error":{"code":-32601,"message":"Method not found"}}`)
	t.At(7100).Post(1, "/mcp", sid, fmt.Sprintf(call, 21, "slow", 1, 10))
	t.At(7600).Post(3, "/mcp", sid, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":21,"reason":"too slow"}}`).Answer(2, "202 Accepted", "", "")
	t.At(8000).Post(4, "/mcp", sid, fmt.Sprintf(call, 22, "crash", 1, 11)).Break()
	t.At(8500).Post(1, "/mcp", sid, fmt.Sprintf(call, 23, "wait", 1, 12))
	return t.Frames
}
