package library

import (
	"bytes"
	"strings"
	"testing"

	"midwire/session/library/notebook"
	"midwire/session/notes"
)

func TestListShowsNames(t *testing.T) {
	dir := t.TempDir()
	w := tap(t, dir, "20261121-101500-x7k2q9", 1)
	tap(t, dir, "20261121-101500-x7k2q8", 1).Close()
	w.Close()
	n := notes.Changes{{}: "the slow\x1b[2J one"}
	if _, err := notebook.Write(w.Path(), n); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := PrintList(&out, dir, false, nil); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); !strings.Contains(s, "NAME") || !strings.Contains(s, "the slow") || strings.Contains(s, "\x1b") {
		t.Errorf("the table:\n%s", s)
	}
	out.Reset()
	if err := PrintList(&out, dir, true, nil); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); strings.Count(s, `"name": "the slow`) != 1 {
		t.Errorf("the JSON:\n%s", s)
	}
}
