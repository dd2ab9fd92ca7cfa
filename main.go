// Command midwire sits between an MCP client and an MCP server, shows what
// they say, grouped by session, and records it. See README.md.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"midwire/fixtures/classics"
	"midwire/fixtures/demo"
	"midwire/intercept"
	replaying "midwire/replay/command"
	"midwire/replay/screen"
	"midwire/session/catalog"
	"midwire/session/catalog/notebook"
	"midwire/session/command"
	"midwire/session/filters"
	"midwire/session/record"
	"midwire/ui"
	"midwire/ui/config"
)

// usageError is one that the user mends by calling midwire otherwise.
type usageError struct{ error }

func usagef(format string, a ...any) error { return usageError{fmt.Errorf(format, a...)} }

// main exits with 0, with 1 when it found something, with 2 when midwire was
// called wrongly, with 3 when it failed itself; as a stdio tap, with the server's code.
func main() {
	err := rootCommand().Execute()
	if err == nil {
		return
	}
	if exit, ok := errors.AsType[command.Exit](err); ok {
		os.Exit(int(exit))
	}
	fmt.Fprintf(os.Stderr, "midwire: %v\n", err)
	if errors.As(err, new(usageError)) {
		os.Exit(2)
	}
	os.Exit(3)
}

var version = command.Version()

// app holds the flags.
type app struct {
	label, flow         string
	look                config.Flags
	plain, quiet, piped bool // piped: standard input is a recording
	secrets             record.Secrets
	tap                 intercept.HTTPOptions
	tell                func(error) // says what goes wrong while a tap runs
}

func rootCommand() *cobra.Command {
	a := &app{tell: func(err error) { fmt.Fprintf(os.Stderr, "midwire: %v\n", err) }, look: config.Flags{Getenv: os.Getenv, Folder: os.UserConfigDir}}
	root := &cobra.Command{
		Use:   "midwire [flags] [-- COMMAND [ARG…]]",
		Short: "See what MCP clients and servers say to each other",
		Long: `midwire sits between an MCP client and an MCP server, over stdio or HTTP, and
changes nothing. It shows the traffic live, grouped by session, and records it.

  midwire                        the screen over every recording, live and past
  midwire -- COMMAND [ARG…]      what an MCP client runs in place of COMMAND
  midwire http URL               stands in for an HTTP server
  midwire demo                   see it at work`,
		Version:       version,
		SilenceErrors: true, SilenceUsage: true,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.ArgsLenAtDash() == 0 && len(args) > 0 {
				return a.stdio(args)
			}
			if len(args) > 0 || cmd.ArgsLenAtDash() >= 0 {
				return usagef("unknown command %q. To put midwire in front of a server: midwire -- COMMAND. midwire --help lists the commands", strings.Join(args, " "))
			}
			if !a.hasScreen() {
				return usagef("no terminal to draw on. midwire ls and midwire show print to a pipe, midwire http --no-ui prints as it goes")
			}
			return a.watch(cmd.Context(), watching{}, untilEnd)
		},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	f := root.PersistentFlags()
	f.StringVar(&a.label, "label", "", "name of the recording, instead of the command's or the server's")
	f.StringVar(&a.flow, "flow", "", "name that this recording shares with others of the same traffic, as on both sides of a gateway")
	a.look.Add(f)
	f.BoolVar(&a.secrets.Keep, "keep-secrets", false, "record and export credentials as they are")
	f.StringSliceVar(&a.secrets.Keys, "redact-key", nil, "also mask the values of JSON members of this name (repeatable)")
	f.StringSliceVar(&a.secrets.Paths, "redact-path", nil, "also mask the value at this path, like params.arguments.pin (repeatable)")
	f.StringArrayVar(&a.secrets.Values, "redact-value", nil, "also mask what matches this regular expression (repeatable)")
	root.AddCommand(a.httpCommand(), a.demoCommand(), a.openCommand(), a.look.Command(os.Stdout, usagef), demo.PeerCommand(), classics.PeerCommand())
	root.AddCommand(a.reading().Commands()...)
	root.AddCommand(replaying.Commands(a.replaying())...)
	for _, c := range root.Commands() {
		c.Args = a.reading().Explained(c.Args)
	}
	return root
}

