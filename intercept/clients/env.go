// Package clients knows the configuration files of MCP clients: where they
// stand, which servers they name, and how midwire is put in front of one and
// taken out again without another byte of the file changing.
package clients

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Env is the machine whose clients are looked for. All of it must be set but
// for Project.
type Env struct {
	OS      string // as runtime.GOOS
	Home    string
	Project string // the folder of a project; "" for none
	Getenv  func(string) string

	Journal string   // file that says how to undo what was done
	Self    string   // absolute path of midwire
	Flags   []string // that it gets in front of a command
	// Port finds a free TCP port of this machine that is not among those taken.
	Port func(taken []int) (int, error)
}

type place struct {
	path    string
	project bool
}

// places are the files of a client that exist, each once.
func (e Env) places(c Client) (out []place) {
	seen := map[string]bool{}
	for _, pattern := range c.Files {
		if system, rest, ok := strings.Cut(pattern, ":"); ok && !strings.Contains(system, "{") {
			if system != e.OS {
				continue
			}
			pattern = rest
		}
		in, project := e.folders(pattern)
		for _, dir := range in {
			path := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(pattern, "../")))
			if !project {
				path = filepath.FromSlash(e.expand(pattern))
			}
			for _, found := range glob(path) {
				if !seen[found] {
					seen[found] = true
					out = append(out, place{found, project})
				}
			}
		}
	}
	return out
}

// folders are where a pattern of a project is looked for.
func (e Env) folders(pattern string) (in []string, project bool) {
	above, here := strings.HasPrefix(pattern, "../"), strings.HasPrefix(pattern, "./")
	switch {
	case !above && !here:
		return []string{""}, false
	case e.Project == "":
		return nil, true
	case above:
		in = e.foldersAbove("")
		slices.Reverse(in)
		return in, true
	}
	return []string{e.Project}, true
}

// glob lists the files that a path names, in which one part may hold a *. The
// rest of it means what it says.
func glob(path string) (out []string) {
	before, after, star := strings.Cut(path, "*")
	if !star {
		if info, err := os.Stat(path); path != "" && err == nil && info.Mode().IsRegular() {
			return []string{path}
		}
		return nil
	}
	dir, prefix := filepath.Split(before)
	end, rest, _ := strings.Cut(after, string(filepath.Separator))
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if name := entry.Name(); strings.HasPrefix(name, prefix) && strings.HasSuffix(name, end) {
			out = append(out, glob(filepath.Join(dir, name, rest))...)
		}
	}
	return out
}

// expand puts folders instead of ~, {config}, {xdg} and {VARIABLE|else}.
func (e Env) expand(s string) string {
	if s == "~" || strings.HasPrefix(s, "~/") {
		return e.Home + s[1:]
	}
	if !strings.HasPrefix(s, "{") {
		return s
	}
	depth := 0
	end := strings.IndexFunc(s, func(r rune) bool {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		return depth == 0
	})
	inside, rest := s[1:end], s[end+1:]
	name, otherwise, isVariable := strings.Cut(inside, "|")
	switch {
	case !isVariable && inside == "config":
		return e.config(true) + rest
	case !isVariable:
		return e.config(false) + rest
	}
	if value := e.Getenv(name); filepath.IsAbs(value) {
		return value + rest
	}
	return e.expand(otherwise) + rest
}

// config is the folder of configurations: on a Mac there are two.
func (e Env) config(library bool) string {
	dir := e.Getenv("XDG_CONFIG_HOME")
	switch {
	case e.OS == "windows":
		if dir = e.Getenv("APPDATA"); dir == "" {
			dir = e.Home + "/AppData/Roaming"
		}
		return dir
	case e.OS == "darwin" && library:
		return e.Home + "/Library/Application Support"
	case !filepath.IsAbs(dir):
		return e.Home + "/.config"
	}
	return dir
}

// inRepository reports whether a file lies in a folder under version control:
// others have it at other places.
func inRepository(path string) bool {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if slices.ContainsFunc([]string{".git", ".hg", ".jj"}, func(name string) bool {
			_, err := os.Stat(filepath.Join(dir, name))
			return err == nil
		}) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}
