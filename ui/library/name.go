package library

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/notes"
	"midwire/session/words"
)

// launchers run a server that is somebody else's: their name says nothing.
var launchers = []string{
	"bash", "bun", "bunx", "cmd", "conda", "deno", "docker", "dotnet", "env", "go", "java", "node", "npm", "npx",
	"perl", "php", "pipx", "pnpm", "podman", "poetry", "powershell", "pwsh", "py", "pypy", "python", "ruby", "rye",
	"sh", "ssh", "sudo", "tsx", "ts-node", "uv", "uvx", "wsl", "yarn", "zsh",
}

// launches says whether a label is the name of a launcher, also with a version,
// as in python3.12, or the ending of a program.
func launches(label string) bool {
	name := words.Fold(strings.TrimSuffix(label, ".exe"))
	return slices.Contains(launchers, name) || slices.Contains(launchers, strings.TrimRight(name, "0123456789."))
}

// ownName is the name of a recording: the label that the user gave it, else what the
// server calls itself, else the program or script that is run, or where it listens.
func (r *Recording) ownName() string {
	command, _, _ := strings.Cut(r.Where, " ")
	usual := r.Label == base(command) || strings.Contains(r.Where, "://"+r.Label)
	if r.Label != "" && !usual {
		return r.Label
	}
	for _, s := range r.Tracker.Sessions() {
		if s.Server.Name != "" {
			return s.Server.Name
		}
	}
	if r.Summary != nil {
		for _, s := range r.Summary.Sessions {
			if s.Server.Name != "" {
				return s.Server.Name
			}
		}
	}
	switch {
	case r.Label == "":
		return r.ID
	case launches(r.Label):
		return cmp.Or(script(r.Where), r.Label)
	}
	return r.Label
}

// script is what a launcher is told to run: the first of its arguments that
// looks like a file or a package, without folder and version; "" for none.
func script(command string) string {
	words := strings.Fields(command)
	if len(words) == 0 {
		return ""
	}
	for i, w := range words[1:] {
		switch {
		case strings.HasPrefix(w, "-") || launches(w) || strings.Contains(w, "=") || words[i] == "-c" || words[i] == "-e":
			continue
		case slices.Contains([]string{"run", "exec", "x", "dlx", "tool"}, w):
			continue
		}
		w = base(w)
		if at := strings.LastIndexByte(w, '@'); at > 0 {
			w = w[:at]
		}
		return w
	}
	return ""
}

// base is the end of a path of any system.
func base(name string) string { return path.Base(strings.ReplaceAll(name, `\`, "/")) }

// Noted are the notes of a recording as the screen has them.
type Noted struct {
	Notes   *notes.Notes
	Changes notes.Changes // since they were kept
	Sent    notes.Changes // that are being kept; nil for none
	Unkept  bool          // they live for the process
	Stamp   int           // changes when they do
}

// Pending returns the changes that are not known to be kept.
func (n *Noted) Pending() notes.Changes {
	all := maps.Clone(n.Sent)
	if all == nil {
		all = notes.Changes{}
	}
	maps.Copy(all, n.Changes)
	return all
}

// Comment is what the user wrote about a row, "" for nothing.
func (r *Recording) Comment(i int) string {
	if i < 0 {
		return ""
	}
	return r.Notes.Text(notes.RowKey(notes.Comment, r.Tracker.Row(i)))
}

// CalledSession is what the user calls a session, "" for nothing.
func (r *Recording) CalledSession(s *session.Session) string {
	if k, ok := r.NameAt(s); ok {
		return r.Notes.Text(k)
	}
	return ""
}
