package cli

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"midwire/intercept/clients"
	"midwire/session/safe"
	"midwire/session/words"
)

// wrapping is one call of wrap or unwrap: its flags, and the machine.
type wrapping struct {
	*app
	env                     clients.Env
	project, file           string
	dry, all, force, asJSON bool
	undo, gated             bool
}

func (a *app) wrap() *cobra.Command {
	w := &wrapping{app: a}
	c := &cobra.Command{
		Use:   "wrap [CLIENT[/SERVER]…]",
		Short: "Add midwire to client configurations",
		Args:  cobra.ArbitraryArgs, ValidArgsFunction: w.complete,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := w.begin(args); err != nil {
				return err
			}
			if len(args) == 0 {
				return w.list()
			}
			return w.each(args)
		},
	}
	w.flags(c)
	c.Flags().BoolVar(&w.asJSON, "json", false, "print the list as a JSON array")
	c.Flags().BoolVar(&w.gated, "gate", false, "so that midwire gate can hold and change messages of that server")
	return c
}

func (a *app) unwrap() *cobra.Command {
	w := &wrapping{app: a, undo: true}
	c := &cobra.Command{
		Use:   "unwrap {CLIENT[/SERVER]… | --all}",
		Short: "Remove midwire from client configurations",
		Args:  cobra.ArbitraryArgs, ValidArgsFunction: w.complete,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && !w.all {
				return usagef("which servers? midwire unwrap CLIENT/SERVER, or --all. midwire wrap lists them")
			}
			if w.all {
				args = clientIDs()
			}
			if err := w.begin(args); err != nil {
				return err
			}
			return w.each(args)
		},
	}
	w.flags(c)
	c.Flags().BoolVar(&w.all, "all", false, "of every client")
	c.Flags().BoolVar(&w.force, "force", false, "also where somebody changed the arguments meanwhile: they stay as they are now")
	return c
}

func (w *wrapping) flags(c *cobra.Command) {
	c.Flags().BoolVar(&w.dry, "dry-run", false, "show the lines that would change, and write nothing")
	c.Flags().StringVar(&w.project, "project", "", "folder whose own configurations count too (default: the current one)")
	c.Flags().StringVar(&w.file, "file", "", "this file of CLIENT, instead of those that it usually has")
}

// begin checks what was asked for, and looks at the machine.
func (w *wrapping) begin(args []string) error {
	for _, arg := range args {
		id, _, _ := strings.Cut(arg, "/")
		if _, ok := clients.Lookup(id); !ok {
			return usagef("%q is no client that midwire knows. It knows %s", id, strings.Join(clientIDs(), ", "))
		}
	}
	if w.file != "" && len(args) == 0 {
		return usagef("--file belongs to a client: midwire wrap CLIENT --file %s", w.file)
	}
	e, err := w.machine(cmp.Or(w.project, "."))
	if err != nil {
		return err
	}
	if info, err := os.Stat(e.Project); err != nil || !info.IsDir() {
		return usagef("--project: %s is no folder", e.Project)
	}
	if w.file != "" {
		w.file, err = filepath.Abs(w.file)
	}
	if w.env = e; w.gated {
		w.env.Flags = []string{"--gate"}
	}
	return err
}

// machine is what the configurations of clients are looked for on, with those of
// a project.
func (a *app) machine(project string) (clients.Env, error) {
	e := clients.Env{OS: runtime.GOOS, Getenv: a.Getenv, Port: freePort}
	recordings, err := a.folder()
	if err != nil {
		return e, err
	}
	if e.Home, err = a.UserHome(); err != nil {
		return e, err
	}
	if e.Project, err = filepath.Abs(project); err != nil {
		return e, err
	}
	if e.Self, err = self(); err == nil {
		e.Journal, err = filepath.Abs(filepath.Join(filepath.Dir(recordings), "wrapped.json"))
	}
	return e, err
}

// self is the path by which others start midwire: that of the PATH, under its own name
// or the one it was called by, if it is the same program, for it stays through updates.
func self() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	mine, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	for _, name := range []string{"midwire", filepath.Base(os.Args[0])} {
		found, err := exec.LookPath(name)
		if err != nil || !filepath.IsAbs(found) {
			continue
		}
		if other, err := os.Stat(found); err == nil && os.SameFile(mine, other) {
			return found, nil
		}
	}
	return path, nil
}

// freePort is a port from 7300 on that nobody listens on.
func freePort(taken []int) (int, error) {
	var last error
	for port := 7300; port < 7400; port++ {
		if slices.Contains(taken, port) {
			continue
		}
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			return port, l.Close()
		}
		last = err
	}
	if last != nil {
		return 0, fmt.Errorf("no port from 7300 to 7399 can be had: %w", last)
	}
	return 0, errors.New("wrapped entries have all ports from 7300 to 7399: midwire unwrap some")
}