// reading is what the commands that read recordings need.
func (a *app) reading() command.Env {
	return command.Env{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Home: home, Usage: usagef, Version: version, Secrets: &a.secrets}
}

// replaying is what the commands that replay need.
func (a *app) replaying() replaying.Env {
	read := a.reading()
	return replaying.Env{
		Given: read.Given, Complete: read.Complete, Usage: usagef, Version: version,
		Exit:   func(status int) error { return command.Exit(status) },
		Record: a.recorder, Options: a.secrets.Options, Findings: catalog.Findings, Schema: catalog.SchemaFaults,
	}
}

// home is where recordings live.
func home() (string, error) {
	return record.DefaultDir(os.Getenv, runtime.GOOS, os.UserHomeDir)
}

// recorder creates the recording of a tap. What cannot be recorded is
// forwarded all the same, and said.
func (a *app) recorder(h record.Header, opt record.Options) *record.Writer {
	opt.OnTrouble = func(err error) {
		a.tell(fmt.Errorf("not recording: %w. Traffic is forwarded all the same; make room on the disk, or set MIDWIRE_HOME to another folder", err))
	}
	opt.OnRecovered = func() { a.tell(errors.New("recording again; what is missing is noted in the recording")) }
	h.Label, h.Pid, h.Version, h.Flow = cmp.Or(a.label, h.Label), os.Getpid(), version, a.flow
	h.Host, _ = os.Hostname()
	dir, err := home()
	if err == nil {
		var w *record.Writer
		if w, err = record.Create(dir, h, opt); err == nil {
			return w
		}
	}
	opt.OnTrouble(err)
	return record.Discard()
}

// stdio is the tap that a client launches in place of a server. It ends the
// process as the server ended.
func (a *app) stdio(command []string) error {
	started := time.Now()
	cwd, _ := os.Getwd()
	opt, err := a.secrets.Options()
	if err != nil {
		return usageError{err}
	}
	header := record.Header{Started: started, Tap: "stdio", Label: filepath.Base(command[0]), Command: record.RedactArgs(command), Cwd: cwd}
	tap := intercept.Stdio{
		Command: command, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Started: started,
		Record: func() *record.Writer { return a.recorder(header, opt) }, OnTrouble: a.tell,
	}
	exit, err := tap.Run()
	if err != nil {
		fmt.Fprintf(os.Stderr, "midwire: %v\n", err)
	}
	if exit.Signal != nil {
		intercept.DieOf(exit.Signal)
	}
	os.Exit(exit.Code)
	return nil
}

func (a *app) httpCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "http URL",
		Short: "Stand in for an HTTP server: Streamable HTTP of every revision, and HTTP+SSE",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := intercept.ParseTarget(args[0])
			if err == nil {
				err = a.tap.Check()
			}
			if err != nil {
				return usageError{err}
			}
			return a.http(cmd.Context(), target)
		},
	}
	f := c.Flags()
	f.StringVar(&a.tap.Listen, "listen", "127.0.0.1:0", "address for clients; without it a free port of this machine")
	f.BoolVar(&a.plain, "no-ui", false, "print one line per message")
	f.BoolVar(&a.quiet, "quiet", false, "record only: no screen and no lines")
	f.StringVar(&a.tap.Host, "host", "", "keep or rewrite the Host header (default: keep for local servers, rewrite for remote ones)")
	f.StringSliceVar(&a.tap.AllowHosts, "allow-host", nil, "with a rewritten Host: a name clients may call midwire by (repeatable)")
	f.StringVar(&a.tap.CACert, "cacert", "", "file of certificates to trust as well")
	f.BoolVar(&a.tap.Insecure, "insecure", false, "accept any certificate of the server")
	return c
}

