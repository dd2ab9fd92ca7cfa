package cli

import (
	"os"
	"strings"
	"testing"
)

// Each text of help/commands.md belongs to a command that there is.
func TestTextsOfCommands(t *testing.T) {
	page, err := os.ReadFile("help/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	root := Commands()
	for _, section := range strings.Split(string(page), "\n## ")[1:] {
		path, _, _ := strings.Cut(section, "\n")
		c, _, err := root.Find(strings.Fields(path)[1:])
		if err != nil || c.CommandPath() != path || c.Long+c.Example == "" {
			t.Errorf("%q is no command with a text: %v", path, err)
		}
	}
}
