package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"midwire/intercept"
	"midwire/intercept/gate"
	"midwire/intercept/reload"
	"midwire/intercept/spawn"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/ui/cli/collect"
	"midwire/ui/cli/unmap"
)

// run is for launchers that swallow a double dash. Flags of midwire stand
// before the server's command; from that on everything is the server's.
func (a *app) run() *cobra.Command {
	var broken faultFlags
	var again reloadFlags
	var tells collect.Flags
	c := &cobra.Command{
		Use:   "run [flags] COMMAND [ARG…]",
		Short: "Proxy a stdio server (same as midwire -- COMMAND)",
		Args:  cobra.MinimumNArgs(1), ValidArgsFunction: completeFiles,
		RunE: func(_ *cobra.Command, args []string) error { return a.stdio(args, broken, again, tells) },
	}
	c.Flags().SetInterspersed(false)
	broken.flags(c.Flags())
	again.flags(c.Flags())
	tells.Add(c.Flags())
	return c
}

// settled is how long after its beginning the start of a proxy is over. A client that leaves
// at once does not wait for what is done then.
const settled = 40 * time.Millisecond

// stdio is the proxy that a client launches in place of a server. It exits as
// the server ended: with its code, or by its signal.
func (a *app) stdio(command []string, broken faultFlags, again reloadFlags, tells collect.Flags) error {
	started := time.Now()
	early := spawn.Started(command)
	if early != nil {
		started = early.Began
	}
	cwd, _ := os.Getwd()
	opt, err := a.masking()
	if err != nil {
		return err
	}
	g, err := broken.gate("stdio")
	if err != nil {
		return err
	}
	restarts, err := again.reload()
	if err != nil {
		return err
	}
	stop, err := a.tell(&tells)
	if err != nil {
		return err
	}
	a.telemetry.Begin()
	socket, serve := a.control(g, broken.controlled || again.on, a.onTrouble)
	defer socket.Close()
	header := record.Header{
		Started: started, Tap: "stdio", Label: filepath.Base(command[0]), Command: command, Cwd: cwd, Control: socket.Address,
	}
	tap := intercept.Stdio{
		Command: command, Stdin: a.In, Stdout: a.Out, Stderr: a.Err, Started: started,
		Record: func() *record.Writer {
			rec := a.recorder(header, opt)
			time.AfterFunc(settled, unmap.Program)
			go serve()
			return rec
		}, OnTrouble: a.onTrouble,
		Gate: g, Reload: restarts, Early: early,
	}
	exit, err := tap.Run()
	if err != nil {
		a.onTrouble(err)
	}
	stop()
	if exit.Signal != nil {
		socket.Close()
		intercept.DieOf(exit.Signal)
	}
	return exitStatus(exit.Code)
}

func (a *app) http() *cobra.Command {
	var opt intercept.HTTPOptions
	var w watching
	var broken faultFlags
	var tells collect.Flags
	c := &cobra.Command{
		Use:   "http URL",
		Short: "Proxy an HTTP server",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := intercept.ParseTarget(args[0])
			if err == nil {
				err = opt.Check()
			}
			if err != nil {
				return usageError{err}
			}
			g, err := broken.gate("http")
			if err != nil {
				return err
			}
			w.gated = broken.controlled
			stop, err := a.tell(&tells)
			if err != nil {
				return err
			}
			defer stop()
			return a.serve(cmd.Context(), target, opt, w, g)
		},
	}
	f := c.Flags()
	f.StringVar(&opt.Listen, "listen", "127.0.0.1:0", "address for clients; without it a free port of this machine")
	f.BoolVar(&w.plain, "no-ui", false, "print one line per message")
	f.BoolVar(&w.quiet, "quiet", false, "record only: no screen and no lines")
	f.StringVar(&opt.Host, "host", "", "keep or rewrite the Host header (default: keep for local servers, rewrite for remote ones)")
	f.StringSliceVar(&opt.AllowHosts, "allow-host", nil, "with a rewritten Host: a name clients may call midwire by (repeatable)")
	f.StringVar(&opt.CACert, "cacert", "", "file of certificates to trust as well")
	f.BoolVar(&opt.Insecure, "insecure", false, "accept any certificate of the server")
	broken.flags(f)
	tells.Add(f)
	return c
}

// serve runs an HTTP proxy beside the screen, or beside printed lines, until
// the screen is closed or a signal ends it.
func (a *app) serve(ctx context.Context, target *url.URL, o intercept.HTTPOptions, w watching, g *gate.Gate) error {
	ctx, stop := intercept.UntilAsked(ctx)
	defer stop()
	opt, err := a.masking()
	if err != nil {
		return err
	}
	tap, err := o.New(target)
	if err != nil {
		return err
	}
	defer tap.Listen.Close()
	debug.SetGCPercent(200) // a tap's heap is small, and collecting it competes with the pumps
	closeGate, serve := a.tap(tap, target, opt, g, w.gated || a.hasScreen(w))
	defer closeGate()
	go serve()
	w.tap, w.url, w.upstream = true, tap.Origin()+target.RequestURI(), intercept.ShowTarget(target)
	said := redact.Args([]string{"", w.url, w.upstream}) // a log may keep it
	fmt.Fprintf(a.Out, "midwire: clients use %s  (forwards to %s)\n", said[1], said[2])
	if path := tap.Record.Path(); path != "" {
		fmt.Fprintf(a.Out, "midwire: recording %s\n", path)
		w.files = []string{path}
	}
	return a.watch(ctx, w, func(ctx context.Context) error {
		for _, text := range tap.Warnings() {
			a.onTrouble(errors.New("warning: " + text))
		}
		a.telemetry.Begin()
		return tap.Run(ctx)
	})
}

// tap has an HTTP proxy record, and its gate served by what it returns.
func (a *app) tap(
	tap *intercept.HTTP, target *url.URL, opt record.Options, g *gate.Gate, controlled bool,
) (closeGate, serve func()) {
	trouble := func(err error) { a.onTrouble(err) }
	socket, serve := a.control(g, controlled, trouble)
	tap.Gate, tap.Started, tap.OnTrouble = g, time.Now(), trouble
	tap.Record = a.recorder(record.Header{
		Started: tap.Started, Tap: "http", Label: target.Host,
		Target: intercept.ShowTarget(target), Listen: tap.Listen.Addr().String(), Control: socket.Address,
	}, opt)
	return func() { socket.Close() }, serve
}

// reloadFlags are what the flags say of restarting a stdio server behind its client.
type reloadFlags struct {
	on    bool
	watch []string
}

func (o *reloadFlags) flags(f *pflag.FlagSet) {
	f.BoolVar(&o.on, "reload", false, "restart the server behind its client: when its program changes, or on midwire gate restart")
	f.StringArrayVar(&o.watch, "watch", nil, "with --reload: files that restart the server, like 'src/**/*.ts', instead of its program (repeatable)")
}

// reload is nil where no one asked for it.
func (o *reloadFlags) reload() (*intercept.Reload, error) {
	if !o.on && len(o.watch) > 0 {
		return nil, usagef("--watch is for --reload")
	}
	for _, glob := range o.watch {
		if err := reload.Check(glob); err != nil {
			return nil, usagef("--watch: %w", err)
		}
	}
	if !o.on {
		return nil, nil
	}
	return &intercept.Reload{Watch: o.watch}, nil
}
