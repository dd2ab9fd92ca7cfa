package plan_test

import (
	"reflect"
	"strings"
	"testing"

	"midwire/intercept/hub/plan"
)

const hubForm = `
servers:
  filesystem:
    executionContext: local
    command: mcp-filesystem
    args: ["{workingDirectory}"]
    allowedDirectories: ["{workingDirectory}", "shared"]
    workingDirectory: "{workingDirectory}"
  git: {command: mcp-git, url: "https://git.example/mcp"}
  memory: {command: mcp-memory, url: "https://memory.example/mcp"}
  brave-search:
    command: npx
    args: [-y, brave]
    env: {BRAVE_API_KEY: "${BRAVE_API_KEY}", REGION: "${REGION:-eu}"}
  web-search: {url: "https://search.example/mcp", headers: {Authorization: "Bearer ${SEARCH_TOKEN}"}}
`

func parse(t *testing.T, text string) *plan.Config {
	t.Helper()
	c, err := plan.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func wish(dir string, env map[string]string, contexts map[string]plan.Context) plan.Wish {
	return plan.Wish{Dir: dir, Contexts: contexts, Lookup: func(n string) (string, bool) { v, ok := env[n]; return v, ok }}
}

func part(t *testing.T, parts []plan.Part, name string) plan.Part {
	t.Helper()
	for _, p := range parts {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("there is no %s", name)
	return plan.Part{}
}

// TestH8Defaults: where servers run of which nothing is said, and what is put in
// the place of names.
func TestH8Defaults(t *testing.T) {
	env := map[string]string{"BRAVE_API_KEY": "k1", "SEARCH_TOKEN": "t"}
	parts := parse(t, hubForm).For(wish("/project", env, nil))
	for name, want := range map[string]plan.Context{
		"filesystem": plan.Local, "git": plan.Local, "memory": plan.Remote, "brave-search": plan.Local, "web-search": plan.Remote,
	} {
		if p := part(t, parts, name); p.Context != want || p.Reason != "" {
			t.Errorf("%s: %s %q, want %s", name, p.Context, p.Reason, want)
		}
	}
	fs := part(t, parts, "filesystem")
	if !reflect.DeepEqual(fs.Command, []string{"mcp-filesystem", "/project"}) || fs.Dir != "/project" ||
		!reflect.DeepEqual(fs.Allowed, []string{"/project", "/project/shared"}) {
		t.Errorf("%+v", fs)
	}
	if b := part(t, parts, "brave-search"); b.Env["BRAVE_API_KEY"] != "k1" || b.Env["REGION"] != "eu" {
		t.Errorf("%+v", b.Env)
	}
	if w := part(t, parts, "web-search"); w.Headers["Authorization"] != "Bearer t" {
		t.Errorf("%+v", w.Headers)
	}
	if m := part(t, parts, "memory"); m.Storage != "pvc" {
		t.Errorf("%+v", m)
	}
}

// TestH9PreferenceWins: what the client wants comes before what is usual and what
// the configuration says.
func TestH9PreferenceWins(t *testing.T) {
	c := parse(t, hubForm)
	parts := c.For(wish("/p", nil, map[string]plan.Context{"memory": plan.Local, "git": plan.Remote, "filesystem": plan.Remote}))
	if m := part(t, parts, "memory"); m.Context != plan.Local || m.Reason != "" || m.Command[0] != "mcp-memory" {
		t.Errorf("%+v", m)
	}
	if g := part(t, parts, "git"); g.Context != plan.Remote || g.URL != "https://git.example/mcp" {
		t.Errorf("%+v", g)
	}
	if f := part(t, parts, "filesystem"); !strings.Contains(f.Reason, "no url") {
		t.Errorf("%+v", f)
	}
	parts = c.For(wish("/p", nil, map[string]plan.Context{"git": "moon"}))
	if g := part(t, parts, "git"); !strings.Contains(g.Reason, "not moon") {
		t.Errorf("%+v", g)
	}
}

// TestH10MissingKey: a server whose key is missing is disabled with the reason,
// the others are not.
func TestH10MissingKey(t *testing.T) {
	parts := parse(t, hubForm).For(wish("/p", nil, nil))
	if b := part(t, parts, "brave-search"); b.Reason != "Missing BRAVE_API_KEY" {
		t.Errorf("%+v", b)
	}
	if w := part(t, parts, "web-search"); w.Reason != "Missing SEARCH_TOKEN" {
		t.Errorf("%+v", w)
	}
	if g := part(t, parts, "git"); g.Reason != "" {
		t.Errorf("%+v", g)
	}
	parts = parse(t, hubForm).For(wish("", nil, nil))
	if f := part(t, parts, "filesystem"); !strings.Contains(f.Reason, "working directory") {
		t.Errorf("%+v", f)
	}
}

// TestG5Formats: the same servers in JSON, YAML and TOML, and as clients write
// them, are the same.
func TestG5Formats(t *testing.T) {
	want := parse(t, `{"mcpServers":{"a":{"command":"x","args":["1"],"env":{"K":"v"}},"b":{"type":"http","url":"http://h/mcp"}}}`)
	for _, text := range []string{
		"mcpServers:\n  a: {command: x, args: ['1'], env: {K: v}}\n  b: {type: http, url: 'http://h/mcp'}\n",
		"[mcp_servers.a]\ncommand = 'x'\nargs = ['1']\nenv = {K = 'v'}\n[mcp_servers.b]\nurl = 'http://h/mcp'\n",
		`{"servers":{"a":{"command":["x","1"],"environment":{"K":"v"}},"b":{"endpoint":"http://h/mcp"}}}`,
		"{servers: {a: {cmd: x, args: ['1'], env: {K: v}}, b: {serverUrl: 'http://h/mcp'}}}",
	} {
		if got := parse(t, text); !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n%+v\nwant\n%+v", text, got, want)
		}
	}
}

func TestWrongConfigurations(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                                                "names no servers",
		`{"mcpServers":{"a":{}}}`:                           "neither a command nor a url",
		`{"mcpServers":{"a":3}}`:                            "no object",
		`{"mcpServers":{"mcp":{"url":"x"}}}`:                "own paths",
		`{"servers":{"a":{"command":{}}}}`:                  "a list of texts",
		`{"servers":{"a":{"url":["x"]}}}`:                   "a text",
		"servers: [":                                        "yaml",
		`{"servers":{"-":{"url":"x"}}}`:                     "a letter or a digit",
		`{"servers":{"a b":{"url":"x"},"a-b":{"url":"x"}}}`: "too",
		`{"servers":{"a":{"url":"x","executionContext":"elsewhere"}}}`: "local or remote",
		`{"servers":{"a":{"url":"x","env":[]}}}`:                       "a table",
	} {
		if _, err := plan.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	off := parse(t, `{"servers":{"a":{"url":"x","disabled":true},"b":{"url":"x","enabled":false}}}`)
	for _, p := range off.For(wish("", nil, nil)) {
		if !strings.Contains(p.Reason, "disabled") {
			t.Errorf("%+v", p)
		}
	}
}
