package plan

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"midwire/session/words"
)

// Wish is what a session asks for. All of it is data, but for Lookup: nothing in it
// is expanded.
type Wish struct {
	Dir      string             // its working directory
	Contexts map[string]Context // where the client wants servers to run
	// Given are the variables that came with the session. They go before the hub's,
	// but for the program of a server and the host of a URL, which get the hub's
	// variables and are the hub's to choose.
	Given map[string]string
	// Lookup finds a variable of the hub.
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
	// Roots are, by directory of those above, where it must lie once links are
	// followed. A root may have its own.
	Roots map[string]string

	URL     string
	Headers map[string]string
	SSE     bool

	Storage string

	// Masked are the names of headers whose values are made of variables: recordings
	// do not show them.
	Masked []string
	// Hidden are values that no text about the server may show, with what stands in
	// their place.
	Hidden map[string]string
}

// usual says where servers run of which nothing else is said.
var usual = map[string]Context{
	"filesystem": Local, "git": Local, "editor": Local,
	"web-search": Remote, "brave-search": Remote, "database": Remote, "memory": Remote,
}

// usualStorage is what a remote server of that name keeps its data in.
var usualStorage = map[string]string{"memory": "pvc"}

// Plan plans a session: a part for each server, in the order of their names. A
// server that it cannot have is there with the reason.
func (c *Config) Plan(w Wish) []Part {
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
	x := expander{wish: w, hidden: map[string]string{}, roots: map[string]string{}}
	if p.Context == Remote {
		p.URL, p.SSE, p.Headers = x.url(s.URL), s.SSE, x.table(s.Headers)
		p.Storage = cmp.Or(s.Storage, usualStorage[s.Name])
		x.headers(p.Headers)
		if len(s.Command) == 0 { // what its configuration asks for, it needs: there is no process to pass it to
			x.table(s.Env)
		}
		for name, text := range s.Headers {
			if variable().MatchString(text) {
				p.Masked = append(p.Masked, name)
			}
		}
	} else {
		p.Command, p.Env = x.command(s.Command), x.table(s.Env)
		if s.Dir != "" || w.Dir != "" {
			p.Dir = x.dir(cmp.Or(s.Dir, own))
		}
		allowed := s.Allowed
		if len(allowed) == 0 && usual[s.Name] == Local && s.Context != "" {
			allowed = []string{own}
		}
		if !s.Free {
			p.Allowed, p.Read = x.dirs(allowed), x.dirs(s.Read)
		}
		for name, value := range p.Env {
			x.hide(value, "(value of "+name+")")
		}
	}
	p.Reason, p.Hidden, p.Roots = x.reason(), x.hidden, x.roots
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

// own is the session's working directory in a configuration.
const own = "{workingDirectory}"

// variable is ${NAME}, ${NAME:-else}, ${env:NAME} or {workingDirectory}.
var variable = words.Pattern(`\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}|\{workingDirectory\}`)

// expander puts values instead of names in a text of the configuration, once,
// and remembers which it did not find.
type expander struct {
	wish    Wish
	ours    bool                // only the hub's variables count
	escape  func(string) string // of what comes from the session; nil where it stands as it is
	missing []string
	noDir   bool
	wrong   string // what is wrong with a value
	hidden  map[string]string
	roots   map[string]string
}

func (x *expander) text(s string) string {
	return variable().ReplaceAllStringFunc(s, func(found string) string {
		if found == own {
			x.noDir = x.noDir || x.wish.Dir == ""
			return x.given(x.wish.Dir)
		}
		m := variable().FindStringSubmatch(found)
		if v, ok := x.lookup(m[1]); ok {
			x.hide(v, "${"+m[1]+"}")
			if _, is := x.wish.Given[m[1]]; is && !x.ours {
				return x.given(v)
			}
			return v
		}
		if other, ok := strings.CutPrefix(m[2], ":-"); ok && !slices.Contains(x.wish.Lost, m[1]) {
			return other
		}
		if !slices.Contains(x.missing, m[1]) {
			x.missing = append(x.missing, m[1])
		}
		return ""
	})
}

func (x *expander) lookup(name string) (v string, ok bool) {
	v, given := x.wish.Given[name]
	switch {
	case given && !x.ours:
	case slices.Contains(x.wish.Lost, name):
		return "", false
	default:
		v, _ = x.wish.Lookup(name)
	}
	return v, v != ""
}

// shortest is how long a value must be to be hidden: a shorter one is no secret, and
// may stand anywhere by chance.
const shortest = 4

func (x *expander) hide(value, with string) {
	if _, ok := x.hidden[value]; !ok && len(value) >= shortest && value != x.wish.Dir {
		x.hidden[value] = with
	}
}

func (x *expander) texts(in []string) (out []string) {
	for _, s := range in {
		out = append(out, x.text(s))
	}
	return out
}

// command is a command line, whose program is not the session's to choose.
func (x *expander) command(in []string) []string {
	x.ours = true
	program := x.texts(in[:min(1, len(in))])
	x.ours = false
	return append(program, x.texts(in[min(1, len(in)):])...)
}

// authority is a URL up to its path. One that starts with a variable is that as a
// whole.
var authority = words.Pattern(`^[^:/?#]*://(?:\$\{[^}]*\}|[^/?#])*|^\$\{.*`)

// given is a value of the session's as it is inserted.
func (x *expander) given(v string) string {
	if x.escape != nil {
		return x.escape(v)
	}
	return v
}

// url is a URL, whose host is not the session's to choose. What is the session's is
// no more than a part of the path, or the value of a parameter.
func (x *expander) url(s string) string {
	n := len(authority().FindString(s))
	path, query, has := strings.Cut(s[n:], "?")
	x.ours = true
	whole := x.text(s[:n])
	x.ours, x.escape = false, func(v string) string { return (&url.URL{Path: v}).EscapedPath() }
	whole += x.text(path)
	if x.escape = url.QueryEscape; has {
		whole += "?" + x.text(query)
	}
	x.escape = nil
	return whole
}

func (x *expander) table(in map[string]string) map[string]string {
	out := map[string]string{}
	for _, k := range slices.Sorted(maps.Keys(in)) {
		out[k] = x.text(in[k])
	}
	return out
}

// headers hides the values of headers, and refuses those that are more than one.
func (x *expander) headers(all map[string]string) {
	for name, value := range all {
		x.hide(value, "(value of "+name+")")
		for word := range strings.FieldsSeq(value) { // Bearer TOKEN
			if len(word) > 2*shortest {
				x.hide(word, "(value of "+name+")")
			}
		}
		if strings.ContainsAny(name+value, "\r\n\x00") {
			x.wrong = "the value of header " + strings.Map(printable, name) + " has a line break or a NUL"
		}
	}
}

func printable(r rune) rune {
	if r < ' ' {
		return -1
	}
	return r
}

// CheckDir says why a session cannot have a text as a directory, whichever side names
// it. Only a whole path is one: nothing is looked for from where the hub happens to
// run, and nothing is expanded.
func CheckDir(dir string) error {
	slashed := strings.ReplaceAll(dir, `\`, "/")
	why := ""
	switch {
	case strings.ContainsRune(dir, 0):
		why = "has a NUL"
	case strings.HasPrefix(dir, "~"):
		why = "begins with ~, which is not expanded"
	case slices.Contains(strings.Split(slashed, "/"), ".."):
		why = "has a .. in it"
	case !filepath.IsAbs(dir), strings.HasPrefix(slashed, "//"):
		why = "is not absolute"
	default:
		return nil
	}
	return fmt.Errorf("directory %q %s. Name it whole, from the root on", dir, why)
}

// dir is a directory: one that is not absolute stands in the session's.
func (x *expander) dir(s string) string {
	d, root := x.text(s), ""
	switch {
	case d == "":
		return ""
	case !filepath.IsAbs(d) && !strings.HasPrefix(d, "~") && x.wish.Dir != "":
		root = filepath.Clean(x.wish.Dir)
		d = x.wish.Dir + string(filepath.Separator) + d
	}
	if err := CheckDir(d); err != nil {
		x.wrong = err.Error()
		return ""
	}
	d = filepath.Clean(d)
	if root == "" {
		x.noteFolder(s, d)
	} else if root != d {
		x.roots[d] = root
	}
	return d
}

// noteFolder notes where a directory must lie that comes in part from the session: below
// what the configuration says before it, and what it says behind it, below that.
func (x *expander) noteFolder(s, d string) {
	for _, at := range variable().FindAllStringSubmatchIndex(s, -1) {
		if found := s[at[0]:at[1]]; found != own {
			if _, given := x.wish.Given[s[at[2]:at[3]]]; !given {
				continue
			}
		}
		upTo := filepath.Clean(x.text(s[:at[1]]))
		if upTo != d {
			x.roots[d] = upTo
		}
		if at[0] > 0 {
			x.roots[upTo] = filepath.Dir(x.text(s[:at[0]]) + "x")
		}
		return
	}
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
	switch {
	case len(x.missing) > 0:
		return "Missing " + strings.Join(x.missing, ", ")
	case x.noDir:
		return "it needs a working directory, and the session has none"
	}
	return x.wrong
}
