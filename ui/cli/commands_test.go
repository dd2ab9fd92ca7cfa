package cli

import (
	"os"
	"regexp"
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

// TestHelpInGroups: midwire --help has at most 30 rows in four groups, help --all names every
// command, and only commands that record list the flags of recordings.
func TestHelpInGroups(t *testing.T) {
	shown := func(args ...string) string {
		var out strings.Builder
		root := Commands()
		root.SetOut(&out)
		root.SetArgs(args)
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	brief, all := shown("--help"), shown("help", "--all")
	groups, rows := 0, 0
	commands, _, _ := strings.Cut(brief, "\nFlags:\n")
	_, commands, _ = strings.Cut(commands, "\n\nUsage:\n")
	_, commands, _ = strings.Cut(commands, "\n\n")
	for line := range strings.Lines(commands) {
		switch {
		case strings.HasSuffix(line, ":\n"):
			groups++
		case strings.HasPrefix(line, "  "):
			rows++
		}
	}
	if groups != 4 || rows > 30 || rows < 25 {
		t.Errorf("%d rows in %d groups:\n%s", rows, groups, commands)
	}
	other := map[string]bool{
		"completion": true, "contract": true, "diagnose": true, "faults": true,
		"help": true, "proxy": true, "skill": true, "wait": true,
	}
	for _, c := range Commands().Commands() {
		row := regexp.MustCompile(`(?m)^  (\S+ · )?` + c.Name() + `( · \S+)? +\S`)
		if !c.IsAvailableCommand() && c.Name() != "help" {
			continue
		}
		if !row.MatchString(all) || row.MatchString(commands) == other[c.Name()] {
			t.Errorf("%s is not where it belongs", c.Name())
		}
	}
	for line, want := range map[string]bool{"http": true, "run": true, "ls": false, "explain": false, "config": false} {
		if got := strings.Contains(shown(line, "--help"), "--keep-secrets"); got != want {
			t.Errorf("%s --help lists the flags of recordings: %v", line, got)
		}
	}
}
