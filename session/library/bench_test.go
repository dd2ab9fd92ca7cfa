package library

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"midwire/session/diagnose/rules"
	"midwire/session/record"
	"midwire/session/wire"
)

// manyCalls makes a recording of about n frames: over HTTP, in sessions of 200
// calls, with what real calls carry.
func manyCalls(b *testing.B, n int) string {
	w, err := record.Create(b.TempDir(), record.Header{ID: "many", Started: begun(), Tap: "http"}, record.Options{})
	if err != nil {
		b.Fatal(err)
	}
	x := uint32(0)
	exchange := func(sid, body, response string) {
		x++
		at := func(k wire.Kind, d wire.Dir, data string) {
			w.Append(&wire.Frame{Kind: k, Dir: d, Conn: 1, X: x, Data: []byte(data)})
		}
		id := ""
		if sid != "" {
			id = "Mcp-Session-Id: " + sid + "\r\nMCP-Protocol-Version: 2025-11-25\r\n"
		}
		at(wire.KindRequest, '>', "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:3000\r\nUser-Agent: desk/2.0\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"+id+fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)))
		at(wire.KindBody, '>', body)
		if response == "" {
			at(wire.KindResponse, '<', "HTTP/1.1 202 Accepted\r\n\r\n")
		} else {
			at(wire.KindResponse, '<', "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: "+sid+"\r\n\r\n")
			at(wire.KindBody, '<', response)
		}
		at(wire.KindClose, 0, `{"by":"server","clean":true}`)
	}
	for s := 0; int(x)*5 < n; s++ {
		sid := fmt.Sprintf("5c1d1b1e-6a54-4f0c-8b52-%012d", s)
		x++
		for _, f := range []wire.Frame{
			{Kind: wire.KindRequest, Dir: '>', Data: []byte("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:3000\r\nUser-Agent: desk/2.0\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: 150\r\n\r\n")},
			{Kind: wire.KindBody, Dir: '>', Data: []byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"desk","version":"2"}}}`)},
			{Kind: wire.KindResponse, Dir: '<', Data: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: " + sid + "\r\n\r\n")},
			{Kind: wire.KindBody, Dir: '<', Data: []byte(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}}`)},
			{Kind: wire.KindClose, Data: []byte(`{"by":"server","clean":true}`)},
		} {
			f.Conn, f.X = 1, x
			w.Append(&f)
		}
		exchange(sid, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "")
		exchange(sid, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"search_notes","description":"Finds notes.","inputSchema":{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}},"required":["query"]}}]}}`)
		for i := 2; i < 200; i++ {
			exchange(sid, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search_notes","arguments":{"query":"release %d","limit":%d},"_meta":{"progressToken":%d}}}`, i, i*s, i%9, i),
				fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"note %d: the release is on Friday, ask Mira; see also note %d"}],"isError":false}}`, i, i*s, i))
		}
	}
	w.Close()
	return w.Path()
}

// BenchmarkRead and BenchmarkCheck are to be compared: rules may add half again
// to the time of reading.
func BenchmarkRead(b *testing.B) {
	path := manyCalls(b, 200_000)
	for b.Loop() {
		r, err := Read(path)
		if err != nil {
			b.Fatal(err)
		}
		r.Reader.Close()
	}
	perFrame(b, path)
}

func BenchmarkCheck(b *testing.B) {
	path := manyCalls(b, 200_000)
	for b.Loop() {
		if _, err := Check([]string{path}, rules.All()); err != nil {
			b.Fatal(err)
		}
	}
	perFrame(b, path)
}

func perFrame(b *testing.B, path string) {
	raw, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	frames := strings.Count(string(raw), "\n") - 1
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(frames), "ns/frame")
}
