// Package cli is the command line: one file per command, and one Env for all
// of them. Commands parse flags and wire packages together; what they do lives
// elsewhere.
package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"midwire/intercept/spawn"
	"midwire/replay"
	"midwire/session/defect"
	"midwire/session/export"
	"midwire/session/library"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/session/safe"
	"midwire/session/telemetry"
	"midwire/ui/agent/ask"
	"midwire/ui/cli/collect"
	"midwire/ui/cli/help"
	"midwire/ui/cli/remote"
	"midwire/ui/config"
	screen "midwire/ui/term"
)

// What midwire exits with, but for 0 when all is well. The stdio proxy exits
// as the server does.
const (
	statusFound   exitStatus = 1 // findings, or differences
	statusUsage   exitStatus = 2 // called wrongly
	statusFailure exitStatus = 3 // midwire itself failed
)

// Main runs midwire with arguments, the name of the program not among them,
// and returns what to exit with. The stdio proxy of a server that died of a
// signal does not return: it dies of the same.
func Main(args []string, env Env) (status int) {
	if ask.RunsJQ(env.Getenv, env.In, env.Out) {
		return 0
	}
	a := newApp(env)
	defer defect.Recover("this command", 0, func(d *defect.Defect) {
		a.printError(d)
		status = int(statusFailure)
	})
	root := a.bare()
	if len(spawn.Plain(args)) == 0 { // else no command is meant, and a client waits
		a.commands(root)
	}
	root.SetArgs(append([]string{}, args...)) // never nil: cobra would take those of the process
	err := root.Execute()
	if err == nil {
		return 0
	}
	if status, ok := errors.AsType[exitStatus](err); ok {
		return int(status)
	}
	a.printError(err)
	if errors.As(err, new(usageError)) || errors.As(err, new(remote.UsageError)) {
		return int(statusUsage)
	}
	return int(statusFailure)
}

// Commands are all commands with their flags and texts, for manuals. They are not
// to be run: Main does that.
func Commands() *cobra.Command {
	root := newApp(Env{}).root()
	help.Describe(root)
	return root
}

// exitStatus as an error ends the program and says nothing more.
type exitStatus int

// Error returns the empty string: what there is to say was said.
func (s exitStatus) Error() string { return "" }

// usageError is one that the user fixes by calling midwire otherwise.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, a ...any) error { return usageError{fmt.Errorf(format, a...)} }

func oneOf(flag, value string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	last := len(words) - 1
	return usagef("%s is %s or %s, not %q", flag, strings.Join(words[:last], ", "), words[last], value)
}

// Env is the world that midwire runs in. All of it must be set.
type Env struct {
	// The standard streams. The stdio proxy hands them to the server's side and
	// closes them with it; a screen is drawn where Out is a terminal.
	In, Out, Err *os.File

	Getenv     func(string) string
	UserHome   func() (string, error) // the user's home
	UserConfig func() (string, error) // where the user keeps configurations
	Version    string                 // of midwire
}

// app is one run of midwire: its world, and what the flags say that all
// commands have.
type app struct {
	Env
	label, flow string
	look        config.Flags
	secrets     record.Secrets
	telemetry   *telemetry.Proxy // of the recordings of this run's proxies, nil for none
	defects     *library.Defects
	onTrouble   func(error) // says what goes wrong while something runs: to Err, or to the screen once there is one
}

func newApp(env Env) *app {
	a := &app{Env: env}
	a.defects = &library.Defects{Folder: a.home, Version: env.Version}
	a.onTrouble = a.printError
	return a
}

// home is midwire's own folder, in which recordings has its place.
func (a *app) home() (string, error) {
	dir, err := a.folder()
	return filepath.Dir(dir), err
}

// keepDefect keeps what of an error is a defect of midwire itself.
func (a *app) keepDefect(err error) {
	if d, ok := errors.AsType[*defect.Defect](err); ok {
		_ = a.defects.Keep(d) // the error that is printed says what there is to say
	}
}

// background does what goes on beside a command: a panic there is told, and ends
// nothing else.
func (a *app) background(unit string, do func()) {
	go func() {
		if d := defect.Guard(unit, 0, do); d != nil {
			a.onTrouble(d)
		}
	}()
}

func (a *app) printError(err error) {
	a.keepDefect(err)
	for i, line := range strings.Split(redact.Text(err.Error()), "\n") { // it may name files of others, and URLs
		if i == 0 {
			line = "midwire: " + line
		}
		fmt.Fprintln(a.Err, safe.Whole(line))
	}
}

