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

	"midwire/intercept/clients"
	"midwire/intercept/forward"
	"midwire/session/words"
)

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
