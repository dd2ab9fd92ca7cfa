package session_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	. "midwire/session"
	"midwire/session/describe"
	"midwire/session/encoding"
	"midwire/session/wire"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

func fold(t *testing.T, encoding string, data string) []byte {
	var b bytes.Buffer
	var w io.WriteCloser
	switch encoding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "raw deflate":
		w, _ = flate.NewWriter(&b, 6)
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, _ = zstd.NewWriter(&b)
	}
	if _, err := w.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var encodings = []string{"gzip", "deflate", "raw deflate", "br", "zstd"}

func TestDecode(t *testing.T) {
	for _, enc := range encodings {
		folded := fold(t, enc, strings.Repeat("midwire ", 1000))
		name := strings.TrimPrefix(enc, "raw ")
		if got, ok := encoding.Parse(name).Decode(folded); !ok || len(got) != 8000 {
			t.Errorf("%s: %d bytes, %v", enc, len(got), ok)
		}
		if _, ok := encoding.Parse(name).Decode([]byte("plain text, not coded")); ok && enc != "raw deflate" && enc != "deflate" {
			t.Errorf("%s: decoded plain text", enc)
		}
	}
	if _, ok := encoding.Parse("sdch").Decode([]byte("x")); ok {
		t.Error("an unknown coding was decoded")
	}
}

// TestDecodeBomb: a small body that unfolds to more than the bound is cut.
func TestDecodeBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("80 MiB")
	}
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	zero := make([]byte, 1<<20)
	for range 80 {
		w.Write(zero)
	}
	w.Close()
	if got, ok := encoding.Parse("gzip").Decode(b.Bytes()); !ok || len(got) != encoding.MaxDecoded {
		t.Errorf("%d bytes, %v", len(got), ok)
	}
}

const (
	callBody   = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	resultBody = `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}]}}`
)

