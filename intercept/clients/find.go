package clients

import (
	"fmt"
	"path/filepath"

	"midwire/intercept/clients/syntax"
)

// File is a configuration file of a client that is there.
type File struct {
	Client  Client
	Path    string
	Project bool  // it lies in a project, where others may have it too
	Trouble error // why it cannot be read
	Servers []Server
}

// Server is an entry of a file.
type Server struct {
	At        Address
	Transport string // stdio, http or sse; "" where the entry is not understood
	// Wrapped is set where midwire is in front, ByHand where midwire wrap was not
	// what put it there.
	Wrapped, ByHand bool
	// Program is the midwire that a wrapped stdio server names.
	Program string
	// Undone is set where it is not any more, though midwire wrap had put it there.
	Undone bool
	Why    error  // why midwire cannot be put in front, or taken out
	Needs  string // command that must run meanwhile, for a wrapped remote server
	// Listens is the address, as host:port, that this command listens on.
	Listens string
}

// Live reports whether the client writes the file all the time.
func (f File) Live() bool { return f.Client.Live != "" && filepath.Base(f.Path) == f.Client.Live }

// Find lists the files of a client that are there, and those elsewhere in which
// midwire stands in front of a server. An only path is read in their place.
func (e Env) Find(c Client, only string) ([]File, error) {
	records, err := journal(e.Journal).read()
	if err != nil {
		return nil, err
	}
	places := e.places(c)
	if only != "" {
		places = []place{{only, inRepository(only)}}
	} else {
		seen := map[string]bool{}
		for _, p := range places {
			seen[p.path] = true
		}
		for _, r := range records {
			if r.Client == c.ID && !seen[r.File] && len(glob(r.File)) > 0 {
				seen[r.File] = true
				places = append(places, place{r.File, r.Project})
			}
		}
	}
	var out []File
	for _, p := range places {
		f := File{Client: c, Path: p.path, Project: p.project}
		f.read(e, records)
		out = append(out, f)
	}
	return out, nil
}

// names are those under which a client may keep what is of the project.
func (e Env) names() []string {
	return []string{e.Project, e.repository(), real(e.Project), real(e.repository())}
}

func (f *File) read(e Env, records []Record) {
	in, err := parse(f.Path)
	if err != nil {
		f.Trouble = err
		return
	}
	_, _, refused := writable(f.Path)
	for _, at := range f.Client.addresses(in.Root, e.names()...) {
		s := Server{At: at}
		var mark *Mark
		for _, r := range records {
			if r.is(f.Path, at) {
				mark = &r.Mark
			}
		}
		s.read(f, in, itself{e.Self, mark})
		if s.Why == nil {
			s.Why = refused
		}
		f.Servers = append(f.Servers, s)
	}
	f.elsewhere(e, in, records)
}

// elsewhere adds the wrapped servers that stand where they are not looked for
// now: those of another project in the same file.
func (f *File) elsewhere(e Env, in *syntax.File, records []Record) {
	for _, r := range records {
		known := r.Client != f.Client.ID || r.File != f.Path
		for _, s := range f.Servers {
			known = known || r.is(f.Path, s.At)
		}
		if _, err := r.At.find(in.Root); known || err != nil {
			continue
		}
		s := Server{At: r.At}
		s.read(f, in, itself{e.Self, &r.Mark})
		f.Servers = append(f.Servers, s)
	}
}

func (s *Server) read(f *File, in *syntax.File, me itself) {
	mark := me.mark
	node, err := s.At.find(in.Root)
	if err != nil {
		s.Why = err
		return
	}
	entry, err := f.Client.Shape.read(node)
	if err != nil {
		s.Why = err
		return
	}
	s.Transport = entry.transport(node)
	if entry.url == nil {
		switch line := entry.line(); {
		case me.isInFront(line):
			s.Wrapped, s.Program = true, line[0]
		case me.starts(line):
			s.Why = errItself
		}
		s.ByHand, s.Undone = s.Wrapped && mark == nil, !s.Wrapped && mark != nil
		return
	}
	d := edit{file: in, shape: f.Client.Shape, at: s.At, node: node, entry: entry}
	if mark != nil {
		if s.Needs, err = d.needs(mark); err == nil {
			s.Wrapped, s.Listens = true, mark.Local[len("http://"):]
			return
		}
		s.Undone = true
	}
	_, err = d.remote()
	s.Why = f.Client.suggestExec(err)
}

// needs is the command that must run for a wrapped remote entry.
func (d *edit) needs(mark *Mark) (string, error) {
	text := d.entry.url.Value.Text
	if len(text) < len(mark.Local) || text[:len(mark.Local)] != mark.Local {
		return "", ErrNotWrapped
	}
	was := *d.entry.url.Value
	was.Text = mark.Origin + text[len(mark.Local):]
	before := edit{node: d.node, entry: entry{url: &syntax.Member{Value: &was}}}
	u, err := before.remote()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("midwire http %s --listen %s", u, mark.Local[len("http://"):]), nil
}
