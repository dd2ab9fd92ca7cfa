package clients

import (
	"path/filepath"
	"slices"
	"testing"
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
