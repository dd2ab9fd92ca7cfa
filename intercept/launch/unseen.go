package launch

import (
	"bufio"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Unseen says what of a command's traffic a proxy in its environment cannot
// catch, and the way out: a line for each reason, as far as its file tells. local
// says that servers on this machine are to be seen.
func Unseen(command []string, local bool) (lines []string) {
	p := look(command[0])
	switch {
	case p.golang && system[runtime.GOOS] != "":
		lines = append(lines, fmt.Sprintf("%s is written in Go: on %s it trusts the system's certificates alone and will fail. Put midwire http in front of the server", p.name, system[runtime.GOOS]))
	case p.golang && local:
		lines = append(lines, p.name+" is written in Go, which sends nothing for localhost to a proxy. Put midwire http in front of a server on this machine")
	case p.node != "" && !readsProxy(p.node) && !slices.ContainsFunc(command, isNative):
		line := fmt.Sprintf("%s runs on Node %s, which reads no variables for proxies. Start it with Node 22.21, 24 or later", p.name, p.node)
		if slices.ContainsFunc(command, func(word string) bool { return strings.Contains(word, "mcp-remote") }) {
			if slices.Contains(command, "--enable-proxy") {
				break
			}
			line += ", or give mcp-remote --enable-proxy"
		}
		lines = append(lines, line+", or put midwire http in front of the server")
	case p.desktop:
		lines = append(lines, p.name+" is a desktop app: a window that is open already takes over, and it may trust the system's certificates alone. Quit it first; if nothing is seen, use midwire wrap")
	}
	return append(lines, cloud[p.name]...)
}

var system = map[string]string{"darwin": "macOS", "windows": "Windows"}

const claudeCloud = "connectors of a claude.ai account run in Anthropic's cloud: put midwire http in front of their server, where that runs"

// cloud is what of programs runs elsewhere.
var cloud = map[string][]string{
	"claude": {claudeCloud}, "Claude": {claudeCloud}, "claude-desktop": {claudeCloud},
	"ChatGPT": {"connectors of ChatGPT run in OpenAI's cloud: put midwire http in front of their server, where that runs"},
}

// isNative reports whether a word of a command line is a program whose script for Node
// starts one without it, or has its own proxy agent, as gemini has.
func isNative(word string) bool {
	word = word[strings.LastIndexByte(word, '/')+1:]
	word, _, _ = strings.Cut(word, "@")
	return slices.Contains([]string{"claude", "claude-code", "codex", "crush", "gemini", "gemini-cli", "opencode", "opencode-ai"}, word)
}

// found is what a program is, as far as its file tells.
type found struct {
	name    string
	golang  bool
	node    string // version of Node that runs it, "" when another runtime does
	desktop bool
}

// desktops are commands of desktop apps that are scripts.
var desktops = []string{
	"antigravity", "claude-desktop", "code", "code-insiders", "cursor", "kiro", "trae", "vscodium", "windsurf", "zed", "zeditor",
}

func look(command string) found {
	name := strings.TrimSuffix(filepath.Base(command), ".exe")
	p := found{name: name, desktop: slices.Contains(desktops, name) || runtime.GOOS == "darwin" && name == "open"}
	path, err := exec.LookPath(command)
	if err != nil {
		return p
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if _, err := buildinfo.ReadFile(path); err == nil {
		p.golang = true
		return p
	}
	if strings.Contains(filepath.ToSlash(path), ".app/Contents/MacOS/") || exists(filepath.Dir(path), "resources", "app.asar") {
		p.desktop = true
		return p
	}
	switch interpreter := shebang(path); {
	case name == "node":
		p.node = nodeVersion(path)
	case interpreter == "node":
		p.node = nodeVersion("node")
	case filepath.Base(interpreter) == "node":
		p.node = nodeVersion(interpreter)
	}
	return p
}

func exists(path ...string) bool {
	_, err := os.Stat(filepath.Join(path...))
	return err == nil
}

// shebang is what a script is run with; the name alone where env looks for it.
func shebang(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 512).ReadSlice('\n')
	words := strings.Fields(strings.TrimPrefix(string(line), "#!"))
	if !strings.HasPrefix(string(line), "#!") || len(words) == 0 {
		return ""
	}
	if filepath.Base(words[0]) != "env" {
		return words[0]
	}
	for _, word := range words[1:] {
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			return word
		}
	}
	return ""
}

const patience = 2 * time.Second // for a version

// nodeVersion asks Node, "" when it does not say.
func nodeVersion(node string) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, node, "--version").Output()
	version, ok := strings.CutPrefix(strings.TrimSpace(string(out)), "v")
	if err != nil || !ok {
		return ""
	}
	return version
}

// readsProxy reports whether a version of Node reads variables for proxies, with
// NODE_USE_ENV_PROXY.
func readsProxy(version string) bool {
	parts := strings.SplitN(version, ".", 3)
	major, err := strconv.Atoi(parts[0])
	if err != nil || len(parts) < 2 {
		return true
	}
	minor, _ := strconv.Atoi(parts[1])
	return major >= 24 || major == 22 && minor >= 21
}
