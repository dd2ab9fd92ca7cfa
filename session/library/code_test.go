package library

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"midwire/session/record"
	"midwire/session/stack"
	"midwire/session/wire"
)

// TestCodeOfAFinding: the lines of a file are read where the recording is the user's own, and
// only below the folders of its server, whatever a trace names.
func TestCodeOfAFinding(t *testing.T) {
	app, other, dir := t.TempDir(), t.TempDir(), t.TempDir()
	for _, file := range []string{filepath.Join(app, "search.py"), filepath.Join(other, "secret.py")} {
		if err := os.WriteFile(file, []byte("import os\npassword = 'hunter2'\nboom()\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	place := func(file string, own bool) *stack.Place {
		w, err := record.Create(dir, record.Header{Started: time.Now(), Tap: "stdio", Cwd: app}, record.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w.Append(&wire.Frame{Kind: wire.KindStart, X: 1, Data: []byte(`{"command":["python3"],"pid":1}`)})
		w.Append(&wire.Frame{Kind: wire.KindStderr, Dir: '<', X: 1, Data: []byte("Traceback (most recent call last):")})
		w.Append(&wire.Frame{Kind: wire.KindStderr, Dir: '<', X: 1, Data: []byte(`  File "` + file + `", line 3, in search`)})
		w.Append(&wire.Frame{Kind: wire.KindExit, X: 1, Data: []byte(`{"code":1}`)})
		w.Close()
		c := Code{Path: func(string) string { return w.Path() }, Own: func(string) bool { return own }}
		p, err := c.Place("r", []uint64{4})
		if err != nil || p == nil {
			t.Fatalf("%v, %v", p, err)
		}
		return p
	}
	for _, one := range []struct {
		file string
		own  bool
		link bool
	}{
		{filepath.Join(app, "search.py"), true, true},
		{filepath.Join(app, "search.py"), false, false},
		{filepath.Join(other, "secret.py"), true, false},
		{filepath.Join(app, "..", filepath.Base(other), "secret.py"), true, false},
		{"/proc/self/environ.py", true, false},
	} {
		p := place(one.file, one.own)
		if p.Line != 3 || (len(p.Lines) > 0) != one.link || strings.HasPrefix(p.URL(), "file:///") != one.link {
			t.Errorf("%s, own: %v: %+v, %q", one.file, one.own, p, p.URL())
		}
	}
}

// TestURLOfAPlace: whatever a file is called, its URL is printable ASCII.
func TestURLOfAPlace(t *testing.T) {
	for _, file := range []string{"/a b/ö\x1b]8;;\x07\x1b\\.py", `C:\app\index.js`, "/a\u202e\x9c.js", "/a?b#c%d.js"} {
		p := stack.Place{Frame: stack.Frame{File: file, Line: 1}, Lines: []string{"x"}}
		for _, r := range p.URL() {
			if r <= ' ' || r > '~' {
				t.Errorf("%q becomes %q", file, p.URL())
			}
		}
		if !strings.HasPrefix(p.URL(), "file:///") {
			t.Errorf("%q becomes %q", file, p.URL())
		}
	}
}
