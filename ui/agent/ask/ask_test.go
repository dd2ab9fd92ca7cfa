package ask

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"midwire/session/record"
	"midwire/session/wire"
)

// in has recordings of these ids in a folder, each of one session.
func in(t *testing.T, ids ...string) *Recordings {
	t.Helper()
	dir := t.TempDir()
	for _, id := range ids {
		w, err := record.Create(dir, record.Header{ID: id, Tap: "stdio"}, record.Options{})
		if err != nil {
			t.Fatal(err)
		}
		data := []byte(`{"jsonrpc":"2.0","id":0,"method":"ping"}`)
		w.Append(&wire.Frame{Kind: wire.KindLine, Dir: wire.ToServer, X: 1, EOL: "\n", Data: data})
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	r := &Recordings{
		Folder:  func() (string, error) { return dir, nil },
		Masking: func() (record.Options, error) { return record.Options{}, nil },
	}
	t.Cleanup(r.Close)
	return r
}

// TestReferences: a session is a recording, a dot and a number; nothing else on
// disk can be named.
func TestReferences(t *testing.T) {
	r := in(t, "20261121-101500-aaaaaa", "20261121-101500-bbbbbb", "a.2")
	dir, _ := r.Folder()
	for ref, want := range map[string]string{
		"20261121-101500-aaaaaa": "20261121-101500-aaaaaa", "aaaaaa.1": "20261121-101500-aaaaaa.1", "bbb.3": "20261121-101500-bbbbbb.3",
		"a.2": "a.2", "a.2.1": "a.2.1", "20261121": "", "nothing": "", "last": "", "": "", ".1": "", "aaaaaa.0": "", "aaaaaa.-1": "",
		filepath.Join(dir, "a.2.jsonl"): "", "../recordings/a.2": "",
	} {
		p, err := r.find(ref)
		if err == nil && p.ref() != want || (err != nil) != (want == "") {
			t.Errorf("%q is %q, %v; want %q", ref, p.ref(), err, want)
		}
		if err != nil && !strings.Contains(err.Error(), toolSessions) {
			t.Errorf("%q: %v", ref, err)
		}
	}
	t.Chdir(dir)
	if _, err := r.find("a.2.jsonl"); err == nil {
		t.Error("a file of the working folder was found")
	}
	r.Files = true
	if p, err := r.find(filepath.Join(dir, "a.2.jsonl.1")); err != nil || p.session != 1 {
		t.Errorf("%+v %v", p, err)
	}
}

// TestShellCalls: what a command says to run next can be pasted into a shell.
func TestShellCalls(t *testing.T) {
	for _, c := range []struct {
		call Call
		want string
	}{
		{Call{toolMessage, map[string]any{"session": "a.1", "frame": uint64(7), "path": ".a | .b"}, ""}, `midwire show a.1 7 --path '.a | .b'`},
		{Call{toolMessages, map[string]any{"session": "a"}, ""}, `midwire show a --limit 40`},
		{Call{toolMessages, map[string]any{"session": "a", "filter": "it's"}, ""}, `midwire show a --filter 'it'\''s'`},
		{Call{toolSearch, map[string]any{"text": "$(rm)", "regexp": true, "own": false}, ""}, `midwire search '$(rm)' --regexp`},
		{Call{toolReplay, map[string]any{"session": "a", "command": []any{"node", "a b"}, "send": true}, ""}, `midwire replay a -- node 'a b'`},
		{Call{toolWait, map[string]any{"since": float64(1e6)}, ""}, `midwire wait --since 1000000`},
	} {
		if got := c.call.text(true); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
	if got := Shell("ask midwire_sessions first"); got != "ask midwire ls first" {
		t.Error(got)
	}
}

// TestSave: all of a text goes to a file of its own, readable by its owner alone.
func TestSave(t *testing.T) {
	r := in(t, "a")
	m, err := Answer(t.Context(), r, Message{Session: "a", Frame: 1, Save: true, Max: 16})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(m.File) })
	text, err := os.ReadFile(m.File)
	if err != nil || !strings.Contains(string(text), `"method": "ping"`) || len(m.Text) > 16 || m.Length != len(text) {
		t.Errorf("%q %v %+v", text, err, m)
	}
	if next := m.Next; len(next) == 0 || next[0].Arguments["offset"] != 16 || next[0].Arguments["save"] != nil {
		t.Errorf("%+v", next)
	}
}

// TestCopiesAreNotMeant: where no session is named, one of another host is not meant while there
// are own ones, whatever it says of itself.
func TestCopiesAreNotMeant(t *testing.T) {
	r := in(t, "20261121-101500-aaaaaa", "20261121-101500-bbbbbb@web1")
	dir, _ := r.Folder()
	live, err := record.Create(dir, record.Header{ID: "x@web1", Tap: "stdio"}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	live.Flush()
	defer live.Close()
	if p, _, err := (&Diagnose{}).choose(t.Context(), r); err != nil || p.id != "20261121-101500-aaaaaa" {
		t.Errorf("diagnose means %+v, %v", p, err)
	}
	w := waiting{r: r}
	if err := w.begin(t.Context(), ""); err != nil || w.at.path != "" {
		t.Errorf("wait means %+v, %v", w.at, err)
	}
	delete(w.before, "x@web1")
	if err := w.first(); err != nil || w.at.path != "" {
		t.Errorf("wait takes up %+v, %v", w.at, err)
	}
}

// TestSearchFindsTheText: it is found however the JSON of the recording spells it, and shown
// as it reads.
func TestSearchFindsTheText(t *testing.T) {
	r := in(t, "a")
	dir, _ := r.Folder()
	w, err := record.Create(dir, record.Header{ID: "spelled", Tap: "stdio"}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	data := []byte(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"caf\u00e9 \u003cb\u003e https:\/\/h\/p say \"hi\""}}`)
	w.Append(&wire.Frame{Kind: wire.KindLine, Dir: wire.ToServer, X: 1, EOL: "\n", Data: data})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, q := range []Search{
		{Text: "CAFÉ"},
		{Text: "<b>"},
		{Text: "https://h/p"},
		{Text: `say "hi"`},
		{Text: `caf\u00e9`},
		{Text: `caf. <B> https?://`, Regexp: true},
	} {
		h, err := Answer(t.Context(), r, q)
		if err != nil || len(h.Hits) != 1 || h.Hits[0].Session != "spelled.1" {
			t.Errorf("%q: %+v %v", q.Text, h, err)
		} else if text := h.Hits[0].Text; !q.Regexp && q.Text != `caf\u00e9` && !strings.Contains(strings.ToLower(text), strings.ToLower(q.Text)) {
			t.Errorf("%q is shown as %s", q.Text, text)
		}
	}
	if h, err := Answer(t.Context(), r, Search{Text: "cafe"}); err != nil || len(h.Hits) != 0 {
		t.Errorf("%+v %v", h, err)
	}
}
