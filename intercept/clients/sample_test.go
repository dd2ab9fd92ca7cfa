package clients

import (
	"slices"
	"testing"

	"midwire/intercept/clients/syntax"
)

// TestSamples: what people are told to write is what midwire takes for wrapped.
func TestSamples(t *testing.T) {
	for _, c := range Popular() {
		format := syntax.JSON
		if c.ID == "codex" {
			format = syntax.TOML
		}
		f, err := syntax.Parse(format, []byte(c.Sample()))
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		at := c.addresses(f.Root, "")
		if len(at) != 1 || at[0].Name != "files" || c.Where == "" {
			t.Fatalf("%s: %v, %q", c.ID, at, c.Where)
		}
		d, err := begin(format, []byte(c.Sample()), c.Shape, at[0])
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		if line := d.entry.line(); !slices.Equal(line, []string{"midwire", "--", "node", "build/index.js"}) {
			t.Errorf("%s: %q", c.ID, line)
		}
	}
}

// TestTheTable: each client has one name.
func TestTheTable(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range All() {
		if c.ID == "" || c.Name == "" || len(c.Files) == 0 || len(c.Servers) == 0 || seen[c.ID] {
			t.Errorf("%+v", c)
		}
		seen[c.ID] = true
	}
}
