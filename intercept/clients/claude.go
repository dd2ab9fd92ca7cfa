package clients

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"midwire/intercept/clients/syntax"
	"midwire/session/safefile"
)

// claudeServers puts scopes together as Claude Code 2.1 does: of the user, of
// projects, local, given. Of a project's it takes those that Claude Code would
// start without asking.
func claudeServers(e Env, r *Run) (*syntax.Node, error) {
	if managed := e.claudeManaged(); len(glob(managed)) > 0 {
		return orEmpty(r.Client.servers(r.load(managed))),
			errors.New("its organisation's " + managed + " alone says which servers Claude Code starts")
	}
	all := syntax.MapOf()
	if !r.given.has("--strict-mcp-config", "--bare", "--safe-mode") {
		all = e.claudeFiles(r)
	}
	for _, text := range r.given.values(true, "--mcp-config") {
		if !strings.HasPrefix(strings.TrimSpace(text), "{") {
			all = overlay(all, r.load(text).Get("mcpServers"))
			continue
		}
		in, err := syntax.Parse(syntax.JSON, []byte(text))
		if err != nil {
			r.note("--mcp-config cannot be read: " + err.Error())
			continue
		}
		all = overlay(all, in.Root.Get("mcpServers"))
	}
	if len(r.given.args) > 0 && r.given.args[0] == "mcp" {
		r.note("stdio servers: claude mcp reads the files of Claude Code alone")
	}
	if len(glob(e.claudeHome()+"/plugins/installed_plugins.json")) > 0 {
		r.note("servers of Claude Code's plugins, but for remote ones that --host names")
	}
	return all, nil
}

func (e Env) claudeManaged() string {
	switch e.OS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode/managed-mcp.json"
	case "windows":
		return `C:\Program Files\ClaudeCode\managed-mcp.json`
	}
	return "/etc/claude-code/managed-mcp.json"
}

func (e Env) claudeHome() string { return e.expand("{CLAUDE_CONFIG_DIR|~/.claude}") }

func (e Env) claudeFiles(r *Run) *syntax.Node {
	sources := []string{"user", "project", "local"}
	if given := r.given.values(false, "--setting-sources"); len(given) > 0 {
		sources = strings.Split(given[0], ",")
	}
	own, all := r.load(e.expand("{CLAUDE_CONFIG_DIR|~}/.claude.json")), syntax.MapOf()
	if slices.Contains(sources, "user") {
		all = overlay(all, own.Get("mcpServers"))
	}
	at := own.Get("projects", e.claudeProject())
	if slices.Contains(sources, "project") {
		project := syntax.MapOf()
		for _, dir := range e.foldersAbove("") {
			project = overlay(project, r.load(filepath.Join(dir, ".mcp.json")).Get("mcpServers"))
		}
		var asks []string
		approved := e.claudeApproved(r, at)
		for _, m := range project.Members {
			if approved(m.Name) {
				all = all.Put(m.Name, m.Value)
			} else {
				asks = append(asks, m.Name)
			}
		}
		if asks != nil {
			r.note(strings.Join(asks, ", ") + " of .mcp.json: not yet approved in Claude Code")
		}
	}
	if slices.Contains(sources, "local") {
		all = overlay(all, at.Get("mcpServers"))
	}
	for _, name := range list(at.Get("disabledMcpServers")) {
		all = all.Put(name, syntax.MapOf(syntax.Member{Name: "disabled", Value: &syntax.Node{Text: "true"}}))
	}
	return all
}

// claudeProject is the folder under which Claude Code keeps what is local.
func (e Env) claudeProject() string {
	if dir := e.repository(); dir != "" {
		return dir
	}
	return e.Project
}

// claudeApproved tells which servers of a project Claude Code starts without
// asking: those that the user said yes to, and with --print all but those that
// the user said no to. It believes the project's own settings only where the
// folder is trusted and they are not shared by git.
func (e Env) claudeApproved(r *Run, at *syntax.Node) func(name string) bool {
	settings := []*syntax.Node{at, r.load(filepath.Join(e.claudeHome(), "settings.json"))}
	local := filepath.Join(e.claudeProject(), ".claude", "settings.local.json")
	trusted := at.Get("hasTrustDialogAccepted")
	index, err := safefile.Read(filepath.Join(e.claudeProject(), ".git", "index"), maxFile)
	known := err == nil || errors.Is(err, fs.ErrNotExist) // the project may have put anything there
	if trusted != nil && trusted.Text == "true" && known && !bytes.Contains(index, []byte("local.json")) {
		settings = append(settings, r.load(local))
	}
	var yes, no []string
	all := r.given.has("-p", "--print")
	for _, s := range settings {
		yes = append(yes, list(s.Get("enabledMcpjsonServers"))...)
		no = append(no, list(s.Get("disabledMcpjsonServers"))...)
		if v := s.Get("enableAllProjectMcpServers"); v != nil && v.Text == "true" {
			all = true
		}
	}
	no = append(no, list(r.load(local).Get("disabledMcpjsonServers"))...)
	return func(name string) bool { return !slices.Contains(no, name) && (all || slices.Contains(yes, name)) }
}

// list is the texts in a list; nil for what is none.
func list(n *syntax.Node) (out []string) {
	if n != nil {
		for _, item := range n.Items {
			out = append(out, item.Text)
		}
	}
	return out
}

// claudeWrite gives Claude Code a file of servers, which stand over those of the
// same names elsewhere: the last one given does.
func claudeWrite(_ Env, r *Run, wrapped *syntax.Node) {
	r.File = syntax.MapOf(syntax.Member{Name: "mcpServers", Value: wrapped}).JSON()
	r.flag = "--mcp-config="
	if r.given.has("--mcp-config") {
		r.at += r.given.end()
	}
}
