package clients

import (
	"path"
	"slices"
	"strings"
)

// commands are the programs of clients, and packages that hold one.
var commands = map[string]string{
	"claude": "claude-code", "@anthropic-ai/claude-code": "claude-code",
	"codex": "codex", "@openai/codex": "codex",
	"gemini": "gemini", "@google/gemini-cli": "gemini",
	"opencode": "opencode", "opencode-ai": "opencode",
	"copilot": "copilot", "@github/copilot": "copilot",
	"qwen": "qwen", "@qwen-code/qwen-code": "qwen",
	"amp": "amp", "@sourcegraph/amp": "amp", "@ampcode/cli": "amp",
	"crush": "crush", "@charmland/crush": "crush",
	"cline": "cline", "kilo": "kilo", "kilocode": "kilo", "@kilocode/cli": "kilo",
	"cn": "continue", "@continuedev/cli": "continue",
	"cursor-agent": "cursor", "cursor": "cursor", "code": "vscode", "code-insiders": "vscode",
	"windsurf": "windsurf", "zed": "zed", "zeditor": "zed", "goose": "goose", "kiro-cli": "kiro", "kiro": "kiro",
	"antigravity": "antigravity", "junie": "junie", "q": "amazon-q", "qchat": "amazon-q", "droid": "droid",
	"openhands": "openhands", "vibe": "vibe", "grok": "grok", "kimi": "kimi", "qodercli": "qoder", "trae": "trae",
	"auggie": "augment", "@augmentcode/auggie": "augment", "pi": "pi", "hermes": "hermes",
	"claude-desktop": "claude-desktop",
}

// program is the shortest name by which a client is started.
func (c Client) program() (shortest string) {
	for name, id := range commands {
		if id == c.ID && (shortest == "" || len(name) < len(shortest)) {
			shortest = name
		}
	}
	return shortest
}

// launchers start what their first argument names that is no flag, nor a word
// of their own.
var launchers = []string{"npx", "bunx", "pnpx", "uvx", "npm", "pnpm", "yarn", "node", "bun", "deno", "pipx"}

// Started is the client that a command line starts, if midwire knows it, and
// which word of the line names its program.
func Started(line []string) (c Client, at int, ok bool) {
	launched := len(line) > 0 && slices.Contains(launchers, program(line[0]))
	for i, word := range line {
		switch {
		case i == 0 && launched, i > 0 && strings.HasPrefix(word, "-"),
			i > 0 && slices.Contains([]string{"exec", "x", "dlx", "run"}, word):
			continue
		}
		c, ok = Lookup(commands[program(word)])
		return c, i, ok
	}
	return Client{}, 0, false
}

// program is the name of a program, or package, without its folder and version.
func program(word string) string {
	name := strings.ReplaceAll(strings.TrimPrefix(word, "npm:"), `\`, "/")
	if !strings.HasPrefix(name, "@") {
		name = path.Base(name)
	}
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		name = name[:i]
	}
	for _, end := range []string{".exe", ".cmd", ".js", ".mjs"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}
