package clients

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"midwire/intercept/clients/syntax"
)

// writer writes configurations in all the ways that people write them.
type writer struct {
	*rand.Rand
	strings.Builder
	nl string
}

// spec is what a generated entry says.
type spec struct {
	name    string
	command string
	args    []string
	bare    bool // no list of arguments
	url     string
}

func (w *writer) pick(of ...string) string { return of[w.IntN(len(of))] }
func (w *writer) maybe() bool              { return w.IntN(2) == 0 }

func (w *writer) put(parts ...string) {
	for _, p := range parts {
		w.WriteString(strings.ReplaceAll(p, "\n", w.nl))
	}
}

var wordsOf = []string{
	"npx", "-y", "@scope/server", "--", "--token=${TOKEN}", "C:\\x\\y.exe", "a b", "日本", "", "uvx", "{env:X}",
	"8080", "true", "--flag", "it's", "say \"hi\"", "a, b", "# no comment", "// neither", "é", "x:y", "null",
}

func newSpec(w *writer, i int) spec {
	s := spec{name: fmt.Sprintf("%s%d", w.pick("files", "a b", "x.y", "日本", "it's", "-s"), i)}
	if w.IntN(5) == 0 {
		s.url = w.pick("http", "https") + "://" + w.pick("api.example.com", "localhost:3000") +
			w.pick("/mcp", "", "/sse?key=secret", "/a b#c")
		return s
	}
	s.command = w.pick("npx", "/opt/my server/run", "C:\\tools\\uvx.exe", "${HOME}/bin/x", "node", "é", "./it's")
	if s.bare = w.IntN(4) == 0; !s.bare {
		for range w.IntN(4) {
			s.args = append(s.args, w.pick(wordsOf...))
		}
	}
	return s
}

// generate writes a file of some servers.
func generate(format syntax.Format, seed uint64) ([]byte, []spec) {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 7)), nl: "\n"}
	if w.IntN(4) == 0 {
		w.nl = "\r\n"
	}
	if w.IntN(5) == 0 {
		w.put("\ufeff")
	}
	var all []spec
	for i := range 1 + w.IntN(3) {
		all = append(all, newSpec(w, i))
	}
	switch format {
	case syntax.JSON:
		w.json(all)
	case syntax.TOML:
		w.toml(all)
	default:
		w.yaml(all)
	}
	return []byte(w.String()), all
}

// gap is what may stand between two tokens of JSON.
func (w *writer) gap() string {
	return w.pick("", "", " ", "\n  ", "\n\t", " /* \"c\" */ ", " // it's\n    ", "\t")
}

func (w *writer) jsonText(s string) string {
	q := string(syntax.Quote(s))
	if w.IntN(6) == 0 {
		q = strings.ReplaceAll(q, "/", "\\/")
	}
	return strings.ReplaceAll(q, "é", w.pick("é", "\\u00e9"))
}

func (w *writer) jsonList(items []string, open, end string) {
	w.put(open)
	for i, item := range items {
		w.put(w.gap(), item, w.gap())
		if i < len(items)-1 || w.IntN(3) == 0 {
			w.put(",")
		}
	}
	w.put(w.gap(), end)
}

func (w *writer) json(all []spec) {
	w.put(w.gap(), "{", w.gap(), `"other"`, w.gap(), ":", w.gap(), "[1,-2.5e3,null,{}]", ",")
	w.put(w.gap(), `"mcpServers"`, w.gap(), ":", w.gap())
	var entries []string
	for _, s := range all {
		in := &writer{Rand: w.Rand, nl: "\n"}
		name := func(s string) string { return w.jsonText(s) + w.gap() + ":" + w.gap() }
		var members []string
		if s.url != "" {
			members = append(members, name("url")+w.jsonText(s.url))
		} else {
			members = append(members, name("command")+w.jsonText(s.command))
		}
		if s.url == "" && !s.bare {
			var items []string
			for _, a := range s.args {
				items = append(items, w.jsonText(a))
			}
			list := &writer{Rand: w.Rand, nl: "\n"}
			list.jsonList(items, "[", "]")
			members = append(members, name("args")+list.String())
		}
		members = append(members, name("env")+`{"KEY": "secret", "n": 1}`, name("disabled")+"false")
		w.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		in.jsonList(members, "{", "}")
		entries = append(entries, name(s.name)+in.String())
	}
	w.jsonList(entries, "{", "}")
	w.put(w.gap(), ",", `"last":true`, "}", w.gap())
	if strings.HasSuffix(w.String(), "// it's") {
		w.put("\n")
	}
}

