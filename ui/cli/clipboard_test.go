//go:build unix

package cli

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCopyInTmux: the text is given to tmux, which older versions only keep; where it cannot take
// it that is said.
func TestCopyInTmux(t *testing.T) {
	for what, c := range map[string]struct{ script, to, err string }{
		"new":  {`cat > "$OUT"; echo "$@" >> "$OUT"`, "and by tmux to the terminal's clipboard", ""},
		"old":  {`[ "$2" = - ] || { echo "unknown flag -w"; exit 1; }; cat > "$OUT"; echo "$@" >> "$OUT"`, "tmux's buffer only", ""},
		"gone": {`echo "no server running"; exit 1`, "", "no server running"},
	} {
		dir := t.TempDir()
		out := filepath.Join(dir, "out")
		if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
		t.Setenv("OUT", out)
		a := &app{Env: Env{Getenv: func(name string) string { return map[string]string{"TMUX": "/tmp/x,1,0", "STY": "y"}[name] }}}
		print, to, err := a.clipboard()("the text\n")
		if print != "" || !strings.Contains(to, c.to) || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %q, %q, %v", what, print, to, err)
		}
		if got, _ := os.ReadFile(out); c.err == "" && !strings.HasPrefix(string(got), "the text\nload-buffer ") {
			t.Errorf("%s: tmux got %q", what, got)
		}
	}
}

// TestCopyInScreen: screen passes on what it is given in pieces of less than it takes.
func TestCopyInScreen(t *testing.T) {
	text := strings.Repeat("a long text, ", 1000)
	a := &app{Env: Env{Getenv: func(name string) string { return map[string]string{"STY": "1.pts"}[name] }}}
	print, to, err := a.clipboard()(text)
	if err != nil || !strings.Contains(to, "through screen") {
		t.Fatal(to, err)
	}
	var passed strings.Builder
	for piece := range strings.SplitSeq(print, "\x1b\\") {
		if piece != "" && (!strings.HasPrefix(piece, "\x1bP") || len(piece) > 700) {
			t.Fatalf("%d bytes: %.20q", len(piece), piece)
		}
		passed.WriteString(strings.TrimPrefix(piece, "\x1bP"))
	}
	encoded := strings.TrimSuffix(strings.TrimPrefix(passed.String(), "\x1b]52;c;"), "\a")
	if got, err := base64.StdEncoding.DecodeString(encoded); err != nil || string(got) != text {
		t.Errorf("%v: %.60q", err, passed.String())
	}
	a.Getenv = func(string) string { return "" }
	if a.clipboard() != nil {
		t.Error("a terminal itself is not asked directly")
	}
}
