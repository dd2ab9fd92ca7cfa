package clients

import (
	"cmp"
	"slices"
)

// Client is an MCP client: where its configurations stand, and how it is told
// of a server in them.
type Client struct {
	ID, Name string
	// Files are patterns of its files, as Env.places reads them: of the user, with
	// ./ in front of a project, with ../ of a project and of each folder above.
	Files []string
	// Servers are the places in a file where servers stand: names with slashes.
	// The empty one is the whole file, where no other is there.
	Servers []string
	Shape   Shape
	// Next is what makes a change take effect, if not that the client is started
	// again.
	Next string
	// Where says to people which file to write an entry into.
	Where string
	// Live are files that the client writes all the time, by their last name.
	Live string
}

// Shape is how an entry says what is started, or where a server listens.
type Shape struct {
	Command, Args string   // names of members; "command" and "args" when empty
	URL           []string // names of members; nil for url, serverUrl, httpUrl
	Type          string   // what a new entry must say it is
	Array         bool     // the command of a new entry is a list with its arguments
}

func (s Shape) command() string { return cmp.Or(s.Command, "command") }
func (s Shape) args() string    { return cmp.Or(s.Args, "args") }

func (s Shape) urls() []string {
	if s.URL == nil {
		return []string{"url", "serverUrl", "httpUrl"}
	}
	return s.URL
}

var usual = []string{"mcpServers"}

const atOnce = "it reads the change at once: nothing to start again"

// All are the clients that midwire knows, the most used ones first.
func All() []Client {
	return slices.Concat(most(), others(), rest())
}

// Lookup finds a client by its id.
func Lookup(id string) (Client, bool) {
	for _, c := range All() {
		if c.ID == id {
			return c, true
		}
	}
	return Client{}, false
}

func most() []Client {
	return []Client{
		{
			ID: "claude-code", Name: "Claude Code", Where: ".mcp.json in the project", Live: ".claude.json",
			Files:   []string{"{CLAUDE_CONFIG_DIR|~}/.claude.json", "../.mcp.json"},
			Servers: []string{"mcpServers", "projects/{project}/mcpServers"},
		},
		{
			ID: "claude-desktop", Name: "Claude Desktop", Where: "claude_desktop_config.json", Servers: usual,
			Files: []string{
				"{config}/Claude/claude_desktop_config.json",
				"windows:{LOCALAPPDATA|~/AppData/Local}/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json",
			},
		},
		{
			ID: "cursor", Name: "Cursor", Where: "~/.cursor/mcp.json", Servers: usual,
			Files: []string{"~/.cursor/mcp.json", "./.cursor/mcp.json"},
		},
		{
			ID: "vscode", Name: "VS Code", Where: ".vscode/mcp.json in the project", Shape: Shape{Type: "stdio"}, Servers: []string{"servers"},
			Next: "start the server again in VS Code: MCP: List Servers",
			Files: []string{
				"{config}/Code/User/mcp.json", "{config}/Code/User/profiles/*/mcp.json",
				"{config}/Code - Insiders/User/mcp.json", "{config}/Code - Insiders/User/profiles/*/mcp.json",
				"~/.vscode-server/data/User/mcp.json", "./.vscode/mcp.json",
			},
		},
		{
			ID: "codex", Name: "Codex", Where: "~/.codex/config.toml", Servers: []string{"mcp_servers"},
			Files: []string{"{CODEX_HOME|~/.codex}/config.toml", "./.codex/config.toml"},
		},
		{
			ID: "gemini", Name: "Gemini CLI", Where: "~/.gemini/settings.json", Servers: usual,
			Files: []string{"~/.gemini/settings.json", "./.gemini/settings.json"},
		},
		{
			ID: "windsurf", Name: "Windsurf", Where: "~/.codeium/windsurf/mcp_config.json", Servers: usual, Next: "press the refresh button of the MCP servers in Windsurf",
			Files: []string{
				"~/.codeium/windsurf/mcp_config.json", "~/.codeium/mcp_config.json", "~/.config/devin/mcp_config.json",
			},
		},
		{
			ID: "cline", Name: "Cline", Where: "cline_mcp_settings.json", Servers: usual, Next: atOnce,
			Files: []string{"{CLINE_MCP_SETTINGS_PATH|{CLINE_DATA_DIR|{CLINE_DIR|~/.cline}/data}/settings/cline_mcp_settings.json}"},
		},
		{
			ID: "zed", Name: "Zed", Where: "settings.json of Zed", Servers: []string{"context_servers"}, Next: atOnce,
			Files: []string{"{xdg}/zed/settings.json", "windows:{config}/Zed/settings.json", "./.zed/settings.json"},
		},
		{
			ID: "opencode", Name: "opencode", Where: "~/.config/opencode/opencode.json", Shape: Shape{Type: "local", Array: true}, Servers: []string{"mcp/servers", "mcp"},
			Files: []string{
				"{OPENCODE_CONFIG|{xdg}/opencode/opencode.jsonc}", "{xdg}/opencode/opencode.json",
				"./opencode.jsonc", "./opencode.json", "./.opencode/opencode.jsonc", "./.opencode/opencode.json",
			},
		},
	}
}

