//go:build unix

package clients

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestForeignProject: what a project has in the place of a file of git is not waited for and not
// taken for a file, and then the project's own settings approve nothing.
func TestForeignProject(t *testing.T) {
	for what, put := range map[string]func(path string) error{
		"":       func(string) error { return nil },
		"index":  func(path string) error { return os.WriteFile(path, []byte("DIRC settings.local.json"), 0o600) },
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"long": func(path string) error {
			f, err := os.Create(path)
			if err == nil {
				err = f.Truncate(maxFile + 1)
			}
			return err
		},
	} {
		e := machine(t, "linux")
		dir := filepath.ToSlash(filepath.Dir(e.Home))
		e.put(t, "home/.claude.json", `{"projects": {"`+dir+`/project": {"hasTrustDialogAccepted": true}}}`)
		e.put(t, "project/.git/HEAD", "ref: refs/heads/main")
		e.put(t, "project/.mcp.json", `{"mcpServers": {"theirs": {"command": "x"}}}`)
		e.put(t, "project/.claude/settings.local.json", `{"enabledMcpjsonServers": ["theirs"]}`)
		if err := put(filepath.Join(dir, "project", ".git", "index")); err != nil {
			t.Fatal(err)
		}
		e.Getenv = func(string) string { return "" }
		got := described(t, e, []string{"claude"})
		if starts := strings.Contains(got, "server theirs: stdio"); starts != (what == "") {
			t.Errorf("%q:\n%s", what, got)
		}
	}
}
