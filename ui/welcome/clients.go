// Package welcome is what the screen shows while nothing was recorded yet: the
// ways to the first session.
package welcome

import "strings"

// client is an MCP client, and where and how it wants to be told of a server.
type client struct {
	name, file, entry string
}

// own are the parts of an entry that are midwire's.
var own = []string{`"midwire"`, `"--"`}

const (
	servers = `{
  "mcpServers": {
    "files": {
      "command": "midwire",
      "args": ["--", "node",
        "build/index.js"]
    }
  }
}`
	typed = `{
  "servers": {
    "files": {
      "type": "stdio",
      "command": "midwire",
      "args": ["--", "node",
        "build/index.js"]
    }
  }
}`
	codex = `[mcp_servers.files]
command = "midwire"
args = ["--", "node",
  "build/index.js"]`
	opencode = `{
  "mcp": {
    "files": {
      "type": "local",
      "command": ["midwire", "--",
        "node", "build/index.js"]
    }
  }
}`
)

// clients are the most used ones.
func clients() []client {
	return []client{
		{"Claude Code", ".mcp.json in the project", servers},
		{"Claude Desktop", "claude_desktop_config.json", servers},
		{"Cursor", "~/.cursor/mcp.json", servers},
		{"VS Code", ".vscode/mcp.json in the project", typed},
		{"Codex", "~/.codex/config.toml", codex},
		{"Gemini CLI", "~/.gemini/settings.json", servers},
		{"Windsurf", "~/.codeium/windsurf/mcp_config.json", servers},
		{"Cline", "cline_mcp_settings.json", servers},
		{"Zed", "settings.json of Zed", strings.Replace(servers, "mcpServers", "context_servers", 1)},
		{"opencode", "~/.config/opencode/opencode.json", opencode},
	}
}
