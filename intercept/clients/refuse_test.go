package clients

import (
	"path/filepath"
	"strings"
	"testing"

	"midwire/intercept/clients/syntax"
)

// TestRefused: what is not understood wholly is not changed.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ format, data, why string }{
		{"json", `{"mcpServers":{"x":{"command":"a"},"x":{"command":"b"}}}`, `"x" stands twice`},
		{"json", `{"mcpServers":{"x":{"command":"a","command":"b"}}}`, `"command" stands twice`},
		{"json", `{"mcpServers":{"x":{"command":"a"}}} {}`, "more after the value"},
		{"json", `{"mcpServers":{"x":{"command":"a" "args":[]}}}`, "a comma"},
		{"json", `// nothing`, "a value is missing"},
		{"json", "{\"mcpServers\":{\"x\":{\"command\":\"a\xff\"}}}", "not UTF-8"},
		{"json", `{"mcpServers":{"x":{"command":"npx -y x"}}}`, "holds its arguments"},
		{"json", `{"mcpServers":{"x":{"command":"a","url":"http://b"}}}`, "a command and a URL"},
		{"json", `{"mcpServers":{"x":{"command":"a","args":"b"}}}`, "no list of texts"},
		{"json", `{"mcpServers":{"x":{"command":["a"],"args":[{}]}}}`, ""},
		{"json", `{"mcpServers":{"x":{"command":[]}}}`, "no list of texts"},
		{"json", `{"mcpServers":{"x":{"command":7}}}`, "no text"},
		{"json", `{"mcpServers":{"x":[]}}`, "shape"},
		{"json", `{"mcpServers":{"x":{"url":"https://u:p@host/"}}}`, "password"},
		{"json", `{"mcpServers":{"x":{"url":"https://${HOST}/"}}}`, "variable"},
		{"json", `{"mcpServers":{"x":{"url":"http:\/\/host/"}}}`, "escapes"},
		{"json", `{"mcpServers":{"x":{"url":"http://a","httpUrl":"http://b"}}}`, "shape"},
		{"json", `{"mcpServers":{"x":{"url":"http://a","oauth":{}}}}`, "signs in to this server by OAuth"},
		{"json", `{"mcpServers":{"x":{"url":"http://a","oauth":false}}}`, ""},
		{"toml", "[mcp_servers.x]\ncommand='a'\n[mcp_servers.x]\n", "line 3"},
		{"toml", "[mcp_servers.x]\ncommand='a'\ncommand='b'\n", "already"},
		{"toml", "mcp_servers.x.command=", "line 1"},
		{"yaml", "mcpServers:\n  x: &a\n    command: a\n  y: *a\n", "anchor"},
		{"yaml", "mcpServers: &s\n  x:\n    command: a\n", "anchor"},
		{"yaml", "a: &a {command: a}\nmcpServers:\n  x:\n    <<: *a\n    command: b\n", "alias"},
		{"yaml", "mcpServers:\n  x:\n    command: !!str a\n", "tag"},
		{"yaml", "mcpServers:\n  x:\n    command: a\n---\nb: 1\n", "several documents"},
		{"yaml", "mcpServers:\n  x:\n    command: a\n  x:\n    command: b\n", "twice"},
		{"yaml", "mcpServers:\n  x:\n    command: >\n      a\n", "in quotes"},
		{"yaml", "mcpServers:\n  x:\n    command: a,b\n    args: [c]\n", "in quotes"},
		{"yaml", "mcpServers:\n  x:\n    command: a\n    args:\n", "no list of texts"},
		{"yaml", "mcpServers:\n- {name: x, command: a}\n- {name: x, command: b}\n", "two servers"},
		{"yaml", "mcpServers:\n  x:\n    command: a\u2028\n", "line breaks"},
		{"yaml", "mcpServers:\n  x: [", "line"},
	} {
		format := syntax.Format(c.format)
		at := Address{generic(format).Servers, "x"}
		_, _, err := wrapAny(format, []byte(c.data), Shape{}, at)
		if c.why == "" && err != nil || c.why != "" && (err == nil || !strings.Contains(err.Error(), c.why)) {
			t.Errorf("%s: %v, not %q", c.data, err, c.why)
		}
	}
}

// TestPlaces: where clients have their files on each system.
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		system, client, file string
		env                  map[string]string
	}{
		{"darwin", "claude-desktop", "home/Library/Application Support/Claude/claude_desktop_config.json", nil},
		{"darwin", "zed", "home/.config/zed/settings.json", nil},
		{"darwin", "vscode", "home/Library/Application Support/Code - Insiders/User/profiles/x/mcp.json", nil},
		{"windows", "claude-desktop", "home/AppData/Roaming/Claude/claude_desktop_config.json", nil},
		{"windows", "claude-desktop", "home/AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json", nil},
		{"windows", "goose", "home/AppData/Roaming/Block/goose/config/config.yaml", nil},
		{"windows", "visual-studio", "home/.mcp.json", nil},
		{"linux", "zed", "home/x/zed/settings.json", map[string]string{"XDG_CONFIG_HOME": "home/x"}},
		{"linux", "codex", "home/c/config.toml", map[string]string{"CODEX_HOME": "home/c"}},
		{"linux", "claude-code", "home/c/.claude.json", map[string]string{"CLAUDE_CONFIG_DIR": "home/c"}},
		{"linux", "cline", "home/c/data/settings/cline_mcp_settings.json", map[string]string{"CLINE_DIR": "home/c"}},
		{"linux", "cline", "home/c.json", map[string]string{"CLINE_MCP_SETTINGS_PATH": "home/c.json"}},
	} {
		e := machine(t, c.system)
		path := e.put(t, c.file, "{}")
		e.Getenv = func(name string) string {
			if value := c.env[name]; value != "" {
				return filepath.Join(filepath.Dir(e.Home), filepath.FromSlash(value))
			}
			return ""
		}
		client, _ := Lookup(c.client)
		if got := e.places(client); len(got) != 1 || got[0].path != path || got[0].project {
			t.Errorf("%s, %s: %v, not %s", c.system, c.client, got, path)
		}
	}
}
