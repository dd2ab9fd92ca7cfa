package intercept

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"midwire/session"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/session/wire"
)

// FuzzCuts feeds one connection to the observer, once in large pieces and once
// cut small, the client's side in parts between the server's. What is recorded
// must be every byte that framing does not remove, and its meaning must not
// depend on the cuts.
func FuzzCuts(f *testing.F) {
	const (
		ask   = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:3000\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: 148\r\n\r\n" + `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1.0"}}}`
		said  = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: s1\r\nContent-Length: 129\r\n\r\n" + `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1.0"}}   }`
		get   = "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:3000\r\nAccept: text/event-stream\r\nMcp-Session-Id: s1\r\n\r\n"
		sse   = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
		event = "3e\r\nid: 1\r\nevent: message\r\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\r\n\r\n\r\n0\r\n\r\n"
	)
	f.Add([]byte(ask+get), []byte(said+sse+event), []byte{3})
	f.Add([]byte(ask+ask), []byte("HTTP/1.1 100 Continue\r\n\r\n"+said+"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"), []byte{0})
	f.Add([]byte(get), []byte(strings.Replace(sse, "\r\n\r\n", "\r\nContent-Encoding: gzip\r\n\r\n", 1)+"4\r\n\x1f\x8b\x08\x00\r\n0\r\n\r\n"), []byte{1, 2})
	f.Add([]byte(get), []byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent: endpoint\r\ndata: /m?sessionId=1\r\n\r\ndata: {\rdata: }\r\r: cut"), []byte{7})
	f.Add([]byte("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX: y\r\n\r\n\x16\x03\x01"), []byte("SSH-2.0\r\n\r\n"), []byte{5})
	f.Add([]byte("GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\nraw"), []byte("HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n\r\nraw"), []byte{2})
	f.Add([]byte("HEAD / HTTP/1.1\r\n\r\n"+get), []byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/1.1 304 Not\r\n\r\n"), []byte{})
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, up, down, seed []byte) {
		whole, rows := recorded(t, dir, up, down, nil)
		if cut, again := recorded(t, dir, up, down, append(slices.Clip(seed), 1)); cut != whole || again != rows {
			t.Fatalf("the recording depends on the cuts:\n%s\n%s\nor\n%s\n%s", whole, rows, cut, again)
		}
	})
}

// recorded is what a connection becomes: its frames, those of a unit that is
// recorded as it comes joined, and the rows of the session.
func recorded(t *testing.T, dir string, up, down, seed []byte) (text, rows string) {
	t.Helper()
	w, err := record.Create(dir, record.Header{Tap: "http"}, record.Options{Redact: redact.Options{Keep: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(w.Path())
	tap := newTap(func() *record.Writer { return w }, time.Now(), nil)
	seen := newExchanges(tap, 1)
	for _, side := range []struct {
		to   stream
		data []byte
	}{{seen.requests(), up}, {seen.responses(), down}} {
		for i, rest := 0, side.data; len(rest) > 0; i++ {
			n := len(rest)
			if len(seed) > 0 {
				n = min(n, int(seed[i%len(seed)])%23+1)
			}
			tap.q.put(side.to, 0, rest[:n])
			rest = rest[n:]
		}
	}
	tap.q.do(0, func(at int64) { seen.end(at, wire.Close{By: wire.ByServer, Clean: true}) })
	tap.close()
	return told(frames(t, w.Path())), meant(frames(t, w.Path()))
}

func told(all []wire.Frame) string {
	var b strings.Builder
	var last wire.Frame
	var data []byte
	flush := func() {
		if last.Kind != wire.KindNone {
			fmt.Fprintf(&b, "%v %c x%d %v %q\n", last.Kind, max(last.Dir, '-'), last.X, last.Part, data)
		}
	}
	for _, f := range all {
		joins := f.Kind == last.Kind && f.Dir == last.Dir && f.X == last.X && (f.Kind == wire.KindRaw || last.Part == wire.More)
		if f.Kind == wire.KindEnd {
			f.Data = nil // counts frames
		}
		if !joins {
			flush()
			data = nil
		}
		last, data = f, append(data, f.Data...)
	}
	flush()
	return b.String()
}

// meant is what the session makes of it, without the numbers of frames.
func meant(all []wire.Frame) string {
	tr := session.New(session.Options{})
	for i := range all {
		tr.Apply(&all[i])
	}
	var b bytes.Buffer
	for i := range tr.Rows() {
		r := tr.Row(i)
		if tr.Name(r.Name) == "raw" {
			continue // what is not framed is recorded as it is read
		}
		fmt.Fprintf(&b, "%v %v %v %s %s %d %d\n", r.Kind, r.Dir, r.Ending, tr.Name(r.Name), tr.Name(r.ID), r.Status, r.Code)
	}
	return b.String()
}
