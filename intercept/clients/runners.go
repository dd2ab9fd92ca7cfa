package clients

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"midwire/intercept/clients/syntax"
)

// runner is how a client combines its files, and how it accepts others
// for one run.
type runner struct {
	// servers returns all that the client would use, and why none of them can be
	// started otherwise.
	servers func(e Env, r *Run) (*syntax.Node, error)
	// write passes servers with midwire in front to the client.
	write func(e Env, r *Run, wrapped *syntax.Node)
}

func (c Client) runner() runner {
	return map[string]runner{
		"claude-code": {claudeServers, claudeWrite},
		"codex":       {codexServers, codexWrite},
		"opencode":    {opencodeServers, opencodeWrite},
	}[c.ID]
}

// load reads a file of a client; nil where there is none. What is wrong with it
// is noted.
func (r *Run) load(path string) *syntax.Node {
	in, err := parse(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		r.note(path + " cannot be read, and its servers are not wrapped: " + err.Error())
		return nil
	}
	return in.Root
}

func (r *Run) note(text string) { r.Notes = append(r.Notes, text) }

// servers returns the map of servers in a file, or nil.
func (c Client) servers(root *syntax.Node) *syntax.Node {
	for _, place := range c.Servers {
		in := root.Get(strings.Split(place, "/")...)
		if in != nil && in.Kind == syntax.Map && c.Shape.isServers(in) {
			return in
		}
	}
	return nil
}

// overlay puts the servers of one file over those of another, a whole entry over
// one of the same name.
func overlay(under, top *syntax.Node) *syntax.Node {
	if top == nil || top.Kind != syntax.Map {
		return under
	}
	for _, m := range top.Members {
		under = under.Put(m.Name, m.Value)
	}
	return under
}

// foldersAbove lists the folders from the project's up to a last one, the last one
// first.
func (e Env) foldersAbove(last string) (out []string) {
	for dir := e.Project; ; dir = filepath.Dir(dir) {
		out = append(out, dir)
		if dir == last || dir == filepath.Dir(dir) {
			slices.Reverse(out)
			return out
		}
	}
}

// repository is the folder under version control that holds the project, else
// "".
func (e Env) repository() string {
	if e.Project == "" {
		return ""
	}
	for _, dir := range slices.Backward(e.foldersAbove("")) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
	}
	return ""
}

// real is a path without links on the way.
func real(path string) string {
	if at, err := filepath.EvalSymlinks(path); err == nil {
		return at
	}
	return path
}

func codexServers(e Env, r *Run) (*syntax.Node, error) {
	home := e.expand("{CODEX_HOME|~/.codex}")
	user := r.load(filepath.Join(home, "config.toml"))
	all := orEmpty(user)
	if name := r.given.values(false, "-p", "--profile"); len(name) > 0 {
		all = all.Overlay(orEmpty(r.load(filepath.Join(home, name[0]+".config.toml"))))
	}
	if dir := r.given.values(false, "-C", "--cd"); len(dir) > 0 {
		if e.Project = dir[0]; !filepath.IsAbs(e.Project) {
			e.Project, _ = filepath.Abs(e.Project)
		}
	}
	root := cmp.Or(e.repository(), e.Project)
	for _, dir := range []string{e.Project, root} {
		trust := user.Get("projects", dir, "trust_level")
		if trust == nil || trust.Text != "trusted" {
			continue
		}
		for _, dir := range e.foldersAbove(root) {
			if dir != filepath.Dir(home) {
				all = all.Overlay(orEmpty(r.load(filepath.Join(dir, ".codex", "config.toml"))))
			}
		}
		break
	}
	return orEmpty(r.Client.servers(all)), nil
}

func orEmpty(n *syntax.Node) *syntax.Node {
	if n == nil {
		return syntax.MapOf()
	}
	return n
}

