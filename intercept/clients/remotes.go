package clients

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"midwire/intercept/clients/syntax"
	"midwire/session/words"
)

// bridges are programs that reach the remote server whose URL is among their
// arguments, for a client that starts processes only.
var bridges = []string{"mcp-remote", "supergateway", "mcp-proxy"}

// Bridged is the URL of the server that a bridge on a command line reaches; ""
// for any other line.
func Bridged(line []string) string {
	found := false
	for _, word := range line {
		if name, _, _ := strings.Cut(program(word), "@"); slices.Contains(bridges, name) {
			found = true
		} else if found && (strings.HasPrefix(word, "https://") || strings.HasPrefix(word, "http://")) {
			return word
		}
	}
	return ""
}

// Remotes are the URLs of the remote servers in the files of a client, and in
// others, each a file or a JSON object. odd has a sentence for each file and entry
// that cannot be read.
func (e Env) Remotes(c Client, others ...string) (urls []*url.URL, odd []string) {
	for _, p := range e.places(c) {
		others = append(others, p.path)
	}
	for _, name := range others {
		var in *syntax.File
		var err error
		if strings.HasPrefix(name, "{") {
			in, err = syntax.Parse(syntax.JSON, []byte(name))
			name = "the configuration in the command"
		} else {
			in, err = parse(name)
		}
		if err != nil {
			odd = append(odd, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		for _, at := range c.addresses(in.Root, e.names()...) {
			u, err := e.remote(c, in.Root, at)
			if err != nil {
				odd = append(odd, fmt.Sprintf("%s, %s: %v", name, at, err))
			} else if u != nil {
				urls = append(urls, u)
			}
		}
	}
	return urls, odd
}

// settings are files of clients beside those with servers, which may say where
// models are.
var settings = map[string][]string{
	"claude-code": {"{CLAUDE_CONFIG_DIR|~/.claude}/settings.json", "./.claude/settings.json", "./.claude/settings.local.json"},
}

// Models are the hosts that the files of a client name as those of its models, as
// far as the names of members tell. What cannot be read is passed over.
func (e Env) Models(c Client) (hosts []string) {
	c.Files = append(slices.Clone(c.Files), settings[c.ID]...)
	for _, p := range e.places(c) {
		if in, err := parse(p.path); err == nil {
			hosts = append(hosts, e.modelsIn(in.Root)...)
		}
	}
	return hosts
}

func (e Env) modelsIn(n *syntax.Node) (hosts []string) {
	for _, m := range n.Members {
		name := words.Fold(strings.NewReplacer("_", "", "-", "").Replace(m.Name))
		isModel := slices.ContainsFunc([]string{"baseurl", "apibase", "openaiendpoint"}, func(end string) bool {
			return strings.HasSuffix(name, end)
		})
		if u, err := e.serverURL(m.Value.Text); isModel && err == nil {
			hosts = append(hosts, words.Fold(u.Hostname()))
		}
		hosts = append(hosts, e.modelsIn(m.Value)...)
	}
	for _, item := range n.Items {
		hosts = append(hosts, e.modelsIn(item)...)
	}
	return hosts
}

// remote is the URL of a remote server of a file, nil for another one.
func (e Env) remote(c Client, root *syntax.Node, at Address) (*url.URL, error) {
	node, err := at.find(root)
	if err != nil {
		return nil, err
	}
	one, err := c.Shape.read(node)
	if err != nil {
		return nil, err
	}
	line := one.line()
	if one.url != nil {
		return e.serverURL(line[0])
	}
	if given := Bridged(line); given != "" {
		return e.serverURL(given)
	}
	return nil, nil
}

// variable is how clients write one: ${NAME}, ${NAME:-else}, ${env:NAME},
// {env:NAME}, $NAME.
var variable = words.Pattern(`\$?\{(?:env:)?(\w+)(?::-([^}]*))?\}|\$(\w+)`)

// serverURL is the URL of a server as its client makes it of an entry.
func (e Env) serverURL(given string) (*url.URL, error) {
	missing := ""
	text := variable().ReplaceAllStringFunc(given, func(s string) string {
		m := variable().FindStringSubmatch(s)
		value := e.Getenv(m[1] + m[3])
		if value == "" {
			value = m[2]
		}
		if value == "" && missing == "" {
			missing = m[1] + m[3]
		}
		return value
	})
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		if missing != "" {
			return nil, fmt.Errorf("the variable %s is not set", missing)
		}
		return nil, fmt.Errorf("no URL of http:// or https://")
	}
	return u, nil
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
		c, ok = first(func(c Client) bool { return slices.Contains(c.Programs, program(word)) })
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