func (a *app) folder() (string, error) { return record.DefaultDir(a.Getenv, runtime.GOOS, a.UserHome) }

// tell begins what flags ask to be told of the recordings that are made from now on, and
// returns what ends it. The error is one of usage.
func (a *app) tell(flags *collect.Flags) (stop func(), err error) {
	if !flags.Given() {
		return func() {}, nil
	}
	env, err := a.collecting()
	if err == nil {
		a.telemetry, stop, err = flags.Start(env)
	}
	if err != nil {
		return nil, usageError{err}
	}
	return stop, nil
}

func (a *app) collecting() (collect.Env, error) {
	opt, err := a.masking()
	say := func(err error) { a.onTrouble(err) }
	return collect.Env{Getenv: a.Getenv, Version: a.Version, Options: opt, Trouble: say, Line: a.printLine}, err
}

// masking is what the flags say of secrets, as options of a recording. Its
// error is one of usage.
func (a *app) masking() (record.Options, error) {
	opt, err := a.secrets.Options()
	if err != nil {
		return opt, usageError{err}
	}
	return opt, nil
}

// recorder creates the recording of a proxy, named as the flags say.
func (a *app) recorder(h record.Header, opt record.Options) *record.Writer {
	h.Label, h.Flow = cmp.Or(a.label, h.Label), a.flow
	return a.create(h, opt)
}

// recorders makes what creates recordings as the flags say.
func (a *app) recorders() (func(record.Header) *record.Writer, error) {
	opt, err := a.masking()
	return func(h record.Header) *record.Writer { return a.recorder(h, opt) }, err
}

// flowRecorder makes what creates recordings of one flow: that of the flags, or the one
// given.
func (a *app) flowRecorder(flow string) (func(record.Header) *record.Writer, error) {
	a.flow = cmp.Or(a.flow, flow)
	opt, err := a.masking()
	opt.Redact.Keys = append(opt.Redact.Keys, "credentials") // of POST /session/init
	return func(h record.Header) *record.Writer { h.Flow = a.flow; return a.create(h, opt) }, err
}

func (a *app) script(ref string, use func(*replay.Script) error) error {
	return a.read([]string{ref}, func(files []string) error { return load(files[0], use) })
}

// create creates a recording. What cannot be recorded is forwarded all the
// same, and said.
func (a *app) create(h record.Header, opt record.Options) *record.Writer {
	opt.OnTrouble = func(err error) {
		how := "set MIDWIRE_HOME to a folder that can be written"
		if errors.Is(err, syscall.ENOSPC) {
			how = "make room on the disk, or set MIDWIRE_HOME to another folder"
		}
		a.onTrouble(fmt.Errorf("not recording: %w. Traffic is forwarded all the same; %s", err, how))
	}
	opt.OnShared = func(err error) { a.onTrouble(fmt.Errorf("warning: %w", err)) }
	var w *record.Writer
	follow := sync.OnceFunc(func() {
		if a.telemetry != nil {
			a.telemetry.Follow(w.Path())
		}
	})
	opt.OnRecovered = func() {
		follow()
		a.onTrouble(errors.New("recording again; what is missing is noted in the recording"))
	}
	h.Pid, h.Version = os.Getpid(), a.Version
	h.Host, _ = os.Hostname()
	dir, err := a.folder()
	if err == nil {
		if w, err = record.Create(dir, h, opt); err == nil {
			follow()
			return w
		}
		opt.OnTrouble(err)
		return w
	}
	opt.OnTrouble(err)
	return record.Discard()
}

// print writes a value as JSON, or as text for people.
func (a *app) print(asJSON bool, value any, text func() string) (err error) {
	return printTo(a.Out, asJSON, value, text)
}

func printTo(w io.Writer, asJSON bool, value any, text func() string) (err error) {
	said := ""
	if asJSON {
		said, err = export.SafeJSON(value)
	} else {
		said = text()
	}
	if err == nil {
		_, err = io.WriteString(w, said)
	}
	return err
}

// terminal is standard error where that is one, else nil: for what only a person wants to see.
func (a *app) terminal() io.Writer {
	if !isTerminal(a.Err) {
		return nil
	}
	return a.Err
}

// progress says on standard error how far a command is, where that is a terminal.
func (a *app) progress() *screen.Progress {
	return screen.NewProgress(a.terminal(), screen.HasBar(a.Getenv))
}

// isTerminal says whether somebody sees or types what goes through a stream.
// textWidth is how wide texts are written to a file: as its terminal, within reason.
func textWidth(f *os.File) int {
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return export.PipeWidth
	}
	return min(max(width, 40), 120)
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
