package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// completed are the words that a shell is offered, without what they mean.
func completed(t *testing.T, w *world, line ...string) []string {
	t.Helper()
	status, stdout, stderr := w.midwire(t, append([]string{"__complete"}, line...)...)
	if status != 0 {
		t.Fatalf("completing %q: %d, %s", line, status, stderr)
	}
	var words []string
	for text := range strings.Lines(stdout) {
		word, _, _ := strings.Cut(strings.TrimSuffix(text, "\n"), "\t")
		if !strings.HasPrefix(word, ":") { // the directive
			words = append(words, word)
		}
	}
	return words
}

// A shell writes what it completes to the terminal as it is.
func TestCompletionIsPlainText(t *testing.T) {
	w := newWorld(t)
	w.write(t, "home/recordings/plain.jsonl", "{}\n")
	for _, name := range []string{"\x1b]0;title\x07", "with\nline", "\u202eright", "tab\there", "\xff"} {
		if err := os.WriteFile(filepath.Join(w.recordings(), name+".jsonl"), []byte("{}\n"), 0o600); err != nil {
			t.Logf("%q: %v", name, err) // some systems have no such names
		}
	}
	for _, c := range []string{"show", "check", "export", "open", "replay", "mock", "diff"} {
		if got := completed(t, w, c, ""); !slices.Equal(got, []string{"plain", "last"}) {
			t.Errorf("%s: %q", c, got)
		}
	}
}

func TestCompletion(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		line         []string
		there, wrong string
	}{
		{[]string{""}, "replay", "demo-server"},
		{[]string{"sh"}, "show", "ls"},
		{[]string{"explain", ""}, "session-per-call", "last"},
		{[]string{"check", "--rule", ""}, "session-per-call", "last"},
		{[]string{"export", "--to", ""}, "mermaid", "last"},
		{[]string{"demo", ""}, "session-per-call", "last"},
		{[]string{"run", "--la"}, "--label", ""},
		{[]string{"run", "npx", "--la"}, "", "--label"},
	} {
		got := completed(t, w, c.line...)
		if c.there != "" && !slices.Contains(got, c.there) || c.wrong != "" && slices.Contains(got, c.wrong) {
			t.Errorf("%q: %q", c.line, got)
		}
	}
}
