package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWrapList: of ten clients, each file and each server is said, in lines for
// a narrow terminal; and the same as JSON.
func TestWrapList(t *testing.T) {
	d := newDesk(t, 1)
	put := func(name, text string) {
		path := filepath.Join(d.home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const files = `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "x"]}}}`
	for _, name := range []string{".gemini/settings.json", ".codeium/windsurf/mcp_config.json", ".kiro/settings/mcp.json", ".warp/.mcp.json"} {
		put(name, files)
	}
	put(".config/Claude/claude_desktop_config.json", `{"mcpServers": {"files": {"command": "npx -y x"}, "`+strings.Repeat("n", 60)+`": {"command": "x"}}}`)
	put(".claude.json", `{"mcpServers": {"web": {"type": "http", "url": "https://api.example.com/mcp", "oauth": {"clientId": "x"}}}}`)
	put(".codex/config.toml", "[mcp_servers.files]\ncommand = \"npx\"\nurl = \"http://x\"\n")
	put(".config/zed/settings.json", `{"context_servers": {`)
	put(".config/goose/config.yaml", "extensions:\n  files: &a\n    cmd: x\n")
	put(".lmstudio/mcp.json", `{"mcpServers": {}}`)
	put(".augment/settings.json", `{"mcpServers": {"web": {"url": "https://${HOST}/mcp"}, "ok": {"url": "https://api.example.com/`+strings.Repeat("p/", 40)+`"}}}`)
	d.run(t, "wrap", "augment/ok")
	out, err := d.command("wrap").Output()
	if err != nil {
		t.Fatal(err)
	}
	text := string(out)
	for line := range strings.Lines(text) {
		// Names and commands that must be copied are never cut.
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > listWidth && !strings.Contains(line, "nnn") && !strings.Contains(line, "midwire http") {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{
		"Gemini CLI  ~/.gemini/settings.json\n  gemini/files  stdio  not wrapped\n",
		"Zed  ~/.config/zed/settings.json\n  cannot be read:\n    ",
		"LM Studio  ~/.lmstudio/mcp.json\n  no servers\n",
		"  augment/ok   http   wrapped, needs:\n    midwire http https://api.example.com/" + strings.Repeat("p/", 40) + " --listen 127.0.0.1:7300\n",
		"  claude-code/web  http   cannot be wrapped:\n    the client signs in",
		"midwire exec --wrap -- claude records it",
		"  codex/files  -      cannot be wrapped:\n    the entry has a command and a URL\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	out, err = d.command("wrap", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var rows []wrappedServer
	if err := json.Unmarshal(out, &rows); err != nil {
		t.Fatal(err)
	}
	clients := map[string]bool{}
	for _, r := range rows {
		clients[r.Client] = true
		if r.Server != "" && !strings.Contains(text, fmt.Sprintf("  %s", r.name())) {
			t.Errorf("%s is in JSON alone", r.name())
		}
	}
	if len(clients) < 11 {
		t.Errorf("%d clients: %v", len(clients), clients)
	}
}