func others() []Client {
	return []Client{
		{
			ID: "copilot", Name: "Copilot CLI", Servers: []string{"mcpServers", ""},
			Files: []string{"{COPILOT_HOME|~/.copilot}/mcp-config.json", "./.mcp.json", "./.github/mcp.json"},
		},
		{
			ID: "goose", Name: "Goose", Servers: []string{"extensions"}, Shape: Shape{Command: "cmd", URL: []string{"uri"}},
			Files: []string{
				"{xdg}/goose/config.yaml", "darwin:{config}/Block/goose/config/config.yaml",
				"windows:{config}/Block/goose/config/config.yaml",
			},
		},
		{
			ID: "continue", Name: "Continue", Servers: usual,
			Files: []string{"~/.continue/config.yaml", "./.continue/mcpServers/*.yaml", "./.continue/mcpServers/*.json"},
		},
		{
			ID: "kilo", Name: "Kilo Code", Servers: []string{"mcp/servers", "mcp"},
			Files: []string{
				"~/.config/kilo/kilo.jsonc", "~/.config/kilo/kilo.json",
				"./.kilo/kilo.jsonc", "./.kilocode/kilo.jsonc", "./kilo.jsonc", "./kilo.json",
			},
		},
		{
			ID: "visual-studio", Name: "Visual Studio", Servers: []string{"servers"},
			Files: []string{"windows:~/.mcp.json", "./.mcp.json", "./.vs/mcp.json"},
		},
		{ID: "kiro", Name: "Kiro", Servers: usual, Files: []string{"~/.kiro/settings/mcp.json", "./.kiro/settings/mcp.json"}},
		{
			ID: "amp", Name: "Amp", Servers: []string{"amp.mcpServers"},
			Files: []string{"{xdg}/amp/settings.json", "./.amp/settings.json"},
		},
		{
			ID: "crush", Name: "Crush", Servers: []string{"mcp"},
			Files: []string{"{xdg}/crush/crush.json", "./.crush.json", "./crush.json"},
		},
		{
			ID: "antigravity", Name: "Antigravity", Servers: usual,
			Files: []string{"~/.gemini/config/mcp_config.json", "~/.gemini/antigravity/mcp_config.json"},
		},
		{ID: "qwen", Name: "Qwen Code", Servers: usual, Files: []string{"~/.qwen/settings.json", "./.qwen/settings.json"}},
		{ID: "warp", Name: "Warp", Servers: usual, Files: []string{"~/.warp/.mcp.json", "./.warp/.mcp.json"}},
		{ID: "junie", Name: "JetBrains Junie", Servers: usual, Files: []string{"~/.junie/mcp/mcp.json", "./.junie/mcp/mcp.json"}},
		{
			ID: "jetbrains-copilot", Name: "Copilot in JetBrains", Servers: []string{"servers"},
			Files: []string{
				"~/.config/github-copilot/intellij/mcp.json",
				"windows:{LOCALAPPDATA|~/AppData/Local}/github-copilot/intellij/mcp.json",
			},
		},
		{ID: "lm-studio", Name: "LM Studio", Servers: usual, Files: []string{"~/.lmstudio/mcp.json", "~/.cache/lm-studio/mcp.json"}},
		{ID: "librechat", Name: "LibreChat", Servers: usual, Files: []string{"./librechat.yaml"}},
		{
			ID: "amazon-q", Name: "Amazon Q", Servers: usual,
			Files: []string{
				"~/.aws/amazonq/mcp.json", "~/.aws/amazonq/default.json", "~/.aws/amazonq/cli-agents/*.json",
				"./.amazonq/mcp.json", "./.amazonq/default.json",
			},
		},
	}
}

func rest() []Client {
	toml := []string{"mcp_servers"}
	return []Client{
		{ID: "droid", Name: "Factory Droid", Servers: usual, Files: []string{"~/.factory/mcp.json", "./.factory/mcp.json"}},
		{ID: "openhands", Name: "OpenHands CLI", Servers: usual, Files: []string{"~/.openhands/mcp.json"}},
		{ID: "vibe", Name: "Mistral Vibe", Servers: toml, Files: []string{"~/.vibe/config.toml"}},
		{ID: "grok", Name: "Grok Build", Servers: toml, Files: []string{"~/.grok/config.toml"}},
		{ID: "kimi", Name: "Kimi Code", Servers: usual, Files: []string{"~/.kimi-code/mcp.json", "~/.kimi/mcp.json"}},
		{ID: "qoder", Name: "Qoder", Servers: usual, Files: []string{"~/.qoder/settings.json"}},
		{ID: "trae", Name: "Trae", Servers: usual, Files: []string{"{config}/Trae/User/mcp.json"}},
		{ID: "augment", Name: "Augment", Servers: usual, Files: []string{"~/.augment/settings.json"}},
		{ID: "pi", Name: "Pi", Servers: usual, Files: []string{"~/.pi/agent/mcp.json"}},
		{ID: "hermes", Name: "Hermes", Servers: []string{"mcp_servers"}, Files: []string{"~/.hermes/config.yaml"}},
		{ID: "boltai", Name: "BoltAI", Servers: usual, Files: []string{"~/.boltai/mcp.json"}},
		{ID: "tabnine", Name: "Tabnine", Servers: usual, Files: []string{"~/.tabnine/mcp_servers.json"}},
	}
}