// each does what each argument says, all that can be done.
func (w *wrapping) each(args []string) error {
	if err := w.lasting(); err != nil {
		return err
	}
	var failed error
	for _, arg := range args {
		err := w.target(arg)
		if errors.As(err, new(usageError)) {
			return err
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// lasting checks that midwire will still be where it is.
func (w *wrapping) lasting() error {
	if regexp.MustCompile(`[/\\]go-build\d+[/\\]`).MatchString(w.env.Self) {
		return errors.New("this midwire is in a temporary folder of go run: go build -o midwire . first, " +
			"and put it where it stays")
	}
	return nil
}

// target wraps, or unwraps, what CLIENT/SERVER names.
func (w *wrapping) target(arg string) error {
	id, server, named := strings.Cut(arg, "/")
	c, _ := clients.Lookup(id) // begin has looked
	files, err := w.env.Find(c, w.file)
	if err != nil {
		return err
	}
	var failed error
	var there []string
	done := false
	for _, f := range files {
		if f.Trouble != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", f.Path, f.Trouble))
		}
		var changed []changed
		for _, s := range f.Servers {
			there = append(there, s.At.Name)
			switch {
			case named && s.At.Name != server, w.all && s.ByHand:
				continue
			case !named && s.Wrapped != w.undo && !(w.undo && s.Undone): // of a whole client what there is to do
				continue
			case !named && s.Why != nil:
				fmt.Fprintf(w.Out, "skipped %s/%s: %s\n", id, safe.Clean(s.At.Name), safe.Clean(s.Why.Error()))
				continue
			}
			done = true
			changed, err = w.one(f, s, changed)
			failed = errors.Join(failed, err)
		}
		w.remarks(f, changed)
	}
	if !done && named && failed == nil {
		return w.noServer(c, server, files, there)
	}
	if !done && !named && !w.all {
		fmt.Fprintf(w.Out, "nothing to do for %s (%s)\n", id, words.Count(len(there), "server"))
	}
	return failed
}

func (w *wrapping) noServer(c clients.Client, server string, files []clients.File, there []string) error {
	switch {
	case len(files) == 0:
		return usagef("%s has no configuration file here, neither of the user nor in %s. midwire wrap lists what there is",
			c.Name, w.env.Project)
	case len(there) == 0:
		return usagef("%s has no servers in %s", c.Name, files[0].Path)
	}
	return usagef("%s has no server %q. It has %s", c.Name, server, strings.Join(there, ", "))
}

type changed struct {
	name string // CLIENT/SERVER
	clients.Change
}

// one wraps, or unwraps, one server, says so, and adds it to those changed.
func (w *wrapping) one(f clients.File, s clients.Server, all []changed) ([]changed, error) {
	name, verb := f.Client.ID+"/"+s.At.Name, "wrapped"
	do := w.env.Wrap
	if w.undo {
		verb = "unwrapped"
		do = func(f clients.File, s clients.Server, dry bool) (clients.Change, error) {
			return w.env.Unwrap(f, s, w.force, dry)
		}
	}
	change, err := do(f, s, w.dry)
	if errors.Is(err, clients.ErrWrapped) || errors.Is(err, clients.ErrNotWrapped) {
		hint := ""
		if w.gated {
			hint = ". To give it --gate, midwire unwrap " + name + " first"
		}
		fmt.Fprintf(w.Out, "%s in %s: %s%s\n", safe.Clean(name), safe.Clean(f.Path), err, safe.Clean(hint))
		return all, nil
	}
	if changed, ok := errors.AsType[*clients.ChangedError](err); ok && w.all && s.Undone {
		return all, nil // it is theirs now
	} else if ok {
		return all, fmt.Errorf("%s in %s: %w\nNothing was written. Put the entry in order by hand, or take only midwire out with "+
			"midwire unwrap %s --force", name, f.Path, changed, name)
	}
	if err != nil {
		return all, fmt.Errorf("%s in %s: %w. Nothing was written", name, f.Path, err)
	}
	if w.dry {
		fmt.Fprintf(w.Out, "%s would be %s in %s\n", safe.Clean(name), verb, safe.Clean(f.Path))
		for _, line := range change.Lines() {
			fmt.Fprintln(w.Out, safe.Clean(line))
		}
		return all, nil
	}
	fmt.Fprintf(w.Out, "%s %s in %s\n", verb, safe.Clean(name), safe.Clean(f.Path))
	return append(all, changed{name, change}), nil
}

// remarks says what else there is to know of the changes of a file.
func (w *wrapping) remarks(f clients.File, all []changed) {
	if len(all) == 0 {
		return
	}
	say := func(text string) { fmt.Fprintln(w.Out, "  "+safe.Clean(text)) }
	say(cmp.Or(f.Client.Next, "start "+f.Client.Name+" again"))
	needs, stdio := 0, 0
	for _, c := range all {
		switch {
		case w.undo && c.ByHand:
			say(c.name + ": midwire had been put there by hand: its command and arguments are back, nothing else is known of before")
		case c.Needs != "":
			needs++
			if w.gated {
				c.Needs += " --gate"
			}
			say(c.name + " answers only while this runs: " + c.Needs)
		default:
			stdio++
		}
	}
	if w.undo {
		return
	}
	if needs > 0 {
		say("a sign-in that then fails works again after midwire unwrap; " + f.Client.ExecCommand("HOST") + " records it unwrapped")
	}
	if stdio > 0 && w.Getenv("MIDWIRE_HOME") != "" {
		say("MIDWIRE_HOME is set here: a client that does not have it has midwire record into the usual folder")
	}
	if f.Live() {
		say("warning: running sessions of " + f.Client.Name + " write this file too, and old versions may undo the change: " +
			"look with midwire wrap. " + f.Client.ExecCommand("") + " changes no file")
	}
	if f.Project && needs > 0 {
		say("the file belongs to a project: others who use it must run that too")
	}
	if f.Project && stdio > 0 {
		say("the file belongs to a project: it names midwire without a path, so all who use it need midwire in the PATH")
	}
}