func (a *app) openCommand() *cobra.Command {
	return &cobra.Command{
		Use: "open REC…", Short: "The screen on given recordings: files, ids, last, or - for standard input",
		Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.reading().Complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			a.piped = slices.Contains(args, "-")
			return a.reading().Given(args, func(files []string) error {
				play := untilEnd
				if !a.hasScreen() { // print what there is, and be done
					play = func(context.Context) error { return nil }
				}
				return a.watch(cmd.Context(), watching{files: files}, play)
			})
		},
	}
}

func untilEnd(ctx context.Context) error { <-ctx.Done(); return nil }

// http runs an HTTP tap beside the screen, or beside printed lines, until the
// screen is closed or a signal ends it.
func (a *app) http(ctx context.Context, target *url.URL) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	opt, err := a.secrets.Options()
	if err != nil {
		return usageError{err}
	}
	tap, err := a.tap.New(target)
	if err != nil {
		return err
	}
	defer tap.Listen.Close()
	debug.SetGCPercent(200) // a tap's heap is small, and collecting it competes with the pumps
	tap.Started, tap.OnTrouble = time.Now(), func(err error) { a.tell(err) }
	tap.Record = a.recorder(record.Header{Started: tap.Started, Tap: "http", Label: target.Host, Target: target.Redacted(), Listen: tap.Listen.Addr().String()}, opt)
	said := record.RedactArgs([]string{"", tap.Origin() + target.RequestURI(), target.Redacted()}) // a log may keep it
	fmt.Printf("midwire: clients use %s  (forwards to %s)\n", said[1], said[2])
	w := watching{tap: true, url: tap.Origin() + target.RequestURI(), upstream: target.Redacted()}
	if path := tap.Record.Path(); path != "" {
		fmt.Printf("midwire: recording %s\n", path)
		w.files = []string{path}
	}
	return a.watch(ctx, w, func(ctx context.Context) error {
		go func() {
			for _, w := range tap.Warnings(ctx) {
				a.tell(errors.New("warning: " + w))
			}
		}()
		return tap.Run(ctx)
	})
}

func (a *app) demoCommand() *cobra.Command {
	list, fixed := false, false
	c := &cobra.Command{
		Use:   "demo [SCENARIO]",
		Short: "A built-in client and server, with midwire in between; or a classic failure, and what midwire says of it",
		Args:  cobra.MaximumNArgs(1), ValidArgs: classics.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				_, err := fmt.Print(classics.List())
				return err
			}
			if len(args) == 0 {
				return a.demo(cmd.Context())
			}
			s, ok := classics.Find(args[0])
			if !ok {
				return usagef("no scenario %q. midwire demo --list names them", args[0])
			}
			return a.scenario(cmd.Context(), s, fixed)
		},
	}
	c.Flags().BoolVar(&list, "list", false, "list the scenarios")
	c.Flags().BoolVar(&fixed, "fixed", false, "play the mended form of the scenario")
	c.Flags().BoolVar(&a.plain, "no-ui", false, "print one line per message, and end when the demo does")
	return c
}

// scenario plays a classic failure, and without a screen says what is found.
func (a *app) scenario(ctx context.Context, s classics.Scenario, fixed bool) error {
	p := classics.Play{Fixed: fixed}
	if !a.hasScreen() {
		fmt.Println(s.Told(fixed))
		p.Say = func(line string) { fmt.Println("    " + line) }
	}
	err := a.stage(ctx, s.Name, func(ctx context.Context, fleet *intercept.Fleet, self string, pace time.Duration) error {
		p.Taps, p.Pace, p.Self = fleet, pace, []string{self}
		return s.Run(ctx, p)
	})
	if err != nil || a.hasScreen() {
		return err
	}
	return a.reading().Findings(a.flow)
}

