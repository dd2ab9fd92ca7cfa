package clients

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestWhateverItsName: what midwire's file is called makes no difference: it wraps,
// knows that it did, and unwraps to the same bytes. That of another midwire too.
func TestWhateverItsName(t *testing.T) {
	for _, name := range []string{"midwire", "midwire-linux-amd64", "midwire_1.2.3", "mw", "My Tool", "Midwire.EXE"} {
		e, path := cursor(t, cursorFile)
		e.Self = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(e.Self, []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		e.wrapped(t, "files")
		f, s := e.server(t, "files")
		if !s.Wrapped || s.ByHand || s.Undone || s.Program != e.Self {
			t.Errorf("%s: %+v", name, s)
		}
		if _, err := e.Wrap(f, s, false); !errors.Is(err, ErrWrapped) {
			t.Errorf("%s: wrapped twice: %v", name, err)
		}
		e.Self = filepath.Join(t.TempDir(), "another")
		if err := e.unwrapped(t, "files", false); err != nil || read(t, path) != cursorFile {
			t.Errorf("%s: %v\n%s", name, err, read(t, path))
		}
	}
}

// TestLinksOfMidwire: somebody put midwire in front by hand, under a name that leads to
// this program.
func TestLinksOfMidwire(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	dir := t.TempDir()
	e, path := cursor(t, `{"mcpServers": {"x": {"command": "`+dir+`/mw", "args": ["--", "npx", "-y"]}}}`)
	e.Self = filepath.Join(dir, "real")
	if err := errors.Join(os.WriteFile(e.Self, []byte("#!/bin/sh\n"), 0o700), os.Symlink("real", filepath.Join(dir, "mw"))); err != nil {
		t.Fatal(err)
	}
	f, s := e.server(t, "x")
	if !s.Wrapped || !s.ByHand {
		t.Errorf("%+v", s)
	}
	if _, err := e.Wrap(f, s, false); !errors.Is(err, ErrWrapped) {
		t.Error(err)
	}
	if err := e.unwrapped(t, "x", false); err != nil || read(t, path) != `{"mcpServers": {"x": {"command": "npx", "args": ["-y"]}}}` {
		t.Errorf("%v\n%s", err, read(t, path))
	}
}

// TestMidwireAsAServer: midwire's own server for agents is no server that midwire is in
// front of.
func TestMidwireAsAServer(t *testing.T) {
	e, path := cursor(t, `{"mcpServers": {"x": {"command": "midwire-linux-amd64", "args": ["mcp"]}}}`)
	before := read(t, path)
	f, s := e.server(t, "x")
	if s.Wrapped || !errors.Is(s.Why, errItself) {
		t.Errorf("%+v", s)
	}
	if _, err := e.Wrap(f, s, false); !errors.Is(err, errItself) {
		t.Error(err)
	}
	if err := e.unwrapped(t, "x", false); !errors.Is(err, ErrNotWrapped) || read(t, path) != before {
		t.Error(err)
	}
}

// TestNamed: other programs that begin alike are others.
func TestNamed(t *testing.T) {
	for name, want := range map[string]bool{
		"midwire": true, "MIDWIRE.exe": true, "midwire-linux-amd64": true, "midwire_v1.2.3_darwin_arm64": true, "midwire-0.9": true,
		"midwire-notes": false, "midwired": false, "notmidwire": false, "midwire-": false,
	} {
		if named(name) != want {
			t.Errorf("%s: %t", name, !want)
		}
	}
}

// TestWrapWithFlags: what midwire is given comes before what it stands in front of, and
// goes with it, byte for byte; an entry that somebody put back is known to be undone.
func TestWrapWithFlags(t *testing.T) {
	for _, before := range []string{cursorFile, `{"mcpServers": {"files": {"command": "x"}}}`} {
		e, path := cursor(t, before)
		e.Flags = []string{"--gate"}
		e.wrapped(t, "files")
		if got := read(t, path); !strings.Contains(got, `"args": ["--gate", "--", "`) {
			t.Errorf("%s", got)
		}
		f, s := e.server(t, "files")
		if _, err := e.Wrap(f, s, false); !errors.Is(err, ErrWrapped) {
			t.Error(err)
		}
		if err := e.unwrapped(t, "files", false); err != nil || read(t, path) != before {
			t.Errorf("%v\n%s", err, read(t, path))
		}
		e.wrapped(t, "files")
		e.put(t, "home/.cursor/mcp.json", before)
		if err := e.unwrapped(t, "files", false); !errors.Is(err, ErrNotWrapped) {
			t.Error(err)
		}
	}
}
