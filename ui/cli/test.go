package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"midwire/intercept"
	"midwire/replay"
	"midwire/replay/backend"
	"midwire/replay/checks"
	"midwire/replay/stages"
	"midwire/session/record"
	"midwire/session/safe"
)

type staging struct {
	probing
	trying
	format, dir, suite string
	suiteCommand       string
	idle               time.Duration
}

func (a *app) test() *cobra.Command {
	var p staging
	c := &cobra.Command{
		Use: "test (URL | last | REC | -- COMMAND [ARG…]) | test --client 'COMMAND' [--faults …]", Aliases: []string{"resilience"},
		Short: "Test a server stage by stage, or a client with faults",
		Args:  cobra.ArbitraryArgs, ValidArgsFunction: a.completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			args = p.split(cmd, args)
			p.Faults = p.Faults || cmd.CalledAs() == "resilience"
			return p.find(a, args, func() error { return p.run(cmd.Context(), a) })
		},
	}
	f := c.Flags()
	f.StringVar(&p.format, "format", "text", strings.Join(checks.Formats, ", "))
	p.serverFlags(f, "URL of the server")
	f.DurationVar(&p.timeout, "timeout", 0, "how long one request may take (default 10s); with --client: a run beyond one without a fault (default 100s)")
	f.DurationVar(&p.idle, "idle", 2*time.Second, "how long a session is left alone")
	f.StringVar(&p.suite, "suite", "", "conformance: run the official suite through the proxy instead (needs Node, and a URL)")
	f.StringVar(&p.suiteCommand, "suite-command", strings.Join(stages.SuiteCommand, " "), "how the suite is run")
	p.clientFlags(f)
	return c
}

// find finds the server, if there is to be one.
func (p *staging) find(a *app, args []string, run func() error) error {
	if len(args) == 1 && strings.Contains(args[0], "://") {
		p.to, args = args[0], nil
	}
	given := len(args) + min(len(p.command), 1) + min(len(p.to), 1)
	switch {
	case given > 1 || given == 0 && !p.isSet():
		return usagef("test takes one server: a URL, a recording of it, or its command behind --; or a client: --client 'COMMAND'")
	case len(args) == 0:
		return run()
	}
	return a.script(args[0], func(s *replay.Script) error {
		dir, err := a.folder()
		if err == nil {
			err = p.recordedTarget(s, record.Own(dir, s.Path))
		}
		if err != nil {
			return err
		}
		p.dir = backend.RecordedDir(&s.Header)
		return run()
	})
}

func (p *staging) run(ctx context.Context, a *app) error {
	if err := oneOf("--format", p.format, checks.Formats...); err != nil {
		return err
	}
	ctx, stop := intercept.UntilAsked(ctx)
	defer stop()
	seen := func(*checks.Check) {}
	if isTerminal(a.Err) {
		seen = func(c *checks.Check) {
			at := cmp.Or(c.Outcome.String(), c.Stage)
			fmt.Fprintf(a.Err, "\r%s: %s%s", safe.Clean(at), safe.Clean(c.Name), ansi.EraseLineRight)
		}
		defer fmt.Fprint(a.Err, "\r"+ansi.EraseLineRight)
	}
	var r *checks.Report
	var err error
	if p.isSet() {
		r, err = p.client(ctx, a, seen)
	} else {
		r, err = p.server(ctx, a, seen)
	}
	if r == nil {
		return interrupted(err)
	}
	if isTerminal(a.Err) {
		fmt.Fprint(a.Err, "\r"+ansi.EraseLineRight)
	}
	if width, _, err := term.GetSize(int(a.Out.Fd())); err == nil {
		r.Width = max(width, 40)
	}
	if writing := r.Write(a.Out, p.format, a.Version); writing != nil || err != nil {
		return errors.Join(interrupted(err), writing)
	}
	if r.Count(checks.Failed) > 0 {
		return statusFound
	}
	return nil
}

func (p *staging) client(ctx context.Context, a *app, seen func(*checks.Check)) (*checks.Report, error) {
	var err error
	if p.to != "" {
		if p.To, err = p.target(); err != nil {
			return nil, err
		}
	}
	p.Command, p.Timeout = p.command, p.timeout
	p.HTTP = intercept.HTTPOptions{CACert: p.cacert, Insecure: p.insecure}
	return p.try(ctx, a, seen)
}

func (p *staging) server(ctx context.Context, a *app, seen func(*checks.Check)) (*checks.Report, error) {
	opt := stages.Options{Yes: p.yes, Timeout: p.timeout, Idle: p.idle, Seen: seen}
	var err error
	if opt.Server, err = p.replaying.server(a); err != nil {
		return nil, err
	}
	opt.Dir = p.dir
	switch p.suite {
	case "":
	case "conformance":
		opt.Suite = strings.Fields(p.suiteCommand)
		opt.Say = func(text string) { fmt.Fprintln(a.Err, safe.Clean(text)) }
	default:
		return nil, usagef("--suite is conformance, not %q", p.suite)
	}
	fmt.Fprintf(a.Err, "Testing %s, for up to a minute; ctrl+c ends it.\n", safe.Clean(opt.String()))
	return stages.Run(ctx, opt)
}
