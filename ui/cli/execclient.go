package cli

import (
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"midwire/intercept/clients"
	"midwire/intercept/forward"
	"midwire/intercept/launch"
	"midwire/session/record"
	"midwire/session/words"
)

// recognised stands for the client that the command is.
const recognised = "auto"

func wrapFlag(c *cobra.Command, client *string) {
	c.Flags().StringVar(client, "wrap", "", "stand in front of every server of COMMAND's own configuration; "+
		"=CLIENT where COMMAND does not say which client it starts")
	c.Flags().Lookup("wrap").NoOptDefVal = recognised
}

// planFile writes the file that a plan needs, "" for none. Remove deletes it.
func (a *app) planFile(plan *clients.Run) (path string, remove func(), err error) {
	if plan.File == nil {
		return "", func() {}, nil
	}
	dir, err := a.home()
	if err != nil {
		return "", nil, err
	}
	return launch.Private(filepath.Join(dir, "run"), plan.File)
}

// open adds the remote servers of a run to the hosts that are decrypted.
func (f *forwarding) open(plan *clients.Run) {
	named := slices.Clone(f.hosts)
	for i := range plan.Servers {
		s := &plan.Servers[i]
		u, err := url.Parse(s.URL)
		if s.URL == "" || s.InFile || err != nil {
			continue
		}
		name := u.Hostname()
		switch {
		case slices.ContainsFunc(named, func(host string) bool {
			host = strings.TrimPrefix(host, u.Scheme+"://")
			return host == name || strings.HasPrefix(host, name+":") || strings.HasPrefix(host, name+"/")
		}):
		case f.onlyNamed:
			s.Why = fmt.Errorf("with --only-named, --host %s has it decrypted", name)
		case forward.ServesModels(name):
			s.Why = fmt.Errorf("%s serves models too: --host %s has it decrypted", name, name)
		case !slices.Contains(f.hosts, s.URL):
			f.hosts = append(f.hosts, s.URL)
		}
	}
}

func (a *app) planRun(client string, command []string, f forwarding) (*clients.Run, error) {
	told, err := f.tells.Args()
	if err != nil {
		return nil, usageError{err}
	}
	var known []string
	for _, c := range clients.Runnable() {
		known = append(known, c.ID)
	}
	c, at, ok := clients.Started(command)
	ok = ok && slices.Contains(known, c.ID)
	if client != recognised {
		if ok = slices.Contains(known, client); !ok {
			return nil, usagef("--wrap=%s: for one run midwire knows %s", client, strings.Join(known, ", "))
		}
		if named, _ := clients.Lookup(client); named.ID != c.ID {
			c, at = named, 0
		}
	}
	if !ok {
		return nil, usagef("--wrap does not know the client that %q starts. Say which it is, --wrap=CLIENT, one of %s; "+
			"for others midwire wrap changes the client's file", command[0], strings.Join(known, ", "))
	}
	w := &wrapping{app: a}
	if err := w.begin(nil); err != nil {
		return nil, err
	}
	if err := w.lasting(); err != nil {
		return nil, err
	}
	front := func(server string) []string { return a.front(w.env.Self, server, f.broken.controlled, told) }
	return w.env.Run(c, command, at, front)
}

// front is what stands before the command of a server: midwire, with what this
// one was told of recordings.
func (a *app) front(self, server string, gated bool, told []string) []string {
	front := []string{self, "--label=" + server}
	if gated {
		front = append(front, "--gate")
	}
	front = append(front, told...)
	if a.secrets.Keep {
		front = append(front, "--keep-secrets")
	}
	for _, one := range []struct {
		flag   string
		values []string
	}{{"--redact-key=", a.secrets.Keys}, {"--redact-path=", a.secrets.Paths}, {"--redact-value=", a.secrets.Values}} {
		for _, v := range one.values {
			front = append(front, one.flag+v)
		}
	}
	return append(front, "--")
}

