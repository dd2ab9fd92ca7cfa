package session_test

import (
	"fmt"
	"testing"

	. "midwire/session"
	"midwire/session/wire"
)

// stdioCalls is the traffic of n tool calls on stdio.
func stdioCalls(n int, yield func(*wire.Frame)) {
	f := wire.Frame{X: 1, Kind: wire.KindLine}
	var buf []byte
	put := func(d wire.Dir, format string, args ...any) {
		buf = fmt.Appendf(buf[:0], format, args...)
		f.N++
		f.T += 1000
		f.Dir, f.Data, f.Len = d, buf, len(buf)
		yield(&f)
	}
	for i := range n {
		put('>', `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search_files","arguments":{"q":"auth","limit":10}}}`, i)
		put('<', `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"src/auth.go"}],"isError":false}}`, i)
	}
}

// httpCalls is the traffic of n tool calls over HTTP, on four connections.
func httpCalls(n int, yield func(*wire.Frame)) {
	f := wire.Frame{}
	var buf []byte
	put := func(x int, k wire.Kind, d wire.Dir, format string, args ...any) {
		buf = fmt.Appendf(buf[:0], format, args...)
		f.N++
		f.T += 1000
		f.Conn, f.X = uint32(x%4+1), uint32(x)
		f.Kind, f.Dir, f.Data, f.Len = k, d, buf, len(buf)
		yield(&f)
	}
	const fields = "Host: 127.0.0.1:7000\r\nUser-Agent: node\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nmcp-session-id: 0b7c2a52-5d2c-4ab5-9e0c-9a3e4f1d2c11\r\nmcp-protocol-version: 2025-06-18\r\nAccept-Encoding: gzip, deflate\r\nConnection: keep-alive\r\n"
	for i := range n {
		x := i + 1
		put(x, wire.KindRequest, '>', "POST /mcp HTTP/1.1\r\n%sContent-Length: 120\r\n\r\n", fields)
		put(x, wire.KindBody, '>', `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search_files","arguments":{"q":"auth","limit":10}}}`, i)
		put(x, wire.KindResponse, '<', "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n")
		put(x, wire.KindEvent, '<', "event: message\ndata: "+`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"src/auth.go"}],"isError":false}}`+"\n\n", i)
		put(x, wire.KindClose, '<', `{"by":"server","clean":true}`)
	}
}

func benchmarkApply(b *testing.B, traffic func(int, func(*wire.Frame))) {
	var frames []*wire.Frame
	traffic(b.N, func(f *wire.Frame) {
		c := *f
		c.Data = append([]byte(nil), f.Data...)
		frames = append(frames, &c)
	})
	t := New(Options{})
	b.ReportAllocs()
	b.ResetTimer()
	for _, f := range frames {
		t.Apply(f)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(len(frames)), "ns/frame")
}

// One operation is one call: a request and its response.
func BenchmarkStdioCall(b *testing.B) { benchmarkApply(b, stdioCalls) }
func BenchmarkHTTPCall(b *testing.B)  { benchmarkApply(b, httpCalls) }
