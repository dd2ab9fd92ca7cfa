package clients

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestClaudeInAFolderOfARepository: Claude Code keeps what is local under the
// name of the repository, and reads .mcp.json of every folder above.
func TestClaudeInAFolderOfARepository(t *testing.T) {
	e := machine(t, "linux")
	e.put(t, "project/.git/HEAD", "")
	e.put(t, "project/.mcp.json", `{"mcpServers": {"above": {"command": "a"}}}`)
	e.put(t, "project/sub/.mcp.json", `{"mcpServers": {"here": {"command": "h"}}}`)
	e.put(t, "home/.claude.json", `{"projects": {"`+filepath.ToSlash(e.Project)+`": {"mcpServers": {"local": {"command": "l"}}}}}`)
	e.Project = filepath.Join(e.Project, "sub")
	c, _ := Lookup("claude-code")
	files, err := e.Find(c, "")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		for _, s := range f.Servers {
			names = append(names, s.At.Name)
		}
	}
	if want := []string{"local", "here", "above"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

// TestInTurnWithTheClient: a file that the client writes itself is written in
// turn with it, by its own lock.
func TestInTurnWithTheClient(t *testing.T) {
	e := machine(t, "linux")
	path := e.put(t, "home/.claude.json", `{"mcpServers": {"x": {"command": "y"}}}`)
	lock := path + ".lock"
	if err := os.Mkdir(lock, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := takeTurn(lock, 0); err == nil || !strings.Contains(err.Error(), "try again") {
		t.Errorf("while the client writes: %v", err)
	}
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(lock, old, old); err != nil {
		t.Fatal(err)
	}
	c, _ := Lookup("claude-code")
	files, err := e.Find(c, "")
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if _, err := e.Wrap(files[0], files[0].Servers[0], false); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(lock); err == nil {
		t.Error("the lock is still there")
	}
	// The client puts back what it had in memory.
	e.put(t, "home/.claude.json", `{"mcpServers": {"x": {"command": "y"}}}`)
	if files, _ = e.Find(c, ""); !files[0].Servers[0].Undone || files[0].Servers[0].Wrapped {
		t.Errorf("%+v", files[0].Servers[0])
	}
}
