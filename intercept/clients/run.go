package clients

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"midwire/intercept/clients/syntax"
)

// Run is one run of a client with midwire in front of its servers, while no
// file of the client changes.
type Run struct {
	Client  Client
	Servers []RunServer
	// Notes say in a line each what else is not seen.
	Notes []string
	// File is what the client must find in a file; nil where it needs none. It
	// may hold secrets.
	File []byte

	command []string
	at      int // where flags go
	given   given
	flag    string // what stands before the name of the file, as the last flag
	set     []string
	nested  bool // opencode's servers stand in mcp.servers
}

// RunServer is a server that the client uses in that run, as it puts its files
// together.
type RunServer struct {
	Name, Transport string
	URL             string // of a remote one that a proxy must see
	InFile          bool   // midwire stands in front of it in the client's file
	Why             error  // why midwire cannot see what it says
}

// Wrapped lists the names of the stdio servers that midwire stands in front of.
func (r *Run) Wrapped() (names []string) {
	for _, s := range r.Servers {
		if s.Transport == "stdio" && s.Why == nil && !s.InFile {
			names = append(names, s.Name)
		}
	}
	return names
}

// Runnable lists the clients whose servers can be wrapped for one run.
func Runnable() (out []Client) {
	for _, c := range All() {
		if c.runner().servers != nil {
			out = append(out, c)
		}
	}
	return out
}

// Run plans a run of a client: the word of the command at a position starts it.
// Front are the words that are to stand before the command of a server.
func (e Env) Run(c Client, command []string, at int, front func(server string) []string) (*Run, error) {
	e.Project = real(e.Project)
	r := &Run{Client: c, command: command, at: at + 1, given: given{command[at+1:]}}
	records, err := journal(e.Journal).read()
	if err != nil {
		return nil, err
	}
	how := c.runner()
	all, refused := how.servers(e, r)
	wrapped := syntax.MapOf()
	for _, m := range all.Members {
		if isDisabled(m.Value) {
			continue
		}
		s, entry := RunServer{Name: m.Name}, (*syntax.Node)(nil)
		if entry, s.Why = s.look(c, m.Value, records, front(m.Name)); entry != nil && refused != nil {
			s.Why = refused
		} else if entry != nil {
			wrapped = wrapped.Put(m.Name, entry)
		}
		r.Servers = append(r.Servers, s)
	}
	if len(wrapped.Members) > 0 {
		how.write(e, r, wrapped)
	}
	return r, nil
}

func isDisabled(n *syntax.Node) bool {
	is := func(name, text string) bool { v := n.Get(name); return v != nil && v.Text == text }
	return is("enabled", "false") || is("disabled", "true")
}

// look reads an entry. It returns that with midwire in front, for a stdio
// server that has not got it.
func (s *RunServer) look(c Client, n *syntax.Node, records []Record, front []string) (*syntax.Node, error) {
	if n.Marked() {
		return nil, errors.New("the entry has an anchor, an alias or a tag")
	}
	e, err := c.Shape.read(n)
	if err != nil {
		return nil, err
	}
	if s.Transport = e.transport(n); e.url == nil {
		me := itself{path: front[0]}
		if s.InFile = me.starts(e.line()) || slices.ContainsFunc(records, func(r Record) bool {
			me.mark = &r.Mark
			return me.starts(e.line())
		}); s.InFile {
			return nil, nil
		}
		return e.wrap(c.Shape, n, front)
	}
	text := e.url.Value.Text
	begins := origin(text)
	s.InFile = slices.ContainsFunc(records, func(r Record) bool { return r.Mark.Local != "" && r.Mark.Local == begins })
	if u, err := url.Parse(begins); err == nil && begins != "" && !strings.ContainsAny(begins, "${}%") {
		u.User, s.URL = nil, u.Scheme+"://"+u.Host
		return nil, nil
	}
	if begins == "" && !strings.ContainsAny(text, "${}%") {
		return nil, errors.New("its URL does not begin with http:// or https://")
	}
	return nil, errors.New("its URL has a variable in the name of the server: name that with --host")
}

// wrap returns an entry with midwire in front. Texts are moved as they are.
func (e entry) wrap(s Shape, n *syntax.Node, front []string) (*syntax.Node, error) {
	if e.holder != n {
		return nil, errShape
	}
	var line []*syntax.Node
	for _, word := range front {
		line = append(line, syntax.Text(word))
	}
	if e.command.Value.Kind == syntax.List {
		line = append(line, e.command.Value.Items...)
		return n.Put(e.command.Name, &syntax.Node{Kind: syntax.List, Items: line}), nil
	}
	line = append(line, e.command.Value)
	if e.args != nil {
		line = append(line, e.args.Value.Items...)
	}
	args := &syntax.Node{Kind: syntax.List, Items: line[1:]}
	return n.Put(e.command.Name, line[0]).Put(s.args(), args), nil
}

// Launch says how the client is to be started: its command, and variables as
// NAME=value. File is where it finds what File holds.
func (r *Run) Launch(file string) (command, env []string) {
	command, env = slices.Clone(r.command), r.set
	if r.File == nil {
		return command, env
	}
	return slices.Insert(command, r.at, r.flag+file), env
}

// given are the arguments of a client that its user has given.
type given struct{ args []string }

func (g given) has(flags ...string) bool {
	for _, arg := range g.args {
		if name, _, _ := strings.Cut(arg, "="); arg == "--" {
			return false
		} else if slices.Contains(flags, name) {
			return true
		}
	}
	return false
}

// values are those that a flag has; of one that takes several, all up to the
// next flag.
func (g given) values(several bool, flags ...string) (out []string) {
	for i := 0; i < len(g.args) && g.args[i] != "--"; i++ {
		name, value, joined := strings.Cut(g.args[i], "=")
		if !slices.Contains(flags, name) {
			continue
		}
		if joined {
			out = append(out, value)
			continue
		}
		for i+1 < len(g.args) && !strings.HasPrefix(g.args[i+1], "-") {
			i++
			if out = append(out, g.args[i]); !several {
				break
			}
		}
	}
	return out
}

// end is the number of arguments before a --.
func (g given) end() int {
	if i := slices.Index(g.args, "--"); i >= 0 {
		return i
	}
	return len(g.args)
}