// codexWrite has Codex put commands and arguments over those in its files. Its
// servers get none of the environment but what their entries say.
func codexWrite(e Env, r *Run, wrapped *syntax.Node) {
	var b strings.Builder
	for i, m := range wrapped.Members {
		b.WriteString(map[bool]string{true: "mcp_servers={", false: ","}[i == 0])
		b.Write(tomlText(m.Name))
		b.WriteString("={command=")
		b.Write(tomlText(m.Value.Get("command").Text))
		b.WriteString(",args=[")
		for _, arg := range m.Value.Get("args").Items {
			b.Write(tomlText(arg.Text))
			b.WriteByte(',')
		}
		b.WriteByte(']')
		var set []string
		for _, name := range []string{"MIDWIRE_HOME", "XDG_STATE_HOME"} {
			if value := e.Getenv(name); value != "" {
				set = append(set, name+"="+string(tomlText(value)))
			}
		}
		if set != nil {
			b.WriteString(",env={" + strings.Join(set, ",") + "}")
		}
		b.WriteByte('}')
	}
	b.WriteByte('}')
	r.command = slices.Insert(slices.Clone(r.command), r.at, "-c", b.String())
}

func tomlText(s string) []byte {
	return []byte(strings.ReplaceAll(string(syntax.Quote(s)), "\x7f", `\u007f`))
}

// opencodeServers puts files together in the order of opencode 1.18.
func opencodeServers(e Env, r *Run) (*syntax.Node, error) {
	config := e.expand("{xdg}/opencode")
	files := []string{
		filepath.Join(config, "config.json"), filepath.Join(config, "opencode.json"), filepath.Join(config, "opencode.jsonc"),
		e.Getenv("OPENCODE_CONFIG"),
	}
	dirs := e.foldersAbove(e.repository())
	both := func(dir string) {
		files = append(files, filepath.Join(dir, "opencode.json"), filepath.Join(dir, "opencode.jsonc"))
	}
	for _, dir := range dirs {
		both(dir)
	}
	for _, dir := range slices.Backward(dirs) {
		both(filepath.Join(dir, ".opencode"))
	}
	both(filepath.Join(e.Home, ".opencode"))
	if dir := e.Getenv("OPENCODE_CONFIG_DIR"); dir != "" {
		both(dir)
	}
	all := syntax.MapOf()
	for _, file := range files {
		if file != "" {
			all = all.Overlay(orEmpty(r.load(file)))
		}
	}
	all = all.Overlay(e.opencodeContent(r))
	if in := all.Get("mcp", "servers"); in != nil && r.Client.Shape.isServers(in) {
		r.nested = true
	}
	return orEmpty(r.Client.servers(all)), nil
}

// opencodeContent is the configuration that the user gave opencode for this
// run.
func (e Env) opencodeContent(r *Run) *syntax.Node {
	text := e.Getenv("OPENCODE_CONFIG_CONTENT")
	if text == "" {
		return syntax.MapOf()
	}
	in, err := syntax.Parse(syntax.JSON, []byte(text))
	if err != nil {
		r.note("OPENCODE_CONFIG_CONTENT cannot be read: " + err.Error())
		return syntax.MapOf()
	}
	return in.Root
}

// opencodeWrite names commands alone: opencode takes the rest of an entry from
// its files.
func opencodeWrite(e Env, r *Run, wrapped *syntax.Node) {
	servers := syntax.MapOf()
	for _, m := range wrapped.Members {
		servers = servers.Put(m.Name, syntax.MapOf(
			syntax.Member{Name: "type", Value: syntax.Text("local")},
			syntax.Member{Name: "command", Value: m.Value.Get("command")},
		))
	}
	own := e.opencodeContent(&Run{})
	if r.nested {
		servers = syntax.MapOf(syntax.Member{Name: "servers", Value: servers})
	}
	r.set = append(r.set, "OPENCODE_CONFIG_CONTENT="+
		string(own.Overlay(syntax.MapOf(syntax.Member{Name: "mcp", Value: servers})).JSON()))
}
