package oauth

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every section of checks.txt is one that the code names, with all that its texts name.
func TestChecksPage(t *testing.T) {
	var code strings.Builder
	files, _ := filepath.Glob("*.go")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	for name, lines := range sections() {
		if strings.HasPrefix(name, "#") {
			continue
		}
		_, after, used := strings.Cut(code.String(), `("`+name+`"`)
		call, _, _ := strings.Cut(after, "\n\t}")
		for _, line := range lines {
			for rest := line[1]; used; {
				_, more, found := strings.Cut(rest, "{")
				if !found {
					break
				}
				value, end, _ := strings.Cut(more, "}")
				if rest = end; !strings.Contains(call, `"`+value+`"`) {
					t.Errorf("%s: nothing gives %s the value %s", name, line[0], value)
				}
			}
		}
		if !used {
			t.Errorf("nothing leads to the section %q", name)
		}
		new(Check).as(name)
	}
}
