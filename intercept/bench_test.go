package intercept

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"testing"

	"midwire/intercept/gate"

	"midwire/session/wire"
)

// BenchmarkObserve is what the observer does with a stdio stream, the disk
// included. Its time competes with the pumps for the processors.
func BenchmarkObserve(b *testing.B) {
	for _, size := range []int{200, 4 << 10, 256 << 10, 16 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			rec, started := newRecording(b, "stdio")
			tap := &Tap{rec: rec, started: started, q: newQueue(nil)}
			s := &lineStream{tap: tap, kind: wire.KindLine, dir: wire.ToServer}
			const head, tail = `{"jsonrpc":"2.0","id":4711,"method":"tools/call","params":{"name":"x","text":"`, "\"}}\n"
			msg := []byte(head + string(bytes.Repeat([]byte("lorem ipsum "), size/12+1))[:size-len(head)-len(tail)] + tail)
			stream := bytes.Repeat(msg, max(1, largeRead/len(msg)))
			lines := bytes.Count(stream, []byte("\n"))
			b.SetBytes(int64(len(msg)))
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; i < b.N; i += lines {
				for p := stream; len(p) > 0; {
					n := min(len(p), largeRead)
					s.feed(0, p[:n])
					p = p[n:]
				}
				rec.Flush()
			}
		})
	}
}

// BenchmarkExchange is what the observer does with one POST and its answer.
func BenchmarkExchange(b *testing.B) {
	rec, started := newRecording(b, "http")
	tap := &Tap{rec: rec, started: started, q: newQueue(nil)}
	e := newExchanges(tap, 1)
	req := []byte(post("/mcp", `{"jsonrpc":"2.0","id":4711,"method":"tools/call","params":{"name":"x","arguments":{"query":"auth","path":"/srv/data"}}}`,
		"Accept: application/json, text/event-stream", "Content-Type: application/json", "Mcp-Session-Id: 0d2c7a0e-1111-4222-8333-444455556666", "MCP-Protocol-Version: 2025-11-25"))
	resp := []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Sat, 21 Nov 2026 05:00:00 GMT\r\nContent-Length: 63\r\n\r\n" + `{"jsonrpc":"2.0","id":4711,"result":{"content":[],"text":"abc"}}`[:63])
	b.ReportAllocs()
	for b.Loop() {
		e.requests().feed(0, req)
		e.responses().feed(0, resp)
		rec.Flush()
	}
}

// BenchmarkPath is a POST and its answer over real connections: without a gate, and
// with a rule that is for nothing.
func BenchmarkPath(b *testing.B) {
	body := `{"jsonrpc":"2.0","id":4711,"method":"tools/call","params":{"name":"x","arguments":{"query":"auth"}}}`
	resp := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 63\r\n\r\n" + `{"jsonrpc":"2.0","id":4711,"result":{"content":[],"text":"abc"}}`[:63]
	for _, rules := range []string{"", "tool:zzz => drop"} {
		b.Run(rules, func(b *testing.B) {
			up := rawUpstream(b, func(int, int) string { return resp })
			g := gate.New("http")
			if r, err := gate.Parse(rules); err == nil {
				_ = g.Arm(r, "")
			}
			tap := startHTTP(b, &HTTP{Target: up.url, KeepHost: true, Gate: g})
			c, err := net.Dial("tcp", tap.addr)
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			req, buf := []byte(post("/mcp", body)), make([]byte, len(resp))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Write(req); err != nil {
					b.Fatal(err)
				}
				if _, err := io.ReadFull(c, buf); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
