package summary

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"midwire/fixtures/transcript"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/session/wire"
)

func begun() time.Time { return time.Date(2026, 11, 21, 10, 15, 0, 0, time.UTC) }

// recorded is a recording with the frames of a transcript of package session;
// it has ended unless live.
func recorded(t testing.TB, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	tr, err := transcript.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	w, err := record.Create(dir, record.Header{ID: name, Started: begun(), Tap: tr.Tap, Label: "replay of first: notes"},
		record.Options{Redact: redact.Options{Keep: true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range tr.Frames {
		w.Append(f)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Path()
}

func made(t testing.TB, path string) *Recording {
	t.Helper()
	s, err := Make(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func kept(t testing.TB, path string) *Recording {
	t.Helper()
	s := made(t, path)
	if err := Keep(path, s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSummaries compares summaries of transcripts with testdata/NAME.json.
// UPDATE=1 writes them again.
func TestSummaries(t *testing.T) {
	for _, name := range []string{
		"stdio-2025-11-25", "stdio-trouble", "stdio-refused", "stdio-modern", "http-two-clients", "http-ids", "http-modern",
	} {
		t.Run(name, func(t *testing.T) {
			s := made(t, recorded(t, t.TempDir(), name))
			s.Of, s.Maker = Identity{}, ""
			raw, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := json.Indent(&got, raw, "", " "); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".json")
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%v; got\n%s", err, got.Bytes())
			}
		})
	}
}

// TestComesBack: what is read is what was made, of every transcript.
func TestComesBack(t *testing.T) {
	all, err := filepath.Glob("../../testdata/*.txt")
	if err != nil || len(all) < 20 {
		t.Fatal(all, err)
	}
	dir := t.TempDir()
	for _, file := range all {
		path := recorded(t, dir, strings.TrimSuffix(filepath.Base(file), ".txt"))
		want := kept(t, path)
		got, ok := Read(path)
		if !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\n%+v\n%+v", file, ok, got, want)
		}
		if info, err := os.Stat(File(path)); err != nil || info.Mode().Perm() != 0o600 && os.PathSeparator == '/' {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		if n := Size(path); n == 0 {
			t.Error("it has no size")
		}
	}
	w, err := record.Create(dir, record.Header{ID: "empty", Started: begun(), Tap: "http"}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	kept(t, w.Path())
	if s, ok := Read(w.Path()); !ok || s.Total != 0 {
		t.Errorf("a recording without a session: %v, %+v", ok, s)
	}
	ids, err := record.Names(dir)
	if err != nil || len(ids) != len(all)+1 {
		t.Errorf("%d recordings are listed of %d: %v, %v", len(ids), len(all), ids, err)
	}
}

// TestStale: whatever the recording or the program is not any more, it is read
// again.
func TestStale(t *testing.T) {
	const name = "stdio-2025-11-25"
	for what, change := range map[string]func(t *testing.T, path string, modified time.Time) error{
		"a byte more": func(_ *testing.T, path string, modified time.Time) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			f.WriteString("\n")
			f.Close()
			return os.Chtimes(path, modified, modified)
		},
		"another content of the same size and time": func(_ *testing.T, path string, modified time.Time) error {
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			raw = bytes.Replace(raw, []byte(`"midwire":1,`), []byte(`"midwire":1 `+","), 1)[:len(raw)]
			raw[len(raw)-1] = ' '
			if err := os.WriteFile(path, raw, 0o600); err != nil {
				return err
			}
			return os.Chtimes(path, modified, modified)
		},
		"another time": func(_ *testing.T, path string, modified time.Time) error {
			return os.Chtimes(path, modified, modified.Add(time.Second))
		},
		"other rules": func(t *testing.T, path string, _ time.Time) error {
			s, err := makeWith(t.Context(), path, rules.All()[1:])
			if err != nil {
				return err
			}
			return Keep(path, s)
		},
		"another format": func(t *testing.T, path string, _ time.Time) error {
			s := made(t, path)
			s.Format++
			return Keep(path, s)
		},
	} {
		path := recorded(t, t.TempDir(), name)
		kept(t, path)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := change(t, path, info.ModTime()); err != nil {
			t.Fatal(err)
		}
		if _, ok := Read(path); ok {
			t.Errorf("%s: the summary is taken for one of the recording", what)
		}
		if _, err := Get(t.Context(), path); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if _, ok := Read(path); !ok {
			t.Errorf("%s: it was not kept again", what)
		}
	}
	one, other := fingerprint(rules.All()), fingerprint([]*diagnose.Rule{})
	if one == other || one != madeHere() {
		t.Errorf("fingerprints %s and %s", one, other)
	}
}

func TestWhatSessionsAre(t *testing.T) {
	s := made(t, recorded(t, t.TempDir(), "http-two-clients"))
	if s.Replays != "first" {
		t.Errorf("it replays %q", s.Replays)
	}
	if s.Total != len(s.Sessions) || s.Total < 2 || s.Cut {
		t.Fatalf("%d of %d sessions, cut %v", len(s.Sessions), s.Total, s.Cut)
	}
	for i := range s.Sessions {
		one := &s.Sessions[i]
		sum := uint32(0)
		for _, n := range one.Activity.Messages {
			sum += n
		}
		if sum == 0 || int(sum) > one.Messages || len(one.Rows) == 0 || one.Key().Frame == 0 {
			t.Errorf("session %d: %d messages, %d in its activity; %d rows, key %v", i, one.Messages, sum, len(one.Rows), one.Key())
		}
	}
}

// TestManySessions: a summary is bounded, and says what it leaves out.
func TestManySessions(t *testing.T) {
	const sessions = MaxSessions + 100
	dir := t.TempDir()
	w, err := record.Create(dir, record.Header{ID: "many", Started: begun(), Tap: "http"}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for x := range uint32(sessions) {
		id := fmt.Sprintf("%04d-%s", x, strings.Repeat("x", 100))
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + strings.Repeat("t", 500) + `"}}`
		head := "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nMcp-Session-Id: " + id + "\r\n\r\n"
		w.Append(&wire.Frame{Kind: wire.KindRequest, Dir: '>', Conn: 1, X: x + 1, T: int64(x), Data: []byte(head)})
		w.Append(&wire.Frame{Kind: wire.KindBody, Dir: '>', Conn: 1, X: x + 1, T: int64(x), Data: []byte(body)})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s := kept(t, w.Path())
	if s.Total != sessions || !s.Cut || len(s.Sessions) > MaxSessions || len(s.Sessions) < MaxSessions/2 {
		t.Errorf("%d of %d sessions, cut %v", len(s.Sessions), s.Total, s.Cut)
	}
	first, last := &s.Sessions[0], &s.Sessions[len(s.Sessions)-1]
	if last.Index != sessions-1 || len(last.Rows) == 0 || len(last.Tools) != 1 || len(last.Tools[0].Name) != MaxText+3 {
		t.Errorf("the newest session: %+v", last)
	}
	if len(first.Rows) > 0 {
		t.Error("the oldest session has its rows still")
	}
	if n := Size(w.Path()); n > maxFile*4/5 {
		t.Errorf("the file takes %d bytes", n)
	}
	if _, ok := Read(w.Path()); !ok {
		t.Error("it is not read again")
	}
}

// TestSecretsAreMasked: a summary holds what the recording holds, and no more.
func TestSecretsAreMasked(t *testing.T) {
	const secret = "hunter2-hunter2-hunter2"
	w, err := record.Create(t.TempDir(), record.Header{ID: "s", Started: begun(), Tap: "stdio"}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	line := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"password":"` + secret + `"}}}`
	w.Append(&wire.Frame{Kind: wire.KindLine, Dir: '>', X: 1, EOL: "\n", Data: []byte(line)})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	kept(t, w.Path())
	raw, err := os.ReadFile(File(w.Path()))
	if err != nil || !bytes.Contains(raw, []byte("login")) || bytes.Contains(raw, []byte(secret)) {
		t.Errorf("%s, %v", raw, err)
	}
}