// demo plays the demo.
func (a *app) demo(ctx context.Context) error {
	return a.stage(ctx, "demo", func(ctx context.Context, fleet *intercept.Fleet, self string, pace time.Duration) error {
		server, err := demo.Listen(pace)
		if err != nil {
			return err
		}
		defer server.Close()
		origin, err := fleet.HTTP("demo", server.URL)
		if err != nil {
			return err
		}
		stdio := fleet.Stdio("demo", []string{self, "demo-server", "--pace", pace.String()})
		return (&demo.Demo{Stdio: stdio, URL: origin.String(), Pace: pace}).Run(ctx)
	})
}

// stage has something played through taps of its own, one flow, and shows it.
func (a *app) stage(ctx context.Context, name string, play func(ctx context.Context, fleet *intercept.Fleet, self string, pace time.Duration) error) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	pace := 30 * time.Millisecond // between two steps of a player
	if a.hasScreen() {
		pace = 700 * time.Millisecond
	}
	started := time.Now()
	a.flow = name + started.UTC().Format("-20060102-150405.000000")
	fleet := &intercept.Fleet{
		Ctx: context.WithoutCancel(ctx), Options: intercept.HTTPOptions{Listen: "127.0.0.1:0"},
		Record: func(h record.Header) *record.Writer { return a.recorder(h, record.Options{}) },
		Shim:   func(label string) []string { return []string{self, "--label", label, "--flow", a.flow} },
	}
	return a.watch(ctx, watching{tap: true, since: started}, func(ctx context.Context) error {
		return errors.Join(play(ctx, fleet, self, pace), fleet.Close())
	})
}

// watching says what the screen or the printed lines are about.
type watching struct {
	files         []string  // these recordings; none: all of the library
	since         time.Time // with all: those that began since then
	url, upstream string    // of the tap in this process
	tap           bool
}

// hasScreen says whether there is a terminal to draw on, and for keys when stdin is a recording.
func (a *app) hasScreen() bool {
	return !a.plain && !a.quiet && term.IsTerminal(int(os.Stdout.Fd())) && (a.piped || term.IsTerminal(int(os.Stdin.Fd())))
}

// watch shows recordings until the user leaves, or prints them until play
// returns. Either ends when ctx does.
func (a *app) watch(ctx context.Context, w watching, play func(context.Context) error) error {
	if a.quiet {
		return play(ctx)
	}
	dir, err := home()
	if err != nil {
		return err
	}
	source, err := record.NewWatch(dir, w.since, w.files)
	if err != nil {
		return err
	}
	defer source.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if a.hasScreen() {
		conf, _, err := a.look.Load()
		if err != nil {
			return usageError{err}
		}
		ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) // the terminal is left as it was found
		defer stop()
		a.tell = source.Tell
		replayer := screen.New(screen.Env{Path: source.Path, Also: source.Also, Getenv: os.Getenv, Record: (&app{tell: a.tell}).recorder, Options: a.secrets.Options, Findings: catalog.Findings, Schema: catalog.SchemaFaults})
		defer replayer.Wait()
		played := make(chan error, 1)
		go func() { played <- play(ctx) }()
		err = ui.Run(ctx, source, ui.Options{
			Theme: conf.Theme, ASCII: conf.ASCII, Settings: conf.Settings, NoColor: os.Getenv("NO_COLOR") != "", Version: version, TapInProcess: w.tap,
			Replayer: replayer, Comparer: &catalog.Sides{Path: source.Path}, Pair: len(w.files) == 2, Filters: filters.In(filepath.Dir(dir)), Notebook: notebook.In(dir, source.Path, a.piped),
			Exporter: &catalog.Files{Path: source.Path, Frame: source.Frame, Home: home, Options: a.secrets.Options, Version: version},
			Hints:    ui.Hints{Config: `"command": "midwire", "args": ["--", "YOUR", "SERVER", "COMMAND"]`, HTTPURL: w.url, Upstream: w.upstream},
		})
		stop()
		return errors.Join(err, <-played)
	}
	return catalog.PrintWhile(ctx, os.Stdout, source, play)
}
