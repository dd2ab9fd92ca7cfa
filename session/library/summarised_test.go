package library

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"midwire/session/library/notebook"
	"midwire/session/library/summary"
	"midwire/session/notes"
	"midwire/session/record"
	"midwire/session/wire"
)

// hostilePeer is a recording of a session whose texts a summary cannot hold as
// they are.
func hostilePeer(t *testing.T, dir, id, name string) {
	w, err := record.Create(dir, record.Header{ID: id, Started: begun(), Tap: "stdio"}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	line(w, `>{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"`+name+`","version":"2"}}}`)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// nameFirst gives the first session of a recording a name.
func nameFirst(t *testing.T, path string) {
	n := notes.Changes{{Kind: notes.Session, Frame: 1}: "the editor"}
	if _, err := notebook.Write(path, n); err != nil {
		t.Fatal(err)
	}
}

// TestListOfSummaries: a list made of summaries is the list that is made of the
// recordings, byte for byte, and no recording's summary is needed for it.
func TestListOfSummaries(t *testing.T) {
	dir := t.TempDir()
	for i := range 5 {
		tap(t, dir, fmt.Sprintf("20261121-101500-call%d", i), i).Close()
	}
	tap(t, dir, "20261121-101500-live", 3)
	torn := tap(t, dir, "20261121-101500-torn", 3)
	torn.Close()
	edit(t, torn, func(raw []byte) []byte { return raw[:len(raw)-5] })
	bad := tap(t, dir, "20261121-101500-bad", 3)
	bad.Close()
	edit(t, bad, func(raw []byte) []byte { return bytes.Replace(raw, []byte(`{"n":3,`), []byte(`{"n":x,`), 1) })
	hostilePeer(t, dir, "long", strings.Repeat("long", 100))
	hostilePeer(t, dir, "odd", "a\xff\xfe\x1b[2Jb")
	named := tap(t, dir, "20261121-101500-named", 1)
	named.Close()
	nameFirst(t, named.Path())
	empty, err := record.Create(dir, record.Header{ID: "empty", Started: begun(), Tap: "http"}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	empty.Append(&wire.Frame{Kind: wire.KindNote, Data: []byte(`{"text":"x"}`)})
	empty.Close()
	if err := os.WriteFile(record.File(dir, "foreign"), []byte("not ours\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, asJSON := range []bool{false, true} {
		var plain, first, second bytes.Buffer
		entries, err := record.List(dir)
		if err != nil {
			t.Fatal(err)
		}
		for i := range entries { // a folder in the way keeps every summary from being kept
			summary.Remove(entries[i].Path)
			if err := os.Mkdir(summary.File(entries[i].Path), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		unkept := PrintList(&plain, dir, asJSON, nil)
		for i := range entries {
			os.Remove(summary.File(entries[i].Path))
		}
		if err := PrintList(&first, dir, asJSON, nil); err != nil || unkept != nil {
			t.Fatal(err, unkept)
		}
		if err := PrintList(&second, dir, asJSON, nil); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(plain.String(), "the editor") || plain.String() != first.String() || first.String() != second.String() {
			t.Errorf("without summaries:\n%s\nmaking them:\n%s\nwith them:\n%s", &plain, &first, &second)
		}
		for i := range entries {
			d, e := described{}, &entries[i]
			direct := e.Err
			if direct == nil {
				direct = d.read(e)
			}
			if keep := summary.Size(e.Path) > 0; keep != (direct == nil && !e.Live) {
				t.Errorf("%s: kept %v, read %v", e.ID, keep, direct)
			}
			var s described
			if direct == nil && s.summarised(e) {
				compareSessions(t, e.ID, &s, &d)
			}
		}
	}
}

// compareSessions says where a summary differs from the recording, in what a
// list shows.
func compareSessions(t *testing.T, id string, got, want *described) {
	t.Helper()
	if len(got.sessions) != len(want.sessions) || got.list.Trouble != want.list.Trouble {
		t.Errorf("%s: %d sessions, %q; want %d, %q", id, len(got.sessions), got.list.Trouble, len(want.sessions), want.list.Trouble)
		return
	}
	for i, s := range got.sessions {
		w := want.sessions[i]
		if s.ID != w.ID || s.Client != w.Client || s.Server != w.Server || s.State != w.State || s.Messages != w.Messages ||
			s.Calls != w.Calls || s.Errors != w.Errors || s.Pending != w.Pending || got.keys[i] != want.keys[i] {
			t.Errorf("%s: %+v\nwant %+v", id, s, w)
		}
	}
}