// TestCompressed reads a compressed response: as one body, and as an event
// stream that arrives in pieces.
func TestCompressed(t *testing.T) {
	for _, enc := range encodings {
		name := strings.TrimPrefix(enc, "raw ")
		t.Run(enc+"/json", func(t *testing.T) {
			s := &transcript{}
			s.http(1, 1, "> POST /mcp || "+callBody)
			s.http(1, 1, "< 200 application/json | Content-Encoding: "+name)
			s.Add(wire.Frame{Kind: wire.KindBody, Dir: '<', Conn: 1, X: 1}, string(fold(t, enc, resultBody)))
			s.http(1, 1, "close server")
			tr := s.apply()
			if r := tr.Row(0); r.Ending != Served || r.Response == 0 {
				t.Errorf("%+v", r)
			}
			if _, result := describe.Row(tr, tr.Row(0), s.Frames[1], s.Frames[3]); result != "1 tool: a" {
				t.Errorf("result %q", result)
			}
		})
		t.Run(enc+"/events", func(t *testing.T) {
			s := &transcript{}
			s.http(1, 1, "> POST /mcp || "+callBody)
			s.http(1, 1, "< 200 text/event-stream | Content-Encoding: "+name)
			folded := fold(t, enc, ": hello\n\ndata: "+resultBody+"\n\n")
			for i := range folded {
				s.Add(wire.Frame{Kind: wire.KindBody, Dir: '<', Conn: 1, X: 1, Part: wire.More}, string(folded[i:i+1]))
			}
			s.http(1, 1, "close server")
			tr := s.apply()
			r := tr.Row(0)
			if r.Ending != Served {
				t.Fatalf("%+v", r)
			}
			if _, result := describe.Row(tr, r, s.Frames[1], s.Frames[r.Response-1]); result != "1 tool: a" {
				t.Errorf("result %q", result)
			}
		})
		t.Run(enc+"/events at once", func(t *testing.T) {
			s := &transcript{}
			s.http(1, 1, "> POST /mcp || "+callBody)
			s.http(1, 1, "< 200 text/event-stream | Content-Encoding: "+name)
			progress := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"half"}}`
			folded := fold(t, enc, "data: "+progress+"\n\ndata: "+progress+"\n\ndata: "+resultBody+"\n\n")
			s.Add(wire.Frame{Kind: wire.KindBody, Dir: '<', Conn: 1, X: 1}, string(folded))
			s.http(1, 1, "close server")
			tr := s.apply()
			r := tr.Row(0)
			if m, ok := tr.Message(s.Frames[r.Response-1], r.RBatch); !ok || m.Kind != wire.MsgResult {
				t.Errorf("%v %+v", ok, m)
			}
			if m, ok := tr.Message(s.Frames[r.Response-1], 1); !ok || m.Kind != wire.MsgNotification {
				t.Errorf("%v %+v", ok, m)
			}
		})
		t.Run(enc+"/request", func(t *testing.T) {
			s := &transcript{}
			s.Add(wire.Frame{Kind: wire.KindRequest, Dir: '>', Conn: 1, X: 1}, "POST /mcp HTTP/1.1\r\nContent-Length: 9\r\nContent-Encoding: "+name+"\r\n\r\n")
			s.Add(wire.Frame{Kind: wire.KindBody, Dir: '>', Conn: 1, X: 1}, string(fold(t, enc, callBody)))
			tr := s.apply()
			if tr.Rows() != 1 || tr.Name(tr.Row(0).Name) != "tools/list" {
				t.Errorf("%d rows", tr.Rows())
			}
		})
	}
}

// TestParts reads messages that came in several frames.
func TestParts(t *testing.T) {
	half := len(callBody) / 2
	s := &transcript{}
	s.Add(wire.Frame{Kind: wire.KindLine, Dir: '>', X: 1, Part: wire.More}, callBody[:half])
	s.Add(wire.Frame{Kind: wire.KindLine, Dir: '>', X: 1}, callBody[half:])
	s.Add(wire.Frame{Kind: wire.KindLine, Dir: '<', X: 1, Part: wire.More}, resultBody[:half])
	s.Add(wire.Frame{Kind: wire.KindLine, Dir: '<', X: 1}, resultBody[half:])
	tr := s.apply()
	r := tr.Row(0)
	if tr.Rows() != 1 || r.Ending != Served || r.Request != 1 || r.Response != 3 || int(r.Len) != len(callBody) {
		t.Errorf("%d rows, %+v", tr.Rows(), r)
	}
}

// TestSteps: what Apply returns is what changed.
func TestSteps(t *testing.T) {
	s := &transcript{}
	s.Add(wire.Frame{Kind: wire.KindLine, Dir: '>', X: 1}, callBody)
	s.Add(wire.Frame{Kind: wire.KindLine, Dir: '<', X: 1}, resultBody)
	s.Add(wire.Frame{Kind: wire.KindEnd}, "{}")
	tr := New(Options{})
	step := tr.Apply(s.Frames[0])
	if step.Session != 0 || step.First != 0 || step.Added != 1 || len(step.Changed) != 0 {
		t.Errorf("request: %+v", step)
	}
	step = tr.Apply(s.Frames[1])
	if step.Session != 0 || step.First != -1 || step.Added != 0 || fmt.Sprint(step.Changed) != "[0]" {
		t.Errorf("response: %+v", step)
	}
	if step = tr.Apply(s.Frames[2]); step.Session != -1 || step.Added != 0 {
		t.Errorf("end: %+v", step)
	}
	if all := tr.Sessions(); len(all) != 1 || all[0].Calls != 1 || all[0].Transport != TransportStdio {
		t.Errorf("%+v", all)
	}
}

// TestManyRows: calls cost their rows and little more.
func TestManyRows(t *testing.T) {
	if testing.Short() {
		t.Skip("many calls")
	}
	if size := unsafe.Sizeof(Row{}); size > 96 {
		t.Errorf("a row is %d bytes", size)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	tr := New(Options{})
	const n = 250_000
	stdioCalls(n, func(f *wire.Frame) { tr.Apply(f) })
	runtime.GC()
	runtime.ReadMemStats(&after)
	per := float64(after.HeapAlloc-before.HeapAlloc) / n
	t.Logf("%.0f bytes a call", per)
	if tr.Rows() != n || tr.Sessions()[0].Pending != 0 {
		t.Errorf("%d rows, %d pending", tr.Rows(), tr.Sessions()[0].Pending)
	}
	if per > 120 {
		t.Errorf("%.0f bytes a call are kept", per)
	}
	if p := tr.PendingIDs(); len(p) != 0 {
		t.Errorf("%d ids are still known", len(p))
	}
}

// Times that run backwards, in a recording of somebody else's making, make no
// duration below zero.
func TestTimeThatRunsBackwards(t *testing.T) {
	tr := New(Options{})
	for i, f := range []wire.Frame{
		{T: 9e9, Kind: wire.KindLine, Dir: wire.ToServer, X: 1, Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)},
		{T: 5e9, Kind: wire.KindLine, Dir: wire.ToClient, X: 1, Data: []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)},
		{T: -1 << 62, Kind: wire.KindExit, X: 1, Data: []byte(`{"code":0}`)},
	} {
		f.N = uint64(i + 1)
		tr.Apply(&f)
	}
	for i := range tr.Rows() {
		if r := tr.Row(i); r.T < 9e9 || r.End != 0 && r.End < r.T {
			t.Errorf("row %d begins at %d and ends at %d", i, r.T, r.End)
		}
	}
}
