package record

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"midwire/session/wire"
)

const specimenFile = "../../fixtures/formats/v1.jsonl"

// specimen has every kind of frame, every form of payload, every part, every
// line end, and masks.
func specimen() []wire.Frame {
	const up, down = wire.ToServer, wire.ToClient
	f := func(k wire.Kind, d wire.Dir, conn, x uint32, data string) wire.Frame {
		frame := wire.Frame{Kind: k, Dir: d, Conn: conn, X: x, Data: []byte(data)}
		if k == wire.KindLine || k == wire.KindStderr {
			frame.EOL = "\n"
		}
		return frame
	}
	with := func(frame wire.Frame, part wire.Part, eol string) wire.Frame {
		frame.Part, frame.EOL = part, eol
		return frame
	}
	return []wire.Frame{
		f(wire.KindStart, 0, 0, 1, `{"command":["npx","server-everything"],"pid":4712}`),
		f(wire.KindLine, up, 0, 1, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`),
		with(f(wire.KindLine, down, 0, 1, `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`), wire.Whole, "\r\n"),
		f(wire.KindLine, down, 0, 1, "Server \"ready\"\t\x1b[0m: ü 😀"),
		f(wire.KindLine, down, 0, 1, "\xff\xfe\x00"),
		f(wire.KindLine, up, 0, 1, ` { "spaces" : "stay" } `),
		f(wire.KindLine, up, 0, 1, ""),
		with(f(wire.KindLine, up, 0, 1, `{"jsonrpc":"2.0","id":2,"meth`), wire.More, ""),
		with(f(wire.KindLine, up, 0, 1, `od":"ping"}`), wire.Whole, "\n"),
		with(f(wire.KindLine, down, 0, 1, `{"jsonrpc"`), wire.Cut, ""),
		with(f(wire.KindStderr, down, 0, 1, "last words"), wire.Whole, ""),
		f(wire.KindClose, up, 0, 1, `{"by":"client","clean":true}`),
		f(wire.KindExit, 0, 0, 1, `{"code":137,"signal":"SIGKILL","lost":true}`),
		f(wire.KindOpen, 0, 1, 0, `{"client":"127.0.0.1:52000","upstream":"127.0.0.1:3000"}`),
		f(wire.KindEdit, up, 1, 2, `{"what":"host","was":"127.0.0.1:7000","now":"example.com"}`),
		f(wire.KindRequest, up, 1, 2, "POST /mcp?api_key=hunter2 HTTP/1.1\r\nhost: 127.0.0.1:7000\r\nAuthorization: Bearer hunter2\r\nCookie: a=1; b=2\r\n\r\n"),
		f(wire.KindBody, up, 1, 2, "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 3,\n  \"method\": \"ping\"\n}"),
		f(wire.KindGate, up, 1, 2, `{"what":"delay","frame":17,"id":1,"rule":"tool:search => delay 200ms","ms":200}`),
		f(wire.KindResponse, down, 1, 2, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nMcp-Session-Id: 0b1f6c1e\r\n\r\n"),
		f(wire.KindEvent, down, 1, 2, "event: message\r\nid: 7\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\r\n\r\n"),
		f(wire.KindEvent, down, 1, 2, ": ping\n\n"),
		f(wire.KindEvent, down, 1, 2, "data: {\"a\":\ndata: 1}\n\n"),
		f(wire.KindTrailer, down, 1, 2, "X-Checksum: 1\r\n\r\n"),
		f(wire.KindClose, 0, 1, 2, `{"by":"server","clean":true}`),
		f(wire.KindBody, down, 1, 3, `{"access_token":"hunter2","token_type":"Bearer"}`),
		f(wire.KindRaw, up, 1, 0, "\x16\x03\x01"),
		f(wire.KindGap, 0, 0, 0, `{"frames":0,"bytes":4096,"why":"no space left on device"}`),
		f(wire.KindNote, 0, 0, 0, `{"text":"client certificate of the server is not checked"}`),
		f(wire.KindSignal, up, 0, 1, `{"signal":"SIGTERM"}`),
	}
}

// writeSpecimen writes it, with a key that everybody knows.
func writeSpecimen(t *testing.T) (path string, frames []wire.Frame) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".key"), bytes.Repeat([]byte{7}, 32), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := Create(dir, Header{
		ID: "20261121-101500-x7k2q9", Started: started, Tap: "stdio", Label: "everything", Command: []string{"npx", "server-everything", "--token", "hunter2"},
		Cwd: "/home/ada", Target: "http://127.0.0.1:3000/mcp", Listen: "127.0.0.1:7000", Pid: 4711, Host: "lovelace", Control: "/run/midwire.sock", Version: "1.0.0",
	}, Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	frames = specimen()
	for i := range frames {
		frames[i].T = int64(i+1) * 1_000_001
		frames[i].Len = len(frames[i].Data)
		w.Append(&frames[i])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Path(), frames
}

// The specimen of format 1 must stay readable forever, and as long as this is
// the current format the Writer writes exactly that.
func TestSpecimen(t *testing.T) {
	path, frames := writeSpecimen(t)
	wrote, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(specimenFile, wrote, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := os.ReadFile(specimenFile); err != nil || !bytes.Equal(kept, wrote) {
		t.Errorf("%s differs from what is written now (%v); a changed format needs a new number", specimenFile, err)
	}
	if bytes.Contains(wrote, []byte("hunter2")) {
		t.Error("a secret is in the recording")
	}
	got, r := readAll(t, specimenFile)
	if h := r.Header(); h.Label != "everything" || h.Command[3] != "redacted" || !h.Started.Equal(started) || h.Control == "" {
		t.Errorf("header is %+v", h)
	}
	if _, bad := r.Bad(); bad > 0 || len(got) != len(frames)+1 {
		t.Fatalf("%d frames, %d bad", len(got), bad)
	}
	kinds := map[wire.Kind]bool{wire.KindNone: true}
	for i, want := range frames {
		kinds[got[i].Kind] = true
		if bytes.Contains(want.Data, []byte("hunter2")) {
			want.Masked, want.Data = true, got[i].Data
		}
		if !sameFrame(got[i], want) {
			t.Errorf("frame %d is %+v\nwant %+v", i+1, got[i], want)
		}
	}
	kinds[got[len(frames)].Kind] = true
	for k := wire.KindNone; k.String() != "?"; k++ {
		if !kinds[k] {
			t.Errorf("the specimen has no %s frame", k)
		}
	}
}

// Every example line in the specification is what it says.
func TestSpecification(t *testing.T) {
	text, err := os.ReadFile("../../docs/recording-format.md")
	if err != nil {
		t.Fatal(err)
	}
	headers, examples := 0, map[wire.Kind]int{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, headerStart):
			headers++
			if _, err := parseHeader([]byte(line), true); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		case strings.HasPrefix(line, `{"n":`):
			var f wire.Frame
			if err := parseLine([]byte(line), &f); err != nil {
				t.Errorf("%s: %v", line, err)
				continue
			}
			examples[f.Kind]++
			if again := string(bytes.TrimSuffix(appendLine(nil, &f, shapeOf(f.Kind, f.Data, nil), f.Data), []byte("\n"))); again != line {
				t.Errorf("%s\nwould be written as\n%s", line, again)
			}
		}
	}
	if headers < 2 {
		t.Errorf("%d headers", headers)
	}
	for k := wire.KindStart; k.String() != "?"; k++ {
		if examples[k] == 0 || !strings.Contains(string(text), "`"+k.String()+"`") {
			t.Errorf("kind %s: %d examples", k, examples[k])
		}
	}
}
