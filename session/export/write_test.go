package export

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/wire"
)

// source is what catalog makes of a recording, ids masked, credentials not.
func source(tap string, frames []wire.Frame) *Source {
	var names Names
	tracker, checker := diagnose.New(session.Options{Tap: tap}, rules.All())
	for i := range frames {
		names.Watch(&frames[i])
		tracker.Apply(&frames[i])
	}
	checker.Finish()
	names.Finish(tracker.Sessions())
	get := func(i int) *wire.Frame {
		f := frames[i]
		names.Frame(&f)
		return &f
	}
	s := &Source{
		Recording: Recording{ID: "20261121-101500-abcdef", Label: "notes", Tap: tap, Started: begun()}, Version: "v1",
		Frames: func(yield func(*wire.Frame) bool) {
			for i := range frames {
				if !yield(get(i)) {
					return
				}
			}
		},
		Load: func(n uint64) *wire.Frame {
			if n == 0 || n > uint64(len(frames)) {
				return nil
			}
			return get(int(n - 1))
		},
		Clean: names.Text,
	}
	for _, f := range checker.Findings() {
		masked := *f
		masked.Rewrite(names.Text)
		s.Findings = append(s.Findings, &masked)
	}
	if tap == "http" {
		s.Target = "http://127.0.0.1:3000/mcp"
	} else {
		s.Command = []string{"node", "it's notes.js"}
	}
	return s
}

func sources() map[string]*Source {
	return map[string]*Source{"stdio": source("stdio", overStdio().frames), "http": source("http", overHTTP().frames)}
}

func hostile() map[string]*Source {
	all := map[string]*Source{"stdio": source("stdio", hostileStdio().frames), "http": source("http", hostileHTTP().frames)}
	for _, s := range all {
		s.Label, s.Target, s.ID, s.Trouble = poison, s.Target+poison, poison, poison
		s.Command = append(s.Command, poison)
	}
	return all
}

func written(t testing.TB, s *Source, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, format, s); err != nil {
		t.Fatal(format, err)
	}
	return b.String()
}

func TestWriteGolden(t *testing.T) {
	for name, s := range sources() {
		for _, format := range FormatsOf(s.Tap) {
			golden(t, "export-"+name+"."+format, written(t, s, format))
		}
	}
}

func TestWriteKnowsItsFormats(t *testing.T) {
	if err := Write(io.Discard, "pdf", sources()["http"]); err == nil || !strings.Contains(err.Error(), "mermaid") {
		t.Errorf("%v does not name the formats", err)
	}
	if err := Write(io.Discard, "har", sources()["stdio"]); err == nil || !strings.Contains(err.Error(), "--to text") {
		t.Errorf("%v does not say what has stdio", err)
	}
	for file, want := range map[string]string{
		"a.har": "har", "A.HTML": "html", "a.htm": "html", "a.mmd": "mermaid", "a.curl": "curl", "a.sh": "", "a.txt": "text", "a.jsonl": "",
		"a.otlp.json": "otlp", "a.txtar": "", "a.json": "", "a": "", "har": "",
	} {
		if got := ForFile(file); got != want {
			t.Errorf("%s asks for %q, want %q", file, got, want)
		}
	}
}

// full is a writer without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteReportsTrouble(t *testing.T) {
	for name, s := range sources() {
		for _, format := range FormatsOf(s.Tap) {
			if err := Write(full{}, format, s); err == nil {
				t.Errorf("%s: %s into nothing succeeds", name, format)
			}
		}
	}
}

// A session id of one session is nowhere, and neither is another session when
// one was asked for.
func TestSessionsApart(t *testing.T) {
	for _, format := range Formats() {
		s := sources()["http"]
		text := written(t, s, format)
		for _, id := range []string{"9f3c77d0", "77b0"} {
			if strings.Contains(text, id) {
				t.Errorf("%s has the session id %s", format, id)
			}
		}
		s.Session = 2
		text = written(t, s, format)
		if !strings.Contains(text, "bot") || strings.Contains(text, "desk") || strings.Contains(text, "agent") || strings.Contains(text, "/register") {
			t.Errorf("%s of the second session:\n%s", format, text)
		}
	}
}

// What cannot be shown is not: for a terminal, and for whoever reads the source.
func TestHostileExports(t *testing.T) {
	for name, s := range hostile() {
		for _, format := range FormatsOf(s.Tap) {
			text := written(t, s, format)
			if format == "html" { // laid out by hand, with tabs nowhere
				text = strings.ReplaceAll(text, "\n", " ")
			}
			harmless(t, name+" "+format, text)
		}
	}
}

// A stream that is compressed on the wire is readable in the archive, and its
// session id masked.
func TestCompressedBody(t *testing.T) {
	var tp tape
	const id = "0123456789abcdef"
	with := "Mcp-Session-Id: " + id + "\r\n"
	tp.post(1, "/mcp", "", fmt.Sprintf(hello, 0, "desk"), "200 OK", with, fmt.Sprintf(welcome, 0))
	tp.post(1, "/mcp", with, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "200 OK", "Content-Encoding: gzip\r\n", zipped(`{"jsonrpc":"2.0","id":1,"result":{"tools":[],"seen":"`+id+`"}}`))
	for _, format := range []string{"har", "html"} {
		text := written(t, source("http", tp.frames), format)
		if strings.Contains(text, id) || !strings.Contains(text, "seen") || !strings.Contains(text, "session-1") {
			t.Errorf("%s:\n%s", format, text)
		}
	}
}

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text)
	z.Close()
	return b.String()
}

func framesOf(tr *transcript.Transcript) (all []wire.Frame) {
	for _, f := range tr.Frames {
		all = append(all, *f)
	}
	return all
}
