package filter

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestExamplesOfTheGuide: every filter in the first column of the guide's
// tables of filters is one, and every key has its line.
func TestExamplesOfTheGuide(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "filters.md"))
	if err != nil {
		t.Fatal(err)
	}
	span := regexp.MustCompile("`` ?(.+?) ?``|`([^`]+)`")
	keys, n := map[string]bool{}, 0
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
		if !strings.HasPrefix(line, "|") || len(cells) < 3 {
			continue
		}
		for _, m := range span.FindAllStringSubmatch(cells[1], -1) {
			example := strings.ReplaceAll(m[1]+m[2], "\x00", "|")
			node, err := Parse(example)
			if err != nil {
				t.Errorf("%s: %v", example, err)
				continue
			}
			n++
			node.each(func(k *Node) { keys[k.Key] = true })
		}
	}
	for _, k := range Messages() {
		if !keys[k.Name] {
			t.Errorf("no example of %s", k.Name)
		}
	}
	if n < 40 {
		t.Errorf("only %d examples found", n)
	}
}

func (n *Node) each(yield func(*Node)) {
	yield(n)
	for _, k := range n.Kids {
		k.each(yield)
	}
}
