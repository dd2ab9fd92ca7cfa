// Package plan decides what a session of the hub consists of: which servers it
// has, whether each is a process here or a URL elsewhere, and with which
// directories and variables. It starts nothing and reads nothing.
package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"

	"midwire/session/words"
)

// Context says where a server runs: as a process of the hub's machine, or behind
// a URL.
type Context string

const (
	Local  Context = "local"
	Remote Context = "remote"
)

// Server is a server as a configuration describes it. Texts may hold
// {workingDirectory}, ${NAME}, ${NAME:-else} and ${env:NAME}.
type Server struct {
	Name    string
	Context Context // "" where the configuration leaves it open

	Command []string
	Env     map[string]string
	Dir     string
	Allowed []string // directories whose files it may read and write; none: it is not confined
	Read    []string // directories whose files it may read as well
	Free    bool     // it is not confined, whatever Allowed says

	URL     string
	Headers map[string]string
	SSE     bool // the transport of 2024-11-05

	Off     bool
	Storage string // what a deployment says of a remote one; shown, not used
}

// Config is a list of servers, by name.
type Config struct{ Servers []Server }

// Parse reads a configuration: JSON, YAML or TOML, of mcpServers as clients write
// it, or of servers as hubs do.
func Parse(data []byte) (*Config, error) {
	root, err := decode(data)
	if err != nil {
		return nil, err
	}
	entries := map[string]map[string]any{}
	found := false
	for _, key := range []string{"mcpServers", "servers", "mcp_servers", "context_servers"} {
		all, ok := root[key].(map[string]any)
		found = found || ok
		for name, v := range all {
			entry, ok := v.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("server %q is no object", name)
			}
			entries[name] = entry
		}
	}
	if !found {
		return nil, errors.New("it names no servers: they stand under mcpServers or servers")
	}
	return FromEntries(entries)
}

// decode reads whichever format it is.
func decode(data []byte) (map[string]any, error) {
	root := map[string]any{}
	trimmed := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if len(trimmed) > 0 && trimmed[0] == '{' {
		err := json.Unmarshal(trimmed, &root)
		if err != nil && yaml.Unmarshal(trimmed, &root) != nil { // YAML written in braces
			return nil, err
		}
		return root, nil
	}
	yamlErr := yaml.Unmarshal(data, &root)
	if yamlErr == nil {
		return root, nil
	}
	root = map[string]any{}
	if toml.Unmarshal(data, &root) == nil {
		return root, nil
	}
	if errors.As(yamlErr, new(*yaml.TypeError)) { // it quotes the file, which may be any
		yamlErr = errors.New("yaml: it is no table of servers")
	}
	return nil, yamlErr
}

// nameRule is what a name of a server must be to stand in a path and in the names
// of tools.
var nameRule = words.Pattern(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// reserved are the names that the hub's own paths have.
var reserved = []string{"mcp", "session", "healthz", "metrics"}

// badChars is what becomes "-" in the name of a server of a client's.
var badChars = words.Pattern(`[^A-Za-z0-9_.-]+`)

// FromEntries makes a configuration of entries by name, as clients write them.
func FromEntries(entries map[string]map[string]any) (*Config, error) {
	c := &Config{}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		s, err := server(entries[name])
		if err != nil {
			return nil, fmt.Errorf("server %q: %w", name, err)
		}
		s.Name = badChars().ReplaceAllString(strings.TrimSpace(name), "-")
		switch {
		case !nameRule().MatchString(s.Name):
			return nil, fmt.Errorf("server %q: a name begins with a letter or a digit", name)
		case slices.Contains(reserved, s.Name):
			return nil, fmt.Errorf("server %q: the hub's own paths have that name. Choose another", name)
		case slices.ContainsFunc(c.Servers, func(o Server) bool { return o.Name == s.Name }):
			return nil, fmt.Errorf("server %q: another one is called %s too", name, s.Name)
		}
		c.Servers = append(c.Servers, s)
	}
	return c, nil
}

// server reads one entry. Clients have different words for the same.
func server(e map[string]any) (Server, error) {
	r := entry{e: e}
	s := Server{
		Context: Context(r.text("executionContext", "execution_context")),
		Command: append(r.texts("command", "cmd"), r.texts("args")...),
		Env:     r.table("env", "environment", "envs"),
		Dir:     r.text("workingDirectory", "working_directory", "cwd"),
		Allowed: r.texts("allowedDirectories", "allowed_directories"),
		Read:    r.texts("readOnlyDirectories", "read_only_directories"),
		Free:    r.is("confine", false),
		URL:     r.text("url", "endpoint", "serverUrl", "httpUrl", "uri"),
		Headers: r.table("headers", "http_headers"),
		Off:     r.is("disabled", true) || r.is("enabled", false),
		Storage: r.text("storage"),
	}
	s.SSE = r.text("type", "transport") == "sse"
	if r.err != nil {
		return s, r.err
	}
	if s.Context != "" && s.Context != Local && s.Context != Remote {
		return s, fmt.Errorf("executionContext is local or remote, not %q", s.Context)
	}
	if len(s.Command) == 0 && s.URL == "" {
		return s, errors.New("it has neither a command nor a url")
	}
	return s, nil
}

// entry reads members by any of their names, and keeps the first error.
type entry struct {
	e   map[string]any
	err error
}

func (r *entry) get(names []string) (any, string) {
	for _, n := range names {
		if v, ok := r.e[n]; ok && v != nil {
			return v, n
		}
	}
	return nil, ""
}

func (r *entry) wrong(name, want string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s is %s", name, want)
	}
}

func (r *entry) text(names ...string) string {
	v, name := r.get(names)
	s, ok := v.(string)
	if v != nil && !ok {
		r.wrong(name, "a text")
	}
	return s
}

// texts is a list of texts, or one.
func (r *entry) texts(names ...string) (out []string) {
	v, name := r.get(names)
	switch v := v.(type) {
	case nil:
	case string:
		out = []string{v}
	case []any:
		for _, item := range v {
			out = append(out, fmt.Sprint(item))
		}
	default:
		r.wrong(name, "a list of texts")
	}
	return out
}

func (r *entry) table(names ...string) map[string]string {
	v, name := r.get(names)
	in, ok := v.(map[string]any)
	if v != nil && !ok {
		r.wrong(name, "a table of texts")
	}
	if len(in) == 0 {
		return nil
	}
	out := map[string]string{}
	for k, v := range in {
		out[k] = fmt.Sprint(v)
	}
	return out
}

func (r *entry) is(name string, value bool) bool {
	v, ok := r.e[name].(bool)
	return ok && v == value
}
