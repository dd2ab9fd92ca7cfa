package mcp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"midwire/session/mcp"
)

const extensionsPage = `# Extensions

What MCP gains now comes as extensions: both sides declare them in capabilities.extensions. midwire
knows the extensions of this table by name. Their messages are shown in words in every view,
` + "`c`" + ` on the screen shows who declares them and how often they are used, and rules check them
([rules](rules.md)). Any other extension is shown with its id, its methods and notifications like
any others, and nothing of it counts as an error. The table is session/mcp/extensions.go; this page
is made from it.

| extension | state | requests | notifications |
|---|---|---|---|
`

const extensionsRest = `
Final says that the proposal (SEP) is final; beta, that its specification may still change.
`

// TestExtensionsPage holds docs/extensions.md to the table. UPDATE=1 writes it again.
func TestExtensionsPage(t *testing.T) {
	var page strings.Builder
	page.WriteString(extensionsPage)
	for _, x := range mcp.Extensions() {
		var methods []string
		for _, m := range x.Methods {
			methods = append(methods, m.Name)
		}
		fmt.Fprintf(&page, "| [%s](%s) `%s` | %s, %s | %s | %s |\n", x.Name, x.Link, x.ID, x.State, x.SEP,
			strings.Join(methods, ", "), strings.Join(x.Notifications, ", "))
	}
	page.WriteString("\n## What is not on the wire\n\n")
	for _, x := range mcp.Extensions() {
		if x.Elsewhere != "" {
			fmt.Fprintf(&page, "- **%s.** %s\n", x.Name, x.Elsewhere)
		}
	}
	page.WriteString(extensionsRest)
	file := filepath.Join("..", "..", "docs", "extensions.md")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != page.String() {
		t.Errorf("docs/extensions.md is not what the table says: UPDATE=1 go test ./session/mcp writes it (%v)", err)
	}
}

// TestExtensions: each row says what it must, and is found by what it has.
func TestExtensions(t *testing.T) {
	for _, x := range mcp.Extensions() {
		if x.Name == "" || x.State == "" || !strings.HasPrefix(x.Link, "https://") || mcp.ExtensionByID(x.ID).Name != x.Name {
			t.Errorf("%s is not complete", x.ID)
		}
		for _, m := range x.Methods {
			if of, row := mcp.ExtensionOf(m.Name); of.ID != x.ID || row.Name != m.Name || mcp.Target(m.Name) != m.Target {
				t.Errorf("%s is not that of %s", m.Name, x.ID)
			}
		}
		for _, method := range x.Notifications {
			if of, row := mcp.ExtensionOf(method); of.ID != x.ID || row != nil {
				t.Errorf("%s is not that of %s", method, x.ID)
			}
		}
	}
	if of, _ := mcp.ExtensionOf("thing/do"); of != nil || mcp.ExtensionByID("com.example/thing") != nil {
		t.Error("an unknown extension is known")
	}
}