// wrappedLines says in front of what midwire stands, and what it cannot see.
func wrappedLines(plan *clients.Run) (lines []string) {
	var seen, left []string
	for _, s := range plan.Servers {
		switch {
		case s.Why != nil:
			left = append(left, fmt.Sprintf("not seen: %s: %s", s.Name, s.Why))
		case s.InFile:
			seen = append(seen, s.Name+" (by its entry in the file)")
		case s.URL != "":
			seen = append(seen, s.Name+" ("+s.URL+")")
		default:
			seen = append(seen, s.Name)
		}
	}
	for _, note := range plan.Notes {
		left = append(left, "not seen: "+note)
	}
	if len(seen) == 0 {
		return append([]string{plan.Client.Name + " has no server here that midwire can stand in front of"}, left...)
	}
	return append([]string{"in front of " + strings.Join(seen, ", ")}, left...)
}

// recorded names the recordings that the servers of a run have made.
func (a *app) recorded(plan *clients.Run, since time.Time) (lines []string) {
	names := plan.Wrapped()
	dir, err := a.folder()
	if err != nil || len(names) == 0 {
		return nil
	}
	ids, _ := record.Names(dir) // named by when they began, the latest first
	of := map[string][]string{}
	for _, id := range slices.Backward(ids) {
		if id < since.UTC().Format("20060102-150405") || record.HostOf(id) != "" {
			continue
		}
		if h := record.Look(dir, id).Header; h.Tap == "stdio" && !h.Started.Before(since) {
			of[h.Label] = append(of[h.Label], id)
		}
	}
	for _, name := range names {
		if ids := of[name]; ids != nil {
			lines = append(lines, "recorded "+name+": "+strings.Join(ids, ", "))
		} else {
			lines = append(lines, name+" was not started")
		}
	}
	return lines
}

// configured are the servers that the client of a command has in its own
// configuration, and sentences about those that are left out. What is odd in a
// file is said, and nothing fails.
type configured struct {
	hosts  []string // as --host takes them
	models []string // hosts of models, which are not learnt
	where  string   // of what configuration, "" when the client is not known
	odd    []string
}

// configured looks at the files of the client that a command starts, and at its
// arguments. With the hosts named alone there is nothing to look for.
func (a *app) configured(f forwarding, command []string) (c configured) {
	if f.onlyNamed {
		return c
	}
	c.models = forward.ModelHosts(os.Environ())
	var urls []*url.URL
	if given := clients.Bridged(command); given != "" {
		if u, err := url.Parse(given); err == nil {
			urls, c.where = append(urls, u), "its arguments"
		}
	}
	if client, _, ok := clients.Started(command); ok {
		e := clients.Env{OS: runtime.GOOS, Getenv: a.Getenv}
		e.Home, _ = a.UserHome()
		e.Project, _ = filepath.Abs(".")
		found, odd := e.Remotes(client, arguments(command, "--mcp-config")...)
		urls, c.where = append(urls, found...), "the configuration of "+client.Name
		c.models = append(c.models, e.Models(client)...)
		for _, text := range odd {
			c.odd = append(c.odd, "left out: "+text)
		}
	}
	for _, u := range urls {
		c.add(u)
	}
	return c
}

// add takes a server in, or says why not.
func (c *configured) add(u *url.URL) {
	name, origin := words.Fold(u.Hostname()), u.Scheme+"://"+u.Host
	ip, err := netip.ParseAddr(name)
	switch {
	case slices.Contains(c.hosts, origin):
	case forward.ServesModels(name) || slices.Contains(c.models, name):
		c.odd = append(c.odd, fmt.Sprintf("%s serves models too: it is not decrypted without --host %s", name, name))
	case name == "localhost" || err == nil && ip.IsLoopback():
		c.odd = append(c.odd, fmt.Sprintf("%s is on this machine: --localhost has it recorded", origin))
	default:
		c.hosts = append(c.hosts, origin)
	}
}

// arguments are the values of a flag in a command line: FLAG A B and FLAG=A.
func arguments(line []string, flag string) (all []string) {
	taking := false
	for _, word := range line {
		value, ok := strings.CutPrefix(word, flag+"=")
		switch {
		case ok:
			all = append(all, value)
		case word == flag:
			taking = true
		case strings.HasPrefix(word, "-"):
			taking = false
		case taking:
			all = append(all, word)
		}
	}
	return all
}

// told says which hosts of the configuration are opened, and which are not.
func (c *configured) told() []string {
	if len(c.hosts) == 0 {
		return c.odd
	}
	return append([]string{"decrypted, from " + c.where + ": " + strings.Join(c.hosts, ", ")}, c.odd...)
}
