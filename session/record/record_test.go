package record

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"midwire/session/record/redact"
	"midwire/session/wire"
)

var started = time.Date(2026, 11, 21, 10, 15, 0, 123456789, time.UTC)

func clock() time.Time { return started.Add(time.Second) }

func create(t testing.TB, opt Options) *Writer {
	t.Helper()
	if opt.Now == nil {
		opt.Now = clock
	}
	w, err := Create(t.TempDir(), Header{Started: started, Tap: "stdio"}, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// readAll returns all frames, with their own payloads.
func readAll(t testing.TB, path string) ([]wire.Frame, *Reader) {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return rest(t, r), r
}

func rest(t testing.TB, r *Reader) []wire.Frame {
	t.Helper()
	var all []wire.Frame
	for {
		var f wire.Frame
		err := r.Next(&f)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		f.Data = bytes.Clone(f.Data)
		all = append(all, f)
	}
}

func sameFrame(a, b wire.Frame) bool {
	data := bytes.Equal(a.Data, b.Data)
	a.Data, b.Data = nil, nil
	return data && a.N == b.N && a.T == b.T && a.Kind == b.Kind && a.Dir == b.Dir && a.Part == b.Part &&
		a.Conn == b.Conn && a.X == b.X && a.EOL == b.EOL && a.Len == b.Len && a.Masked == b.Masked
}

func FuzzRoundTrip(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, ` { "a" : 1 }	`, "{\"a\":\n1}", "", "\xff\xfe{}", "null\r", "\"\\ud800\"",
		"data: {\"a\":1}\n\n", "event: message\r\nid: \"7\\\"\r\ndata:{\"a\":1}\r\n\r\n", "data: {}\ndata: {}\n\n", "\xef\xbb\xbfdata:1\r\r",
		"data", "data:", ": \x00\x7f\u2028\n\n", "POST /mcp HTTP/1.1\r\nHost: x\r\n\r\n", `{"access_token":"redacted:12345678"}`,
		"data: {}\n" + ": a comment that is longer than what is between the members of a line, far longer than that\n\n",
	} {
		for k := range 18 {
			f.Add([]byte(s), byte(k), byte(k), byte(k%3), int64(k)*1e9)
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte, kind, dirs, part byte, at int64) {
		in := wire.Frame{
			T: at, Kind: wire.Kind(kind%17 + 1), Dir: []wire.Dir{0, '>', '<'}[dirs%3], Part: wire.Part(part % 3),
			Conn: uint32(dirs / 3), X: uint32(kind) << 24, Len: len(data), Data: data,
		}
		if in.Kind == wire.KindLine || in.Kind == wire.KindStderr {
			in.EOL = []string{"", "\n", "\r\n"}[dirs/3%3]
		}
		w, err := Create(dir, Header{}, Options{Redact: redact.Options{Keep: true}})
		if err != nil {
			t.Fatal(err)
		}
		defer os.Remove(w.Path())
		before := bytes.Clone(data)
		var want []wire.Frame
		for range 2 {
			w.Append(&in)
			want = append(want, in)
		}
		w.Flush()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, r := readAll(t, w.Path())
		if _, bad := r.Bad(); bad > 0 || len(got) != 3 || got[2].Kind != wire.KindEnd || r.Torn() {
			raw, _ := os.ReadFile(w.Path())
			t.Fatalf("%d frames, %d bad lines of\n%s", len(got), bad, raw)
		}
		for i := range want {
			if !bytes.Equal(in.Data, before) || !sameFrame(got[i], want[i]) {
				t.Fatalf("wrote %+v\nread  %+v", want[i], got[i])
			}
			if again, err := r.Frame(want[i].N); err != nil || !sameFrame(again, want[i]) {
				t.Fatalf("Frame(%d) is %+v, %v", want[i].N, again, err)
			}
		}
	})
}

// Long payloads take another way through the writer and the reader.
func TestLongPayloads(t *testing.T) {
	w := create(t, Options{})
	var want []wire.Frame
	for i, data := range [][]byte{
		[]byte(`{"x":"` + string(bytes.Repeat([]byte("long "), 1<<20)) + `"}`),
		bytes.Repeat([]byte("text\n\"\\ü"), 100<<10),
		bytes.Repeat([]byte("\xff\x00."), 300<<10),
		[]byte("data: [" + string(bytes.Repeat([]byte("1,"), 200<<10)) + "1]\n\n"),
		[]byte(`{"access_token":"` + string(bytes.Repeat([]byte("s"), 300<<10)) + `"}`),
		[]byte(`{}`),
	} {
		f := wire.Frame{T: int64(i), Kind: wire.KindBody, Len: len(data), Data: data}
		if data[0] == 'd' {
			f.Kind = wire.KindEvent
		}
		w.Append(&f)
		want = append(want, f)
	}
	w.Flush()
	got, r := readAll(t, w.Path())
	if len(got) != len(want) || r.Torn() {
		t.Fatalf("%d frames, torn %v", len(got), r.Torn())
	}
	want[4].Masked, want[4].Data = true, got[4].Data
	for i := range want {
		if !sameFrame(got[i], want[i]) {
			t.Errorf("frame %d differs: %d bytes, want %d", i, len(got[i].Data), len(want[i].Data))
		}
	}
	if len(got[4].Data) > 100 {
		t.Errorf("masked payload has %d bytes", len(got[4].Data))
	}
}

func TestCreate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	h := Header{Started: started, Tap: "http", Label: "<x>", Target: "https://u:password@h/mcp?sessionId=1&api_key=k", Command: []string{"x", "--token", "t"}, Pid: 7}
	w, err := Create(dir, h, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	info, _ := os.Stat(w.Path())
	folder, _ := os.Stat(dir)
	if info.Mode().Perm() != 0o600 || folder.Mode().Perm() != 0o700 {
		t.Errorf("permissions %v in a folder of %v", info.Mode(), folder.Mode())
	}
	if w.ID()[:16] != "20261121-101500-" || len(w.ID()) != 22 || filepath.Base(w.Path()) != w.ID()+".jsonl" {
		t.Errorf("id %q, path %q", w.ID(), w.Path())
	}
	raw, _ := os.ReadFile(w.Path())
	if bytes.Contains(raw, []byte("password")) || bytes.Contains(raw, []byte("=k")) || bytes.Contains(raw, []byte(`"t"`)) || !bytes.Contains(raw, []byte("<x>")) {
		t.Errorf("header is %s", raw)
	}
	_, r := readAll(t, w.Path())
	if got := r.Header(); got.Format != 1 || !got.Started.Equal(started) || got.ID != w.ID() || got.Pid != 7 {
		t.Errorf("header is %+v", got)
	}
	if _, err := Create(dir, Header{ID: w.ID()}, Options{}); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second writer of one file: %v", err)
	}
	file := filepath.Join(dir, "file")
	os.WriteFile(file, nil, 0o600)
	if _, err := Create(filepath.Join(file, "recordings"), Header{}, Options{}); err == nil {
		t.Error("a folder within a file")
	}
}

