package launch

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestReadsProxy(t *testing.T) {
	for version, want := range map[string]bool{
		"20.20.2": false, "22.20.0": false, "22.21.0": true, "23.11.0": false, "24.0.0": true, "25.1.0": true, "odd": true,
	} {
		if readsProxy(version) != want {
			t.Errorf("%s: %v", version, !want)
		}
	}
}

// program writes an executable file.
func program(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestUnseen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("scripts")
	}
	dir := t.TempDir()
	program(t, dir, "old/node", "#!/bin/sh\necho v20.20.2\n")
	program(t, dir, "new/node", "#!/bin/sh\necho v24.9.0\n")
	client := program(t, dir, "bin/client", "#!/usr/bin/env -S node --no-warnings\n")
	fixed := program(t, dir, "bin/fixed", "#!"+dir+"/old/node\n")
	app := program(t, dir, "App/thing", "#!/bin/sh\n")
	program(t, dir, "App/resources/app.asar", "")
	golang, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		node    string
		command []string
		local   bool
		want    []string // in its lines, one each
	}{
		{"old", []string{client}, false, []string{"Node 20.20.2"}},
		{"old", []string{client, "mcp-remote", "https://a.test"}, false, []string{"--enable-proxy"}},
		{"old", []string{client, "mcp-remote", "https://a.test", "--enable-proxy"}, false, nil},
		{"new", []string{client}, false, nil},
		{"old", []string{client, "-y", "@openai/codex@0.60", "exec"}, false, nil},
		{"old", []string{client, "@google/gemini-cli"}, false, nil},
		{"new", []string{fixed}, false, []string{"Node 20.20.2"}},
		{"old", []string{"node", "x.js"}, false, []string{"node runs on Node 20.20.2"}},
		{"new", []string{"node", "x.js"}, true, nil},
		{"new", []string{app}, false, []string{"desktop app"}},
		{"new", []string{"cursor", "."}, false, []string{"desktop app"}},
		{"new", []string{"claude"}, false, []string{"Anthropic's cloud"}},
		{"new", []string{golang}, true, []string{"is written in Go"}},
		{"new", []string{"sh"}, true, nil},
		{"new", []string{"no-such-program"}, true, nil},
	} {
		if tc.command[0] == fixed && strings.Contains(dir, " ") { // such a first line names no program
			continue
		}
		t.Setenv("PATH", filepath.Join(dir, tc.node)+":/usr/bin:/bin")
		got := Unseen(tc.command, tc.local)
		if len(got) != len(tc.want) {
			t.Errorf("%q: %q", tc.command, got)
			continue
		}
		for i, text := range tc.want {
			if !strings.Contains(got[i], text) || !strings.Contains(got[i], "midwire") {
				t.Errorf("%q: %q", tc.command, got[i])
			}
		}
	}
	if system[runtime.GOOS] == "" && len(Unseen([]string{golang}, false)) > 0 {
		t.Error("Go is seen here")
	}
}
