package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestStarted(t *testing.T) {
	for line, want := range map[string]string{
		"claude --resume": "claude-code 0", "/opt/bin/codex": "codex 0", `C:/x/gemini.cmd`: "gemini 0",
		`C:\bin\codex.exe exec`:                           "codex 0",
		"npx -y @anthropic-ai/claude-code@2.1.0 -p":       "claude-code 2",
		"npx -y @google/gemini-cli@latest mcp list":       "gemini 2",
		"node /x/node_modules/@openai/codex/bin/codex.js": "codex 1",
		"pnpm dlx opencode-ai":                            "opencode 2",
		"bunx opencode-ai":                                "opencode 1",
		"deno run -A npm:@openai/codex":                   "codex 3",
		"npx -y some-client codex":                        "", "npx something": "", "npx": "",
		"claudette": "", "claude-squad": "", "vim claude": "", "": "",
	} {
		got := ""
		if c, at, ok := Started(strings.Fields(line)); ok {
			got = fmt.Sprintf("%s %d", c.ID, at)
		}
		if got != want {
			t.Errorf("%s: %q", line, got)
		}
	}
}

func TestBridged(t *testing.T) {
	for line, want := range map[string]string{
		"npx -y mcp-remote@latest https://mcp.test/mcp --header X": "https://mcp.test/mcp",
		"midwire stdio -- npx mcp-remote https://mcp.test/mcp":     "https://mcp.test/mcp",
		"supergateway --sse http://b.test/sse":                     "http://b.test/sse",
		"curl https://mcp.test/mcp":                                "", "mcp-remote": "",
	} {
		if got := Bridged(strings.Fields(line)); got != want {
			t.Errorf("%s: %q", line, got)
		}
	}
}

func TestRemotes(t *testing.T) {
	home := t.TempDir()
	project := filepath.Join(home, "project")
	for name, text := range map[string]string{
		".claude.json": `{"mcpServers":{"a":{"type":"http","url":"https://a.test/mcp"},"s":{"command":"x","args":["https://no.test"]},
			"b":{"command":"npx","args":["-y","mcp-remote","https://b.test/sse"]},"odd":{"url":7}},
			"projects":{"` + project + `":{"mcpServers":{"c":{"type":"sse","url":"http://c.test:8080/sse"}}},
			"/elsewhere":{"mcpServers":{"no":{"url":"https://no.test"}}}}}`,
		"project/.mcp.json":           `{"mcpServers":{"d":{"url":"https://${D:-d.test}/mcp"},"e":{"url":"${E}/mcp"},"f":{"url":"${UNSET}/mcp"}}}`,
		".gemini/settings.json":       `{"mcpServers": {`,
		".codex/config.toml":          "[mcp_servers.g]\nurl = \"https://g.test\"\n",
		".config/goose/config.yaml":   "extensions:\n  h:\n    uri: https://h.test\n",
		".config/opencode/x.json":     `{}`,
		".cursor/mcp.json":            `[]`,
		"project/.cursor/mcp.json":    `{"mcpServers":{"u":{"url":"https://user:pass@i.test/"}}}`,
		".qwen/settings.json/no-file": "",
	} {
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := Env{OS: "linux", Home: home, Project: project, Getenv: func(name string) string {
		return map[string]string{"E": "https://e.test"}[name]
	}}
	for id, want := range map[string]struct {
		hosts string
		odd   []string
	}{
		"claude-code": {"a.test b.test c.test:8080 d.test e.test", []string{"odd", "UNSET"}},
		"gemini":      {"", []string{"settings.json"}},
		"codex":       {"g.test", nil},
		"goose":       {"h.test", nil},
		"cursor":      {"i.test", nil},
		"qwen":        {"", nil},
		"crush":       {"", nil},
	} {
		c, _ := Lookup(id)
		urls, odd := e.Remotes(c)
		var hosts []string
		for _, u := range urls {
			hosts = append(hosts, u.Host)
		}
		if got := strings.Join(hosts, " "); got != want.hosts {
			t.Errorf("%s: %s, want %s", id, got, want.hosts)
		}
		if len(odd) != len(want.odd) {
			t.Errorf("%s: %q", id, odd)
			continue
		}
		for i, text := range want.odd {
			if !strings.Contains(odd[i], text) || strings.Contains(odd[i], "pass@") {
				t.Errorf("%s: %q", id, odd[i])
			}
		}
	}
}

func TestModels(t *testing.T) {
	home := t.TempDir()
	for name, text := range map[string]string{
		".codex/config.toml":    "[model_providers.x]\nbase_url = \"https://llm.corp.test/v1\"\n[mcp_servers.y]\nurl = \"https://mcp.test\"\n",
		".claude/settings.json": `{"env":{"ANTHROPIC_BASE_URL":"https://gate.test:8443","OTHER":"https://no.test"}}`,
		".config/opencode/opencode.json": `{"provider":{"a":{"options":{"baseURL":"{env:LLM}/v1"}},"b":{"options":{"baseURL":7}}},
			"list":[{"api_base":"http://10.0.0.1:4000"}]}`,
		".gemini/settings.json": `{"mcpServers": {`,
	} {
		path := filepath.Join(home, filepath.FromSlash(name))
		_ = os.MkdirAll(filepath.Dir(path), 0o700)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := Env{OS: "linux", Home: home, Getenv: func(name string) string { return map[string]string{"LLM": "https://llm.test"}[name] }}
	for id, want := range map[string]string{
		"codex": "llm.corp.test", "claude-code": "gate.test", "opencode": "llm.test 10.0.0.1", "gemini": "", "qwen": "",
	} {
		c, _ := Lookup(id)
		if got := strings.Join(e.Models(c), " "); got != want {
			t.Errorf("%s: %s", id, got)
		}
	}
}

// TestEveryClientHasFilesAndNoProgramOfAnother: a program starts one client.
func TestEveryClientHasFilesAndNoProgramOfAnother(t *testing.T) {
	of := map[string]string{}
	for _, c := range All() {
		if c.Name == "" || len(c.Files) == 0 {
			t.Errorf("%+v", c)
		}
		if c.runner().write != nil && len(c.Programs) == 0 {
			t.Errorf("%s is run by exec, and no program starts it", c.ID)
		}
		for _, name := range c.Programs {
			if of[name] != "" {
				t.Errorf("%s starts %s and %s", name, of[name], c.ID)
			}
			of[name] = c.ID
		}
	}
}
