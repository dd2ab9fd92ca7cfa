package library

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"midwire/session/export"
	"midwire/session/record"
	"midwire/session/wire"
)

func begun() time.Time { return time.Date(2026, 11, 21, 10, 15, 0, 0, time.UTC) }

// tap begins a recording of a stdio session: a handshake and some calls, each
// but the last one responded.
func tap(t testing.TB, dir, id string, calls int) *record.Writer {
	t.Helper()
	w, err := record.Create(dir, record.Header{ID: id, Started: begun(), Tap: "stdio", Label: "notes"}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	line(w, `>{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"desk","version":"2"}}}`)
	line(w, `<{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"notes","version":"1"}}}`)
	for i := 1; i <= calls; i++ {
		line(w, fmt.Sprintf(`>{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tool%d"}}`, i, i))
		if i < calls {
			line(w, fmt.Sprintf(`<{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, i))
		}
	}
	w.Flush()
	return w
}

func line(w *record.Writer, text string) {
	w.Append(&wire.Frame{Kind: wire.KindLine, Dir: wire.Dir(text[0]), X: 1, EOL: "\n", Data: []byte(text[1:])})
}

// edit changes the bytes of a recording.
func edit(t testing.TB, w *record.Writer, change func([]byte) []byte) {
	t.Helper()
	w.Close()
	raw, err := os.ReadFile(w.Path())
	if err == nil {
		err = os.WriteFile(w.Path(), change(raw), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// spoilLines makes every line from n on, counted from 0, for so many unreadable.
func spoilLines(n, count int) func([]byte) []byte {
	return func(raw []byte) []byte {
		lines := bytes.SplitAfter(raw, []byte("\n"))
		for i := n; i < n+count; i++ {
			lines[i] = []byte("\x1b[2J no JSON\n")
		}
		return bytes.Join(lines, nil)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	w := tap(t, dir, "a", 3)
	for _, when := range []string{"live", "closed"} {
		r, err := Read(w.Path())
		if err != nil {
			t.Fatal(err)
		}
		s := r.Tracker.Sessions()
		if len(s) != 1 || s[0].Calls != 4 || s[0].Pending != 1 || s[0].Client.Name != "desk" {
			t.Errorf("%s: %+v", when, s)
		}
		if f := r.Load(1); f == nil || !bytes.Contains(f.Data, []byte("initialize")) {
			t.Errorf("%s: frame 1 is %+v", when, f)
		}
		if r.Load(0) != nil || r.Load(99) != nil {
			t.Errorf("%s: frames that are not there", when)
		}
		r.Reader.Close()
		w.Close()
	}
	if _, err := Read(filepath.Join(dir, "nothing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}

func TestList(t *testing.T) {
	dir := t.TempDir()
	tap(t, dir, "good", 3).Close()
	tap(t, dir, "live", 1)
	edit(t, tap(t, dir, "torn", 2), func(raw []byte) []byte { return raw[:len(raw)-20] })
	edit(t, tap(t, dir, "middle", 3), spoilLines(3, 2))
	edit(t, tap(t, dir, "one", 3), spoilLines(3, 1))
	edit(t, tap(t, dir, "newer", 1), func(raw []byte) []byte { return bytes.Replace(raw, []byte(`:1,`), []byte(`:9,`), 1) })
	edit(t, tap(t, dir, "letter", 1), func([]byte) []byte { return []byte("Dear \x1b[2J client\n") })
	edit(t, tap(t, dir, "empty", 1), func([]byte) []byte { return nil })
	long := time.Now().Add(-time.Hour) // an empty file of now is one that is being created
	os.Chtimes(filepath.Join(dir, "empty.jsonl"), long, long)
	w, _ := record.Create(dir, record.Header{ID: "silent", Started: begun(), Tap: "http"}, record.Options{})
	w.Close()

	all, err := List(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]export.Listed{}
	for _, e := range all {
		got[e.Recording] = e
	}
	if len(all) != 9 || len(got) != 9 {
		t.Errorf("%d entries of %d recordings", len(all), len(got))
	}
	for id, want := range map[string]export.Listed{
		"good":   {Calls: 4, Pending: 1, State: "ended"},
		"live":   {Calls: 2, Pending: 1, State: "operating", Live: true},
		"torn":   {Calls: 3, Pending: 1, State: "ended", Trouble: "its last line is incomplete"},
		"middle": {Calls: 3, Pending: 1, State: "ended", Trouble: "2 lines are unreadable"},
		"one":    {Calls: 3, Pending: 1, State: "ended", Trouble: "1 line is unreadable"},
		"newer":  {State: "unreadable", Trouble: "format 9, written by a newer midwire: please update midwire"},
		"letter": {State: "unreadable", Trouble: "not a midwire recording: it starts with other text"},
		"empty":  {State: "unreadable", Trouble: "not a midwire recording: it ends within its first line: the proxy was killed before it recorded anything"},
		"silent": {State: "empty"},
	} {
		e := got[id]
		if e.Calls != want.Calls || e.Pending != want.Pending || e.State != want.State || e.Live != want.Live || e.Trouble != want.Trouble || e.Started.IsZero() {
			t.Errorf("%s: %+v", id, e)
		}
	}
	if e := got["good"]; e.Session != 1 || e.Client != "desk 2" || e.Server != "notes 1" || e.Transport != "stdio" {
		t.Errorf("%+v", e)
	}
}

// Recordings that are read at the same time stand in the order of List.
func TestListOrder(t *testing.T) {
	dir := t.TempDir()
	const count = 40
	for i := range count {
		w, err := record.Create(dir, record.Header{ID: fmt.Sprintf("r%02d", i), Started: begun().Add(time.Duration(i) * time.Minute)}, record.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 1 + i%7*300 {
			line(w, fmt.Sprintf(`>{"jsonrpc":"2.0","id":%d,"method":"ping"}`, n))
		}
		w.Close()
	}
	all, err := List(dir, nil)
	if err != nil || len(all) != count {
		t.Fatalf("%d entries, %v", len(all), err)
	}
	for i, e := range all {
		if n := count - 1 - i; e.Recording != fmt.Sprintf("r%02d", n) || e.Calls != 1+n%7*300 {
			t.Errorf("at %d: %+v", i, e)
		}
	}
}

func TestPrintList(t *testing.T) {
	dir := t.TempDir()
	print := func(asJSON bool) string {
		t.Helper()
		var out strings.Builder
		if err := PrintList(&out, dir, asJSON, nil); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if got := print(true); got != "[]\n" {
		t.Errorf("none: %q", got)
	}
	if got := print(false); !strings.Contains(got, dir) || !strings.Contains(got, "midwire demo") {
		t.Errorf("none: %q", got)
	}
	tap(t, dir, "good", 2).Close()
	edit(t, tap(t, dir, "letter", 1), func([]byte) []byte { return []byte("Dear client\n") })
	var back []map[string]any
	if err := json.Unmarshal([]byte(print(true)), &back); err != nil || len(back) != 2 {
		t.Errorf("%d entries, %v", len(back), err)
	}
	got := print(false)
	for _, want := range []string{"RECORDING ", "good ", " desk 2 ", "letter ", "not a midwire recording: it starts with other text"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if err := PrintList(io.Discard, filepath.Join(dir, "good.jsonl"), false, nil); err == nil || !strings.Contains(err.Error(), "MIDWIRE_HOME") {
		t.Errorf("a file for a folder: %v", err)
	}
	if err := PrintList(broken{}, dir, false, nil); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("nobody reads: %v", err)
	}
}

// broken is where nothing can be written.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestResolve(t *testing.T) {
	dir := t.TempDir()
	w := tap(t, dir, "20261121-101500-abcabc", 1)
	tap(t, dir, "20261121-101500-abdabd", 1)
	raw, err := os.ReadFile(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	files, done, err := Resolve(dir, []string{"abc", "-", "-", w.Path()}, bytes.NewReader(raw))
	if err != nil || len(files) != 4 || files[0] != w.Path() || files[1] != files[2] || files[3] != w.Path() {
		t.Fatalf("%q, %v", files, err)
	}
	if copied, err := os.ReadFile(files[1]); err != nil || !bytes.Equal(copied, raw) {
		t.Errorf("standard input is %q, %v", copied, err)
	}
	done()
	if _, err := os.Stat(files[1]); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the copy is still there: %v", err)
	}
	if _, err := os.Stat(w.Path()); err != nil {
		t.Errorf("the recording is not: %v", err)
	}
	for ref, want := range map[string]string{"ab": "type more of it", "nothing": "midwire ls", "no/file": "no such file"} {
		temp := t.TempDir()
		t.Setenv("TMPDIR", temp)
		_, done, err := Resolve(dir, []string{"-", ref}, bytes.NewReader(raw))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", ref, err)
		}
		done()
		if left, _ := os.ReadDir(temp); len(left) > 0 {
			t.Errorf("%s: %v is left", ref, left)
		}
	}
	if files, done, err = Resolve(dir, []string{"last"}, nil); err != nil || len(files) != 1 {
		t.Errorf("last: %q, %v", files, err)
	}
	done()
	if _, _, err := Resolve(t.TempDir(), []string{"last"}, nil); err == nil || !strings.Contains(err.Error(), "midwire demo") {
		t.Errorf("last of none: %v", err)
	}
}

func TestShow(t *testing.T) {
	dir := t.TempDir()
	w := tap(t, dir, "a", 3)
	edit(t, w, spoilLines(3, 2)) // the first call and its response
	r, err := Read(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Reader.Close()
	for raw, want := range map[bool][]string{
		false: {"session 1 · stdio · desk 2 ↔ notes 1", "initialize", "tools/call             id 2    tool2 → ", "… tools/call             id 3    tool3", "2 lines are unreadable"},
		true:  {`> {"jsonrpc":"2.0","id":0,`, `> {"jsonrpc":"2.0","id":3,`, `· end {"frames":7}`, "2 lines are unreadable"},
	} {
		var out strings.Builder
		if err := r.Show(&out, raw); err != nil {
			t.Fatal(err)
		}
		for _, want := range want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in\n%s", want, out.String())
			}
		}
		if strings.Contains(out.String(), "tool1") || strings.Contains(out.String(), "\x1b") {
			t.Errorf("what is spoiled is shown:\n%s", out.String())
		}
		if err := r.Show(broken{}, raw); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("nobody reads: %v", err)
		}
	}
}

// A number that was made up does not make raw count up to it.
func TestShowRawWithHoles(t *testing.T) {
	w := tap(t, t.TempDir(), "a", 1)
	edit(t, w, func(raw []byte) []byte {
		return bytes.Replace(raw, []byte(`{"n":3,`), []byte(`{"n":4000000000000,`), 1)
	})
	r, err := Read(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Reader.Close()
	var out strings.Builder
	if err := r.Show(&out, true); err != nil || !strings.Contains(out.String(), "tool1") {
		t.Errorf("%v:\n%s", err, out.String())
	}
}

func TestSchemaFaults(t *testing.T) {
	schema := []byte(`{"type":"object","required":["n"],"properties":{"n":{"type":"number"}}}`)
	if got := SchemaFaults(schema, []byte(`{"n":1}`)); got != nil {
		t.Errorf("a value that fits: %q", got)
	}
	for _, bad := range []string{`{}`, `{"n":"one"}`, `[]`} {
		if got := SchemaFaults(schema, []byte(bad)); len(got) == 0 {
			t.Errorf("%s fits", bad)
		}
	}
	if got := SchemaFaults([]byte(`{"type":3}`), []byte(`1`)); got != nil {
		t.Errorf("a schema that is none: %q", got)
	}
}
