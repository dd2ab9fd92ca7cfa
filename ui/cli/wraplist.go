package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"midwire/intercept/clients"
	"midwire/session/safe"
)

// wrappedServer is a server in the list, as JSON.
type wrappedServer struct {
	Client    string `json:"client"`
	File      string `json:"file"`
	Project   bool   `json:"project"`
	Server    string `json:"server,omitempty"`
	At        string `json:"at,omitempty"`
	Transport string `json:"transport,omitempty"`
	Wrapped   bool   `json:"wrapped"`
	ByHand    bool   `json:"by_hand,omitempty"`
	Undone    bool   `json:"undone,omitempty"`
	Why       string `json:"why,omitempty"`
	Needs     string `json:"needs,omitempty"`
}

// list prints every client, its files and its servers.
func (w *wrapping) list() error {
	rows := []wrappedServer{}
	for _, c := range clients.All() {
		files, err := w.env.Find(c, "")
		if err != nil {
			return err
		}
		for _, f := range files {
			rows = append(rows, listed(f)...)
		}
	}
	if w.asJSON {
		e := json.NewEncoder(w.Out)
		e.SetIndent("", "  ")
		return e.Encode(rows)
	}
	if len(rows) == 0 {
		fmt.Fprintf(w.Out, "no configuration of an MCP client found, neither of the user nor in %s\n", safe.Clean(w.env.Project))
		return nil
	}
	for first := true; len(rows) > 0; first = false {
		r := rows[0]
		n := slices.IndexFunc(rows, func(o wrappedServer) bool { return o.Client+o.File != r.Client+r.File })
		if n < 0 {
			n = len(rows)
		}
		if !first {
			fmt.Fprintln(w.Out)
		}
		w.printFile(rows[:n])
		rows = rows[n:]
	}
	fmt.Fprintln(w.Out, "\nmidwire wrap CLIENT/SERVER puts midwire in front, midwire unwrap takes it out.")
	return nil
}

// listWidth is that of a narrow terminal.
const listWidth = 80

// printFile prints the servers of a file: a line each, and what there is to say of
// them below.
func (w *wrapping) printFile(rows []wrappedServer) {
	c, _ := clients.Lookup(rows[0].Client)
	path := rows[0].File
	if rel, err := filepath.Rel(w.env.Home, path); err == nil && filepath.IsLocal(rel) && runtime.GOOS != "windows" {
		path = "~/" + rel
	}
	fmt.Fprintf(w.Out, "%s  %s\n", c.Name, safe.Clean(path))
	long := 0
	for _, r := range rows {
		if n := ansi.StringWidthWc(safe.Clean(r.name())); n <= listWidth/2 {
			long = max(long, n)
		}
	}
	for _, r := range rows {
		state, below := r.state()
		if r.Server != "" {
			name := safe.Clean(r.name())
			name += strings.Repeat(" ", max(0, long-ansi.StringWidthWc(name)))
			fmt.Fprintf(w.Out, "  %s  %-5s  %s\n", name, cmp.Or(r.Transport, "-"), state)
		} else {
			fmt.Fprintln(w.Out, "  "+state)
		}
		if r.Needs != "" {
			fmt.Fprintln(w.Out, "    "+safe.Clean(r.Needs))
		}
		if below != "" {
			for line := range strings.SplitSeq(ansi.WordwrapWc(safe.Clean(below), listWidth-4, ""), "\n") {
				fmt.Fprintln(w.Out, "    "+line)
			}
		}
	}
}

func listed(f clients.File) (rows []wrappedServer) {
	of := wrappedServer{Client: f.Client.ID, File: f.Path, Project: f.Project}
	if f.Trouble != nil {
		of.Why = f.Trouble.Error()
		return append(rows, of)
	}
	if len(f.Servers) == 0 && !f.Project {
		return append(rows, of)
	}
	for _, s := range f.Servers {
		r := of
		r.Server, r.At, r.Transport, r.Needs = s.At.Name, s.At.String(), s.Transport, s.Needs
		if r.Wrapped, r.ByHand, r.Undone = s.Wrapped, s.ByHand, s.Undone; s.Why != nil {
			r.Why = s.Why.Error()
		}
		rows = append(rows, r)
	}
	return rows
}

func (r wrappedServer) name() string { return r.Client + "/" + r.Server }

// state says in words how a server stands, and why.
func (r wrappedServer) state() (state, why string) {
	switch {
	case r.Server == "" && r.Why != "":
		return "cannot be read:", r.Why
	case r.Server == "":
		return "no servers", ""
	case r.ByHand:
		state = "wrapped by hand"
	case r.Wrapped:
		state = "wrapped"
	case r.Why != "":
		return "cannot be wrapped:", r.Why
	case r.Undone:
		return "not wrapped any more: the client, or somebody, undid it", ""
	default:
		return "not wrapped", ""
	}
	if r.Needs != "" {
		state += ", needs"
	}
	if r.Why != "" {
		state += ", cannot be unwrapped"
	}
	return state + map[bool]string{true: ":"}[r.Needs != "" || r.Why != ""], r.Why
}

func clientIDs() (ids []string) {
	for _, c := range clients.All() {
		ids = append(ids, c.ID)
	}
	return ids
}

// complete lets a shell complete CLIENT/SERVER of what there is.
func (w *wrapping) complete(*cobra.Command, []string, string) (out []string, _ cobra.ShellCompDirective) {
	if w.begin(nil) == nil {
		for _, c := range clients.All() {
			files, _ := w.env.Find(c, w.file)
			for _, f := range files {
				for _, s := range f.Servers {
					if name := c.ID + "/" + s.At.Name; safe.Whole(name) == name {
						out = append(out, name)
					}
				}
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