func TestDiscard(t *testing.T) {
	w := Discard()
	f := wire.Frame{Kind: wire.KindLine, Data: []byte("x")}
	w.Append(&f)
	w.Append(&f)
	w.Flush()
	if f.N != 2 || w.Err() != nil || w.Close() != nil || w.Path() != "" {
		t.Errorf("frame %d, %v", f.N, w.Err())
	}
}

func TestAppendAllocatesNothing(t *testing.T) {
	w := create(t, Options{})
	f := sample()
	if n := testing.AllocsPerRun(1000, func() { w.Append(&f) }); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
	f.Kind, f.Data = wire.KindRequest, []byte(head)
	if n := testing.AllocsPerRun(1000, func() { w.Append(&f) }); n != 0 {
		t.Errorf("%v allocations a head", n)
	}
}

const head = "POST /mcp HTTP/1.1\r\nHost: localhost:3000\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" +
	"Mcp-Session-Id: 0b1f6c1e-7d5b-4a9b-9b1e-0c6c0d4c6c1e\r\nAuthorization: Bearer abc\r\n\r\n"

func sample() wire.Frame {
	data := []byte(`{"jsonrpc":"2.0","id":4711,"method":"tools/call","params":{"name":"search_files","arguments":{"query":"auth","path":"/srv/data/projects/one","limit":20},"_meta":{"progressToken":17,"trace":"abcdefg"}}}`)
	return wire.Frame{T: 18327400123, Kind: wire.KindLine, Dir: wire.ToServer, X: 1, EOL: "\n", Len: len(data), Data: data}
}

func BenchmarkAppend(b *testing.B) {
	f := sample()
	for name, kind := range map[string]wire.Kind{"line": wire.KindLine, "head": wire.KindRequest, "event": wire.KindEvent} {
		b.Run(name, func(b *testing.B) {
			w := create(b, Options{})
			w.file = nullFile{}
			f := f
			f.Kind, f.EOL = kind, ""
			switch kind {
			case wire.KindLine:
				f.EOL = "\n"
			case wire.KindRequest:
				f.Data = []byte(head)
			case wire.KindEvent:
				f.Data = []byte("event: message\ndata: " + string(f.Data) + "\n\n")
			}
			b.ReportAllocs()
			for b.Loop() {
				w.Append(&f)
			}
		})
	}
}

type nullFile struct{}

func (nullFile) Write(p []byte) (int, error) { return len(p), nil }
func (nullFile) Truncate(int64) error        { return nil }
func (nullFile) Close() error                { return nil }

// BenchmarkRead reads a million frames at each turn.
func BenchmarkRead(b *testing.B) {
	w := create(b, Options{})
	f := sample()
	const frames = 1_000_000
	for range frames {
		w.Append(&f)
	}
	w.Flush()
	b.ReportAllocs()
	for b.Loop() {
		r, err := Open(w.Path())
		if err != nil {
			b.Fatal(err)
		}
		var f wire.Frame
		n := 0
		for r.Next(&f) == nil {
			n++
		}
		r.Close()
		if n != frames {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/frames, "ns/frame")
}
