package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/term"

	"midwire/intercept/clients"
	"midwire/replay"
	"midwire/session/defect"
	"midwire/session/library"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/session/safe"
	"midwire/ui/cli/agents"
	"midwire/ui/cli/gating"
	"midwire/ui/cli/hubs"
	"midwire/ui/config"
)

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
	gates       *gating.Env
	agents      *agents.Env
	secrets     record.Secrets
	defects     *library.Defects
	onTrouble   func(error) // says what goes wrong while something runs: to Err, or to the screen once there is one
}

func newApp(env Env) *app {
	a := &app{Env: env}
	a.defects = &library.Defects{Folder: a.home, Version: env.Version}
	a.onTrouble = a.printError
	a.gates = &gating.Env{
		In: env.In, Out: env.Out, Err: env.Err, Folder: a.folder, Found: statusFound,
		Usage:    func(err error) error { return usageError{err} },
		Recorder: a.recorders, Script: a.script,
	}
	a.agents = &agents.Env{
		In: env.In, Out: env.Out, Err: env.Err, Version: env.Version, Folder: a.folder, Masking: a.masking,
		Keep: func() bool { return a.secrets.Keep }, Usage: func(err error) error { return usageError{err} },
		Replay: a.replayed, Complete: a.completeRecordings, Trouble: func(err error) { a.onTrouble(err) },
	}
	if env.Getenv != nil {
		a.gates.Home = env.Getenv("MIDWIRE_HOME")
	}
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

// printError says on Err what went wrong.
func (a *app) printError(err error) {
	a.keepDefect(err)
	for i, line := range strings.Split(redact.Text(err.Error()), "\n") { // it may name files of others, and URLs
		if i == 0 {
			line = "midwire: " + line
		}
		fmt.Fprintln(a.Err, safe.Whole(line))
	}
}

// folder is where recordings live.
func (a *app) folder() (string, error) { return record.DefaultDir(a.Getenv, runtime.GOOS, a.UserHome) }

// masking is what the flags say of secrets, as options of a recording. Its
// error is one of usage.
func (a *app) masking() (record.Options, error) {
	opt, err := a.secrets.Options()
	if err != nil {
		return opt, usageError{err}
	}
	opt.WebhookSecrets = strings.Fields(a.Getenv("MIDWIRE_WEBHOOK_SECRET"))
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

// hubs is what the hub's commands need.
func (a *app) hubs() *hubs.Env {
	return &hubs.Env{
		Out: a.Out, Err: a.Err, Getenv: a.Getenv, Version: a.Version, Folder: a.folder, OnTrouble: a.onTrouble,
		Usage:   func(err error) error { return usageError{err} },
		Clients: func() (clients.Env, error) { return a.machine(".") },
		Recorder: func(flow string) (func(record.Header) *record.Writer, error) {
			a.flow = cmp.Or(a.flow, flow)
			opt, err := a.masking()
			opt.Redact.Keys = append(opt.Redact.Keys, "credentials") // of POST /session/init
			return func(h record.Header) *record.Writer { h.Flow = a.flow; return a.create(h, opt) }, err
		},
	}
}

func (a *app) script(ref string, use func(*replay.Script) error) error {
	return a.resolve([]string{ref}, func(files []string) error { return load(files[0], use) })
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
	opt.OnRecovered = func() { a.onTrouble(errors.New("recording again; what is missing is noted in the recording")) }
	h.Pid, h.Version = os.Getpid(), a.Version
	h.Host, _ = os.Hostname()
	dir, err := a.folder()
	if err == nil {
		var w *record.Writer
		if w, err = record.Create(dir, h, opt); err == nil {
			return w
		}
	}
	opt.OnTrouble(err)
	return record.Discard()
}

// terminal is standard error where that is one, else nil: for what only a person wants to see.
func (a *app) terminal() io.Writer {
	if !isTerminal(a.Err) {
		return nil
	}
	return a.Err
}

// isTerminal says whether somebody sees or types what goes through a stream.
func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
