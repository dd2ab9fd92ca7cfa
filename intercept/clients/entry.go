package clients

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"midwire/intercept/clients/syntax"
	"midwire/session/words"
)

// Address is where the entry of a server stands in a file.
type Address struct {
	Path []string `json:"path"` // of the map, or list, of servers
	Name string   `json:"name"`
}

func (a Address) String() string { return strings.Join(append(slices.Clone(a.Path), a.Name), ".") }

// find returns an entry. One that takes part in anchors or aliases is none that
// can be edited.
func (a Address) find(root *syntax.Node) (*syntax.Node, error) {
	in := root
	for _, name := range a.Path {
		if in = in.Get(name); in == nil {
			return nil, fmt.Errorf("there is no %q any more", name)
		}
		if in.Mark != "" {
			return nil, fmt.Errorf("%q is an alias, or has an anchor or a tag", name)
		}
	}
	n := in.Get(a.Name)
	if in.Kind == syntax.List {
		for _, item := range in.Items {
			if name := item.Get("name"); name == nil || name.Text != a.Name {
				continue
			}
			if n != nil {
				return nil, fmt.Errorf("two servers have the name %q", a.Name)
			}
			n = item
		}
	}
	if n == nil {
		return nil, fmt.Errorf("there is no server %q any more", a.Name)
	}
	if n.Marked() {
		return nil, errors.New("the entry has an anchor, an alias or a tag")
	}
	return n, nil
}

// addresses lists the servers of a file: those of a project under any of the
// names that it may have there.
func (c Client) addresses(root *syntax.Node, projects ...string) (out []Address) {
	covered := map[*syntax.Node]bool{}
	for _, path := range c.paths(projects) {
		if len(path) == 0 && len(covered) > 0 {
			continue
		}
		in := root.Get(path...)
		if in == nil || covered[in] || !c.Shape.isServers(in) {
			continue
		}
		covered[in] = true
		for _, m := range in.Members {
			if !covered[m.Value] {
				out = append(out, Address{path, m.Name})
			}
		}
		for _, item := range in.Items {
			if name := item.Get("name"); name != nil && name.Kind == syntax.String {
				out = append(out, Address{path, name.Text})
			}
		}
	}
	return out
}

// paths are the places where servers stand, as paths.
func (c Client) paths(projects []string) (out [][]string) {
	for _, place := range c.Servers {
		var path []string
		if place != "" {
			path = strings.Split(place, "/")
		}
		i := slices.Index(path, "{project}")
		if i < 0 {
			out = append(out, path)
			continue
		}
		for _, project := range projects {
			one := slices.Clone(path)
			one[i] = project
			out = append(out, one)
		}
	}
	return out
}

// isServers tells what holds servers from what is one.
func (s Shape) isServers(n *syntax.Node) bool {
	if n.Kind == syntax.List {
		return true
	}
	return n.Kind == syntax.Map && !slices.ContainsFunc(n.Members, func(m syntax.Member) bool {
		isPart := m.Name == "type" || m.Name == s.command() || slices.Contains(s.urls(), m.Name)
		return isPart && m.Value.Kind != syntax.Map
	})
}

// entry is a server of a file, by its parts: a command with its arguments, or a
// URL.
type entry struct {
	holder             *syntax.Node // map that the parts are members of
	command, args, url *syntax.Member
}

var errShape = errors.New("midwire does not know this shape of an entry")

func (s Shape) read(n *syntax.Node) (entry, error) {
	if n.Kind != syntax.Map {
		return entry{}, errShape
	}
	if inner := n.Get("transport"); inner != nil && inner.Kind == syntax.Map {
		n = inner
	}
	e := entry{holder: n, command: n.Member(s.command()), args: n.Member(s.args())}
	if e.command != nil && e.command.Value.Kind == syntax.Map { // as Zed had it
		n = e.command.Value
		e = entry{holder: n, command: n.Member("path"), args: n.Member(s.args())}
	}
	for _, name := range s.urls() {
		m := n.Member(name)
		if m != nil && (e.url != nil || m.Value.Kind != syntax.String) {
			return e, fmt.Errorf("%w: %s", errShape, name)
		} else if m != nil {
			e.url = m
		}
	}
	switch {
	case e.command == nil && e.url == nil:
		return e, errors.New("the entry has neither a command nor a URL")
	case e.command != nil && e.url != nil:
		return e, errors.New("the entry has a command and a URL")
	case e.url != nil:
		return e, nil
	}
	return e, e.checkCommand()
}

