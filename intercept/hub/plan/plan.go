package plan

import (
	"cmp"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Wish is what a session asks for.
type Wish struct {
	Dir      string             // its working directory
	Contexts map[string]Context // where the client wants servers to run
	// Lookup finds a variable: of the session, or of the hub.
	Lookup func(name string) (string, bool)
	// Lost are variables that the session had and has no more. Nothing takes their
	// place.
	Lost []string
}

// Part is what one server is for one session.
type Part struct {
	Name    string
	Context Context
	Reason  string // why the session does not have it; "" when it does

	Command []string
	Env     map[string]string
	Dir     string
	Allowed []string
	Read    []string

	URL     string
	Headers map[string]string
	SSE     bool

	Storage string
}

// usual says where servers run of which nothing else is said.
var usual = map[string]Context{
	"filesystem": Local, "git": Local, "editor": Local,
	"web-search": Remote, "brave-search": Remote, "database": Remote, "memory": Remote,
}

// usualStorage is what a remote server of that name keeps its data in.
var usualStorage = map[string]string{"memory": "pvc"}

// For plans a session: a part for each server, in the order of their names. A
// server that it cannot have is there with the reason.
func (c *Config) For(w Wish) []Part {
	parts := make([]Part, 0, len(c.Servers))
	for _, s := range c.Servers {
		parts = append(parts, s.part(w))
	}
	return parts
}

func (s *Server) part(w Wish) Part {
	p := Part{Name: s.Name}
	p.Context, p.Reason = s.context(w.Contexts[s.Name])
	if s.Off {
		p.Reason = "disabled in the configuration"
	}
	if p.Reason != "" {
		return p
	}
	x := expander{wish: w}
	if p.Context == Remote {
		p.URL, p.SSE, p.Headers = x.text(s.URL), s.SSE, x.table(s.Headers)
		p.Storage = cmp.Or(s.Storage, usualStorage[s.Name])
	} else {
		p.Command, p.Env = x.texts(s.Command), x.table(s.Env)
		p.Dir = x.dir(cmp.Or(s.Dir, w.Dir))
		allowed := s.Allowed
		if len(allowed) == 0 && usual[s.Name] == Local && s.Context != "" {
			allowed = []string{"{workingDirectory}"}
		}
		if !s.Free {
			p.Allowed, p.Read = x.dirs(allowed), x.dirs(s.Read)
		}
	}
	p.Reason = x.reason()
	return p
}

// context says where the server runs: where the client wants it, else where the
// configuration says, else where servers of its name usually do, if it can; else
// where it can.
func (s *Server) context(preferred Context) (Context, string) {
	can := func(c Context) bool {
		return c == Local && len(s.Command) > 0 || c == Remote && s.URL != ""
	}
	if said := cmp.Or(preferred, s.Context); said != "" {
		switch {
		case said != Local && said != Remote:
			return said, "executionContext is local or remote, not " + string(said)
		case !can(said) && said == Local:
			return said, "wanted local, but the configuration has no command for it"
		case !can(said):
			return said, "wanted remote, but the configuration has no url for it"
		}
		return said, ""
	}
	for _, c := range []Context{usual[s.Name], Local, Remote} {
		if can(c) {
			return c, ""
		}
	}
	return "", "it has neither a command nor a url"
}

// variable is ${NAME}, ${NAME:-else}, ${env:NAME} or {workingDirectory}.
var variable = regexp.MustCompile(`\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}|\{workingDirectory\}`)

// expander puts values in the place of names, and remembers which it did not
// find.
type expander struct {
	wish    Wish
	missing []string
	noDir   bool
}

func (x *expander) text(s string) string {
	return variable.ReplaceAllStringFunc(s, func(found string) string {
		if found == "{workingDirectory}" {
			x.noDir = x.noDir || x.wish.Dir == ""
			return x.wish.Dir
		}
		m := variable.FindStringSubmatch(found)
		if !slices.Contains(x.wish.Lost, m[1]) {
			if v, ok := x.wish.Lookup(m[1]); ok && v != "" {
				return v
			}
			if other, ok := strings.CutPrefix(m[2], ":-"); ok {
				return other
			}
		}
		if !slices.Contains(x.missing, m[1]) {
			x.missing = append(x.missing, m[1])
		}
		return ""
	})
}

func (x *expander) texts(in []string) (out []string) {
	for _, s := range in {
		out = append(out, x.text(s))
	}
	return out
}

func (x *expander) table(in map[string]string) map[string]string {
	out := map[string]string{}
	for _, k := range slices.Sorted(maps.Keys(in)) {
		out[k] = x.text(in[k])
	}
	return out
}

// dir is a directory: one that is not absolute stands in the session's.
func (x *expander) dir(s string) string {
	d := x.text(s)
	if d != "" && !filepath.IsAbs(d) && x.wish.Dir != "" {
		d = filepath.Join(x.wish.Dir, d)
	}
	if d == "" {
		return ""
	}
	return filepath.Clean(d)
}

func (x *expander) dirs(in []string) (out []string) {
	for _, s := range in {
		if d := x.dir(s); d != "" {
			out = append(out, d)
		}
	}
	return out
}

func (x *expander) reason() string {
	if len(x.missing) > 0 {
		return "Missing " + strings.Join(x.missing, ", ")
	}
	if x.noDir {
		return "it needs a working directory, and the session has none"
	}
	return ""
}
