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
	parts := parse(t, hubForm).Plan(wish("/project", env, nil))
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
	parts := c.Plan(wish("/p", nil, map[string]plan.Context{"memory": plan.Local, "git": plan.Remote, "filesystem": plan.Remote}))
	if m := part(t, parts, "memory"); m.Context != plan.Local || m.Reason != "" || m.Command[0] != "mcp-memory" {
		t.Errorf("%+v", m)
	}
	if g := part(t, parts, "git"); g.Context != plan.Remote || g.URL != "https://git.example/mcp" {
		t.Errorf("%+v", g)
	}
	if f := part(t, parts, "filesystem"); !strings.Contains(f.Reason, "no url") {
		t.Errorf("%+v", f)
	}
	parts = c.Plan(wish("/p", nil, map[string]plan.Context{"git": "moon"}))
	if g := part(t, parts, "git"); !strings.Contains(g.Reason, "not moon") {
		t.Errorf("%+v", g)
	}
}

// TestH10MissingKey: a server whose key is missing is disabled with the reason,
// the others are not.
func TestH10MissingKey(t *testing.T) {
	parts := parse(t, hubForm).Plan(wish("/p", nil, nil))
	if b := part(t, parts, "brave-search"); b.Reason != "Missing BRAVE_API_KEY" {
		t.Errorf("%+v", b)
	}
	if w := part(t, parts, "web-search"); w.Reason != "Missing SEARCH_TOKEN" {
		t.Errorf("%+v", w)
	}
	if g := part(t, parts, "git"); g.Reason != "" {
		t.Errorf("%+v", g)
	}
	parts = parse(t, hubForm).Plan(wish("", nil, nil))
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
		"root:x:0:0:root":                                   "yaml: it is no table of servers",
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
	for _, p := range off.Plan(wish("", nil, nil)) {
		if !strings.Contains(p.Reason, "disabled") {
			t.Errorf("%+v", p)
		}
	}
}

// TestRequestsAreData: only what the configuration says is expanded, once; not the
// values that come with a request, nor what stands in a variable.
func TestRequestsAreData(t *testing.T) {
	c := parse(t, `
servers:
  a: {command: "x", args: ["${TOKEN}", "{workingDirectory}"], env: {K: "${MINE}", D: "{workingDirectory}"}}
  b: {command: "${PROGRAM}", args: ["${PROGRAM}"]}
  c: {url: "https://${HOST}/{workingDirectory}/${MINE}?dir={workingDirectory}&k=${MINE}&h=${HOST}", headers: {X: "${MINE}"}}
`)
	env := map[string]string{"SECRET": "s3cret", "TOKEN": "${SECRET}", "PROGRAM": "ours", "HOST": "h.example"}
	w := wish("/p/${SECRET}/{workingDirectory}", env, nil)
	w.Given = map[string]string{"MINE": "${SECRET}&x=1", "PROGRAM": "evil", "HOST": "evil.example/"}
	parts := c.Plan(w)
	a := part(t, parts, "a")
	if a.Dir != w.Dir || a.Command[2] != w.Dir || a.Env["D"] != w.Dir || a.Env["K"] != "${SECRET}&x=1" || a.Command[1] != "${SECRET}" {
		t.Errorf("%+v", a)
	}
	if b := part(t, parts, "b"); b.Command[0] != "ours" || b.Command[1] != "evil" {
		t.Errorf("the program is the session's to choose: %q", b.Command)
	}
	want := "https://h.example//p/$%7BSECRET%7D/%7BworkingDirectory%7D/$%7BSECRET%7D&x=1" +
		"?dir=%2Fp%2F%24%7BSECRET%7D%2F%7BworkingDirectory%7D&k=%24%7BSECRET%7D%26x%3D1&h=evil.example%2F"
	if got := part(t, parts, "c"); got.URL != want || got.Headers["X"] != "${SECRET}&x=1" {
		t.Errorf("%s\nwant\n%s\n%v", got.URL, want, got.Headers)
	}
	w.Given = map[string]string{"MINE": "a\r\nX-Evil: 1"}
	if got := part(t, c.Plan(w), "c"); !strings.Contains(got.Reason, "line break") {
		t.Errorf("%+v", got)
	}
}

// TestDirectories: one that is not whole is none, wherever it comes from, and each has
// a root if a part of it comes from a session.
func TestDirectories(t *testing.T) {
	for _, bad := range []string{"", "x", "./x", "~", "~/x", "~me/x", "/a/../b", "/..", "..", `\..\x`, "/a\x00b", "//host/share", `\\host\share`, "${HOME}"} {
		if plan.CheckDir(bad) == nil {
			t.Errorf("%q is a directory", bad)
		}
		if bad == "" {
			continue
		}
		p := part(t, parse(t, "servers: {a: {command: x, allowedDirectories: ['{workingDirectory}']}}").Plan(wish(bad, nil, nil)), "a")
		if p.Reason == "" || p.Dir != "" {
			t.Errorf("%q: %+v", bad, p)
		}
	}
	for _, bad := range []string{"../x", "~/x", "/a/../b", "a/../../b", "${UP}", "/srv/${UP}"} {
		c := parse(t, "servers: {a: {command: x, workingDirectory: '"+bad+"'}}")
		if p := part(t, c.Plan(wish("/p", map[string]string{"UP": "../x"}, nil)), "a"); p.Reason == "" || p.Dir != "" {
			t.Errorf("%q: %+v", bad, p)
		}
	}
	c := parse(t, `servers: {a: {command: x, workingDirectory: "/srv/{workingDirectory}/in", allowedDirectories: [shared, /whole, "/srv/${WHO}"]}}`)
	w := wish("/p", nil, nil)
	w.Given = map[string]string{"WHO": "me"}
	p := part(t, c.Plan(w), "a")
	want := map[string]string{"/srv/p/in": "/srv/p", "/srv/p": "/srv", "/p/shared": "/p", "/srv/me": "/srv"}
	if p.Dir != "/srv/p/in" || !reflect.DeepEqual(p.Roots, want) {
		t.Errorf("%q %v, want %v", p.Dir, p.Roots, want)
	}
}

// TestKeyOfURL: a server with a URL has no process that gets its variables, and needs them all
// the same, as the document on sessions has it.
func TestKeyOfURL(t *testing.T) {
	c, err := plan.Parse([]byte(`{"servers":{"brave-search":{"executionContext":"remote","url":"http://x/mcp","env":{"BRAVE_API_KEY":"${BRAVE_API_KEY}"}},
		"both":{"command":"x","url":"http://x/mcp","executionContext":"remote","env":{"K":"${K}"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	none := func(string) (string, bool) { return "", false }
	parts := c.Plan(plan.Wish{Lookup: none})
	if b := part(t, parts, "brave-search"); b.Reason != "Missing BRAVE_API_KEY" {
		t.Errorf("%+v", b)
	}
	if b := part(t, parts, "both"); b.Reason != "" { // they are its process's
		t.Errorf("%+v", b)
	}
	parts = c.Plan(plan.Wish{Lookup: none, Given: map[string]string{"BRAVE_API_KEY": "k"}})
	if b := part(t, parts, "brave-search"); b.Reason != "" {
		t.Errorf("%+v", b)
	}
}