func (e entry) checkCommand() error {
	switch c := e.command.Value; {
	case c.Kind == syntax.List && (len(c.Items) == 0 || !texts(c)):
		return fmt.Errorf("%w: the command is no list of texts", errShape)
	case c.Kind == syntax.List:
		return nil
	case c.Kind != syntax.String || c.Text == "":
		return fmt.Errorf("%w: the command is no text", errShape)
	case e.args != nil && (e.args.Value.Kind != syntax.List || !scalars(e.args.Value)):
		return fmt.Errorf("%w: the arguments are no list of texts", errShape)
	case strings.ContainsAny(c.Text, " \t") && !strings.ContainsAny(strings.Fields(c.Text)[0], `/\`):
		return fmt.Errorf("the command %q holds its arguments; write them into %q", c.Text, "args")
	}
	return nil
}

func texts(n *syntax.Node) bool {
	return !slices.ContainsFunc(n.Items, func(i *syntax.Node) bool { return i.Kind != syntax.String })
}

func scalars(n *syntax.Node) bool {
	return !slices.ContainsFunc(n.Items, func(i *syntax.Node) bool {
		return i.Kind == syntax.List || i.Kind == syntax.Map
	})
}

// line is the command line of an entry, or its URL.
func (e entry) line() (out []string) {
	if e.url != nil {
		return []string{e.url.Value.Text}
	}
	parts := []*syntax.Node{e.command.Value}
	if e.command.Value.Kind == syntax.List {
		parts = e.command.Value.Items
	} else if e.args != nil {
		parts = append(parts, e.args.Value.Items...)
	}
	for _, p := range parts {
		out = append(out, p.Text)
	}
	return out
}

func (e entry) transport(n *syntax.Node) string {
	if e.url == nil {
		return "stdio"
	}
	for _, name := range []string{"type", "transport"} {
		if t := n.Get(name); t != nil && t.Kind == syntax.String && strings.EqualFold(t.Text, "sse") {
			return "sse"
		}
	}
	return "http"
}

func signsIn(n *syntax.Node) bool {
	return slices.ContainsFunc(n.Members, func(m syntax.Member) bool {
		switch m.Name {
		case "oauth":
			return !strings.HasSuffix(m.Value.Text, "false")
		case "auth":
			return m.Value.Text == "oauth"
		}
		return m.Name == "oauth_resource" || m.Name == "authProviderType"
	})
}

// itself tells midwire in command lines, whatever its file is called.
type itself struct {
	path string // of this one, "" when that is not known
	mark *Mark  // of the entry, nil when midwire has not put itself there
}

var (
	errItself = errors.New("it starts midwire itself, with no server behind it")
	errRun    = errors.New("midwire stands in front of it as midwire run, which was put there by hand: take it out by hand")
)

// named are file names of midwire as it is released, with a version or a platform.
func named(name string) bool { return names().MatchString(name) }

var names = words.Pattern(`(?i)^midwire([-_.](v?[0-9]|linux|darwin|macos|windows|freebsd|openbsd|netbsd|amd64|arm64|x86|dev)[\w.+-]*)?(\.exe)?$`)

// starts reports whether a command line starts midwire, in whatever way.
func (m itself) starts(line []string) bool {
	word := line[0]
	switch {
	case named(filepath.Base(strings.ReplaceAll(word, `\`, "/"))), m.path != "" && word == m.path:
		return true
	case m.mark != nil && m.mark.Local == "" && len(m.mark.Line) > 0 && m.mark.Line[0] == hash([]byte(word)):
		return true
	}
	path, err := exec.LookPath(word)
	if err != nil || m.path == "" {
		return false
	}
	one, err1 := os.Stat(path)
	other, err2 := os.Stat(m.path)
	return err1 == nil && err2 == nil && os.SameFile(one, other)
}

// words counts the words of a command line that are midwire's, the -- included; 0
// where it has not that form.
func (m itself) words(line []string) int {
	if end := slices.Index(line, "--"); end > 0 && end < len(line)-1 && m.starts(line) {
		return end + 1
	}
	return 0
}

// isInFront reports whether midwire is in front of a server in a command line.
func (m itself) isInFront(line []string) bool { return m.words(line) > 0 || m.runs(line) }

// runs reports whether it is so by midwire run.
func (m itself) runs(line []string) bool {
	i := slices.Index(line, "run")
	return i > 0 && i < len(line)-1 && m.words(line) == 0 && m.starts(line)
}
