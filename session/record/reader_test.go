package record

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"midwire/session/record/redact"
	"midwire/session/wire"
)

// small writes a recording with every form of payload, and returns its bytes
// and where each line ends.
func small(t *testing.T) (raw []byte, ends []int) {
	t.Helper()
	w := create(t, Options{})
	for _, data := range []string{`{"a":1}`, "text ü\"", "\xff\xfe", "data: {\"a\":1}\r\n\r\n", ""} {
		w.Append(&wire.Frame{Kind: wire.KindEvent, Dir: wire.ToClient, X: 3, Data: []byte(data)})
	}
	w.Close()
	raw, err := os.ReadFile(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range raw {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	return raw, ends
}

func tempFile(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A recording cut off anywhere reads up to its last whole line.
func TestTornAnywhere(t *testing.T) {
	raw, ends := small(t)
	path := tempFile(t, raw)
	for size := len(raw); size >= 0; size-- {
		if err := os.Truncate(path, int64(size)); err != nil {
			t.Fatal(err)
		}
		r, err := Open(path)
		if size < ends[0]-1 {
			if !errors.Is(err, ErrNotRecording) {
				t.Fatalf("cut at %d: %v", size, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("cut at %d: %v", size, err)
		}
		want, whole := -1, false
		for _, end := range ends {
			if size >= end-1 { // only the line feed may be missing
				want++
				whole = size <= end
			}
		}
		got := rest(t, r)
		if _, bad := r.Bad(); len(got) != want || bad > 0 || r.Torn() == whole {
			t.Fatalf("cut at %d: %d frames, want %d; torn %v, %d bad", size, len(got), want, r.Torn(), bad)
		}
		r.Close()
	}
}

// Reading while the file grows byte by byte gives the same frames.
func TestFollow(t *testing.T) {
	raw, ends := small(t)
	path := tempFile(t, raw[:ends[0]])
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, r := readAll(t, path)
	for i := ends[0]; i < len(raw); i++ {
		f.Write(raw[i : i+1])
		got = append(got, rest(t, r)...)
	}
	want, _ := readAll(t, tempFile(t, raw))
	if len(got) != len(want) || len(got) != len(ends)-1 {
		t.Fatalf("%d frames, want %d", len(got), len(want))
	}
	for i := range want {
		if !sameFrame(got[i], want[i]) {
			t.Errorf("followed %+v\nread     %+v", got[i], want[i])
		}
	}
	if r.Offset() != int64(len(raw)) || r.Torn() {
		t.Errorf("at %d of %d, torn %v", r.Offset(), len(raw), r.Torn())
	}
}

// A writer in trouble takes back what it could not finish; a reader that saw
// that must not mix it with what comes instead.
func TestFollowTakenBack(t *testing.T) {
	raw, ends := small(t)
	path := tempFile(t, append(raw[:ends[0]:ends[0]], `{"n":1,"t":0,"k":"line","len":100,"json":{"to be taken back":`...))
	got, r := readAll(t, path)
	if len(got) != 0 || !r.Torn() {
		t.Fatalf("%d frames, torn %v", len(got), r.Torn())
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil { // same file, other bytes
		t.Fatal(err)
	}
	if got := rest(t, r); len(got) != len(ends)-1 || r.Torn() {
		t.Errorf("%d frames, torn %v", len(got), r.Torn())
	}
	if err := os.Truncate(path, 10); err != nil {
		t.Fatal(err)
	}
	if err := r.Next(new(wire.Frame)); err == nil || errors.Is(err, io.EOF) || !strings.Contains(err.Error(), "open it again") {
		t.Errorf("shortened: %v", err)
	}
}

func TestBadLines(t *testing.T) {
	head := `{"midwire":1,"id":"x","started":"2026-11-21T10:15:00Z","tap":"stdio"}` + "\n"
	good := func(n string) string { return `{"n":` + n + `,"t":1,"k":"line","len":2,"json":{}}` + "\n" }
	for _, bad := range []string{
		"garbage", `{"n":2,"t":1,"k":"line","len":12,"json":{"a":{}`, `{"n":2,"t":1,"k":"line","len":2,"text":"ab`, `[]`, `{}`, `{"t":1,"k":"line","json":1}`,
		`{"n":2,"t":1,"k":"line","len":1,"text":"\x"}`, `{"n":2,"t":1,"k":"line","len":1,"text":"a"b"}`, `{"n":2,"t":1,"k":"line","len":1,"text":"a\"}`,
		`{"n":2,"t":1,"k":"line","len":1,"b64":"!!!!"}`, `{"n":1,"t":1,"k":"line","len":2,"json":{}}`, `{"n":2,"t":"x","k":"line","json":{}}`,
		`{"n":99999999999999999999,"t":1,"k":"line","json":{}}`, `{"n":2,"t":1,"k":"line","c":4294967296,"json":{}}`, `{"n":2,"t":1,"k":"line","d":"?","json":{}}`,
		`{"n":2,"t":1,"k":"line","masked":true,"len":2,"json":{"a":{}`, `{"n":2,"t":1,"k":"event","pre":"data: ","post":"","len":2,"json":{"a":{}`,
		"\x00\x00\x00\x00", `{"n":2,"t":1,"k":"line","json":}`, `{"n":2,"t":1,"k":"line","masked":1,"json":{}}`, `{"n":2,"t":1,"k":"line","part":"half","json":{}}`,
		`{"n":2,"t":1,"k":"line","text":"\u12"}`, `{"n":2,"t":1,"k":"line","text":"\u12g4"}`, `{"n":2,"t":1,"k":"event","pre":"\x","json":{}}`, `{"n":2,"t":1,"k":"event","pre":"","post":"\u1","json":{}}`,
	} {
		content := head + good("1") + bad + "\n" + good("3") + good("7") + good("8")
		got, r := readAll(t, tempFile(t, []byte(content)))
		lines, count := r.Bad()
		if len(got) != 4 || count != 1 || r.Count() != 4 || lines[0].Offset != int64(len(head)+len(good("1"))) || lines[0].Reason == "" {
			t.Errorf("%s: %d frames, bad %v", bad, len(got), lines)
			continue
		}
		for _, n := range []uint64{1, 3, 7, 8} {
			if f, err := r.Frame(n); err != nil || f.N != n {
				t.Errorf("Frame(%d): %v", n, err)
			}
		}
		for _, n := range []uint64{0, 2, 4, 6, 9, 1 << 63} {
			if _, err := r.Frame(n); !errors.Is(err, ErrNoFrame) {
				t.Errorf("Frame(%d): %v", n, err)
			}
		}
	}
}

// Recordings that were edited by hand or passed through another program.
func TestTolerance(t *testing.T) {
	head := `{"midwire":1,"id":"x","started":"2026-11-21T10:15:00Z","tap":"stdio","of a later version":[]}` + "\r\n"
	for line, want := range map[string]wire.Frame{
		`{"n":1,"t":-5,"k":"line","len":99,"json":{"a":1}}`:                           {N: 1, T: -5, Kind: wire.KindLine, EOL: "\n", Len: 7, Data: []byte(`{"a":1}`)},
		`{"json":{"a":1},"k":"line","n":1,"t":5,"len":7,"d":">"}`:                     {N: 1, T: 5, Kind: wire.KindLine, Dir: '>', EOL: "\n", Len: 7, Data: []byte(`{"a":1}`)},
		`{ "n": 1, "t": 5, "k": "line", "eol": "\u000d\n", "new": {}, "text": "\/"}`:  {N: 1, T: 5, Kind: wire.KindLine, EOL: "\r\n", Len: 1, Data: []byte("/")},
		`{"n":1,"t":5,"k":"hologram","part":"cut","text":"\ud83d\ude00\ud83d","x":7}`: {N: 1, T: 5, X: 7, Part: wire.Cut, Len: 7, Data: []byte("😀\ufffd")},
		`{"n":1,"t":5,"k":"event","json":{},"post":"\n\n","pre":"data:"}`:             {N: 1, T: 5, Kind: wire.KindEvent, Len: 9, Data: []byte("data:{}\n\n")},
		`{"n":1,"t":5,"k":"event","post":"\n\n","pre":"data:","len":9,"json":{}}`:     {N: 1, T: 5, Kind: wire.KindEvent, Len: 9, Data: []byte("data:{}\n\n")},
		`{"n":1,"t":5,"k":"line","text":"\"\\\/\n\r\t\b\f\u00E4"}`:                    {N: 1, T: 5, Kind: wire.KindLine, EOL: "\n", Len: 10, Data: []byte("\"\\/\n\r\t\b\fä")},
		`{"n":1,"t":5,"k":"raw"}`:                                   {N: 1, T: 5, Kind: wire.KindRaw},
		`{"n":1,"t":5,"k":"line","masked":false,"b64":"AAA="}`:      {N: 1, T: 5, Kind: wire.KindLine, EOL: "\n", Len: 2, Data: []byte{0, 0}},
		`{"n":1,"t":5,"k":"line","masked":true,"len":50,"json":[]}`: {N: 1, T: 5, Kind: wire.KindLine, EOL: "\n", Len: 50, Masked: true, Data: []byte("[]")},
	} {
		got, r := readAll(t, tempFile(t, []byte(head+line+"\r\n\n"+`{"n":2,"t":6,"k":"line","len":2,"json":{}}`)))
		if bad, _ := r.Bad(); len(got) != 2 || !sameFrame(got[0], want) {
			t.Errorf("%s\nis %+v, bad %v", line, got, bad)
		}
	}
}

// TestHugeFrame: a payload that is larger than what is kept in memory between
// frames comes whole, in its turn and by its number, and so does what follows.
func TestHugeFrame(t *testing.T) {
	w := create(t, Options{Redact: redact.Options{Keep: true}})
	huge := []byte(`{"text":"` + strings.Repeat("a long story. ", 24<<20/14) + `"}`)
	want := [][]byte{[]byte(`{"id":1}`), huge, []byte(`{"id":2}`)}
	for _, data := range want {
		w.Append(&wire.Frame{Kind: wire.KindBody, Len: len(data), Data: data})
	}
	w.Flush()
	got, r := readAll(t, w.Path())
	if len(got) != len(want) {
		t.Fatalf("%d frames", len(got))
	}
	for i, data := range want {
		if !bytes.Equal(got[i].Data, data) {
			t.Errorf("frame %d has %d bytes", i+1, len(got[i].Data))
		}
		if f, err := r.Frame(uint64(i + 1)); err != nil || !bytes.Equal(f.Data, data) {
			t.Errorf("by its number frame %d has %d bytes, %v", i+1, len(f.Data), err)
		}
	}
}

func TestOpenWhatIsNoRecording(t *testing.T) {
	for content, want := range map[string]string{
		"":                                       "ends within its first line",
		`{"midw`:                                 "ends within its first line",
		`{"midwire":1,"id":`:                     "ends within its first line",
		"Dear client\x1b[2J\nyours":              "it starts with other text",
		"{\"jsonrpc\":\"2.0\"}\n":                "it starts with JSON of another kind",
		"{\"midwire\":0}\n":                      "format",
		"{\"midwire\":\"x\"}\n":                  "not a midwire recording",
		"{\"midwire\":1,\"started\":\"soon\"}\n": "header",
		strings.Repeat("x", 3<<20):               "other text",
	} {
		_, err := Open(tempFile(t, []byte(content)))
		if !errors.Is(err, ErrNotRecording) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "x.jsonl: ") || len(err.Error()) > 300 {
			t.Errorf("%.40q: %v", content, err)
		}
		if strings.Contains(err.Error(), "Dear") || strings.Contains(err.Error(), "soon") {
			t.Errorf("the error quotes the file: %v", err)
		}
	}
	_, err := Open(tempFile(t, []byte(`{"midwire":9,"id":"x","started":"2030-01-01T00:00:00Z","tap":"stdio"}`+"\n")))
	if !errors.Is(err, ErrNewer) || !strings.Contains(err.Error(), "update midwire") {
		t.Errorf("newer: %v", err)
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, ErrNotRecording) {
		t.Errorf("folder: %v", err)
	}
	if _, err := Open("nowhere"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}

// Payloads are loaded while the recording is written and read.
func TestFrameWhileReading(t *testing.T) {
	w := create(t, Options{})
	r, err := Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	const frames = 2*chunkSize + 16 // a multiple of 100
	read, loaded := make(chan uint64, 64), make(chan int)
	go func() {
		n := 0
		for number := range read {
			f, err := r.Frame(number)
			if err != nil || f.N != number || !bytes.Equal(f.Data, sample().Data) {
				t.Errorf("Frame(%d) is %+v, %v", number, f, err)
			}
			n++
		}
		loaded <- n
	}()
	var f wire.Frame
	for i := range frames {
		s := sample()
		if w.Append(&s); i%100 != 99 {
			continue
		}
		w.Flush()
		for r.Next(&f) == nil {
			if f.N%50 == 0 {
				read <- f.N
			}
		}
	}
	close(read)
	if n := <-loaded; n != frames/50 {
		t.Errorf("%d frames loaded", n)
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add([]byte(`{"n":1,"t":2,"k":"event","d":"<","c":1,"x":2,"part":"more","eol":"","masked":true,"len":7,"pre":"data: ","post":"\n\n","json":{"a":1}}`))
	f.Add([]byte(`{"n":1,"text":"\ud83d\ude00"}`))
	f.Add([]byte(`{"b64":"AAA=","n":1}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		line = append(line, "guard"...)
		var frame wire.Frame
		_ = parseLine(line[:len(line)-5], &frame)
		if string(line[len(line)-5:]) != "guard" {
			t.Fatal("wrote behind the line")
		}
	})
}