func (w *writer) tomlText(s string) string {
	if !strings.Contains(s, "'") && w.maybe() {
		return w.pick("'"+s+"'", "'''"+s+"'''")
	}
	return string(syntax.Quote(s))
}

func (w *writer) tomlList(items []string) string {
	gap := func() string { return w.pick("", "", " ", "\n  ", " # it's ]\n\t", "\n") }
	var out strings.Builder
	out.WriteString("[" + gap())
	for i, item := range items {
		out.WriteString(item + gap())
		if i < len(items)-1 || w.IntN(3) == 0 {
			out.WriteString("," + gap())
		}
	}
	return out.String() + "]"
}

func (w *writer) toml(all []spec) {
	w.put(w.pick("", "# Codex\n"), "model = 'x' # [mcp_servers]\nwhen = 2026-01-02T03:04:05Z\n\n")
	form := w.IntN(3) // tables, inline tables, dotted names
	if form > 0 {
		w.put("[mcp_servers]\n")
	}
	for _, s := range all {
		name := string(syntax.Quote(s.name))
		var members []string
		add := func(key, value string) { members = append(members, key+w.pick(" = ", "=", "\t=  ")+value) }
		if s.url != "" {
			add("url", w.tomlText(s.url))
		} else {
			add(w.pick("command", `"command"`), w.tomlText(s.command))
		}
		if s.url == "" && !s.bare {
			var items []string
			for _, a := range s.args {
				items = append(items, w.tomlText(a))
			}
			add("args", w.tomlList(items))
		}
		add("enabled", "true")
		add("env", `{ KEY = "secret", N = 'x' }`)
		w.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		switch form {
		case 0:
			w.put("[mcp_servers.", name, "]", w.pick("", " # a server"), "\n")
			for _, m := range members {
				w.put(w.pick("", "  ", "\t"), m, w.pick("", " # note"), "\n")
			}
			w.put(w.pick("", "\n[mcp_servers."+name+".tools]\nx = 1.5\n"))
		case 1:
			w.put(name, " = {", w.pick("", " "), strings.Join(members, w.pick(",", ", ")), w.pick("", " "), "}\n")
		default:
			for _, m := range members {
				w.put(w.pick("", " "), name, w.pick(".", " . "), m, w.pick("", " # note"), "\n")
			}
		}
	}
}

func (w *writer) yamlText(s string) string {
	if plain := s == "npx" || s == "node" || s == "uvx" || s == "日本" || s == "é" || strings.HasPrefix(s, "/opt") ||
		strings.HasPrefix(s, "http") && !strings.ContainsAny(s, " #") || s == "-y"; plain && w.maybe() {
		return s
	}
	if w.maybe() {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return string(syntax.Quote(s))
}

func (w *writer) yaml(all []spec) {
	w.put(w.pick("", "# Goose\n"), "models: &m [ a, 'b' ]\nsame: *m\n", w.pick("", "\n"), "mcpServers:\n")
	list := w.maybe()
	for _, s := range all {
		in, members := "    ", []string{}
		note := func() string { return w.pick("", "", " # it's") }
		if s.url != "" {
			members = append(members, "url: "+w.yamlText(s.url)+note())
		} else {
			members = append(members, w.pick("command: ", "command:   ", `"command": `)+w.yamlText(s.command)+note())
		}
		if s.url == "" && !s.bare {
			members = append(members, w.yamlList(s.args, in))
		}
		members = append(members, "env: {KEY: secret}", "text: |\n"+in+"  several\n"+in+"  lines", "timeout: 300"+note())
		w.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		if list {
			members = append(members, "name: "+string(syntax.Quote(s.name)))
			members[0], members[len(members)-1] = members[len(members)-1], members[0]
			w.put("  - ", strings.Join(members, w.pick("\n", "\n\n", "\n    # note\n")+in), "\n")
			continue
		}
		w.put("  ", string(syntax.Quote(s.name)), ":", note(), "\n", in, strings.Join(members, "\n"+in), "\n")
	}
	w.put("last: ~\n")
}

func (w *writer) yamlList(args []string, in string) string {
	var items []string
	for _, a := range args {
		items = append(items, w.yamlText(a))
	}
	if len(items) == 0 || w.maybe() {
		return "args: [" + w.pick("", " ") + strings.Join(items, w.pick(", ", ",  ", " ,\n"+in+"  ")) + w.pick("", " ") + "]"
	}
	in += w.pick("", "  ")
	dash := w.pick("- ", "-   ")
	return "args:" + w.pick("", " # c") + "\n" + in + dash + strings.Join(items, w.pick("", " # c")+"\n"+in+dash)
}
