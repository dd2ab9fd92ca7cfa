package clients

import (
	"path"
	"slices"
	"strings"
)

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
