package cli

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"midwire/intercept/clients"
	"midwire/intercept/forward"
	"midwire/intercept/launch"
	"midwire/session/record"
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

func (a *app) planRun(client string, command []string, gated bool) (*clients.Run, error) {
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
	return w.env.Run(c, command, at, func(server string) []string { return a.front(w.env.Self, server, gated) })
}

// front is what stands before the command of a server: midwire, with what this
// one was told of recordings.
func (a *app) front(self, server string, gated bool) []string {
	front := []string{self, "--label=" + server}
	if gated {
		front = append(front, "--gate")
	}
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
	entries, _ := os.ReadDir(dir) // named by when they began, in order
	of := map[string][]string{}
	for _, e := range entries {
		if e.Name() < since.UTC().Format("20060102-150405") {
			continue
		}
		if r, err := record.Open(filepath.Join(dir, e.Name())); err == nil {
			if h := r.Header(); h.Tap == "stdio" && !h.Started.Before(since) {
				of[h.Label] = append(of[h.Label], h.ID)
			}
			r.Close()
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
