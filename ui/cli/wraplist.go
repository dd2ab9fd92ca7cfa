package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

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
	out := tabwriter.NewWriter(w.Out, 0, 0, 2, ' ', 0)
	file := ""
	for _, r := range rows {
		if r.Client+r.File != file {
			file = r.Client + r.File
			out.Flush()
			fmt.Fprintln(w.Out, safe.Clean(r.File))
		}
		fmt.Fprintf(out, "  %s\t%s\t%s\n", safe.Clean(strings.TrimSuffix(r.Client+"/"+r.Server, "/")),
			cmp.Or(r.Transport, "-"), safe.Clean(r.state()))
	}
	out.Flush()
	fmt.Fprintln(w.Out, "\nmidwire wrap CLIENT/SERVER puts midwire in front, midwire unwrap CLIENT/SERVER takes it out.")
	return nil
}

func listed(f clients.File) (rows []wrappedServer) {
	of := wrappedServer{Client: f.Client.ID, File: f.Path, Project: f.Project}
	if f.Trouble != nil {
		of.Why = f.Trouble.Error()
		return append(rows, of)
	}
	for _, s := range f.Servers {
		r := of
		r.Server, r.At, r.Transport, r.Needs = s.At.Name, s.At.String(), s.Transport, s.Needs
		if r.Wrapped, r.ByHand = s.Wrapped, s.ByHand; s.Why != nil {
			r.Why = s.Why.Error()
		}
		rows = append(rows, r)
	}
	return rows
}

// state says in words how a server stands.
func (r wrappedServer) state() string {
	state := "not wrapped"
	switch {
	case r.Server == "":
		return "cannot be read: " + r.Why
	case r.ByHand:
		state = "wrapped by hand"
	case r.Wrapped:
		state = "wrapped"
	}
	if r.Needs != "" {
		state += "; needs " + r.Needs
	}
	if r.Why != "" {
		state += "; cannot be changed: " + r.Why
	}
	return state
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
