package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"midwire/intercept"
	"midwire/replay/checks"
	"midwire/replay/peer"
	"midwire/replay/stages"
	"midwire/session/safe"
)

type staging struct {
	asking
	format, suite string
	suiteCommand  string
	idle, limit   time.Duration
	yes           bool
}

func (a *app) test() *cobra.Command {
	var p staging
	c := &cobra.Command{
		Use:   "test (URL | last | REC | -- COMMAND [ARG…])",
		Short: "Test a server stage by stage",
		Args:  cobra.ArbitraryArgs, ValidArgsFunction: a.completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			args = p.split(cmd, args)
			if err := p.find(a, args); err != nil {
				return err
			}
			return p.run(cmd.Context(), a)
		},
	}
	f := c.Flags()
	f.StringVar(&p.format, "format", "text", strings.Join(checks.Formats, ", "))
	p.serverFlags(f, "URL of the server")
	allowCalls(f, &p.yes)
	f.DurationVar(&p.timeout, "timeout", 0, "how long one request may take (default 10s)")
	f.DurationVar(&p.idle, "idle", 2*time.Second, "how long a session is left alone")
	f.DurationVar(&p.limit, "limit", 0, "how long all of it may take (default 1m and --idle; with --suite 6m)")
	f.StringVar(&p.suite, "suite", "", "conformance: run the official suite through the proxy instead (needs Node, and a URL)")
	f.StringVar(&p.suiteCommand, "suite-command", strings.Join(stages.SuiteCommand, " "), "how the suite is run")
	return c
}

// find finds the server.
func (p *staging) find(a *app, args []string) error {
	if len(args)+min(len(p.command), 1)+min(len(p.to), 1) != 1 {
		return usagef("test takes one server: a URL, a recording of it, or its command behind --")
	}
	if len(args) == 0 {
		return nil
	}
	_, err := p.asking.find(a, args)
	return err
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
			fmt.Fprintf(a.Err, "\r%s: %s%s", safe.Clean(c.Stage), safe.Clean(c.Name), ansi.EraseLineRight)
		}
		defer fmt.Fprint(a.Err, "\r"+ansi.EraseLineRight)
	}
	r, given, err := p.server(ctx, a, seen)
	if r == nil {
		return said(given, interrupted(err))
	}
	if isTerminal(a.Err) {
		fmt.Fprint(a.Err, "\r"+ansi.EraseLineRight)
	}
	if width, _, err := term.GetSize(int(a.Out.Fd())); err == nil {
		r.Width = max(width, 40)
	}
	var text strings.Builder
	writing := r.Write(&text, p.format, a.Version)
	if writing == nil {
		_, writing = io.WriteString(a.Out, given.Text(text.String()))
	}
	if err = said(given, err); writing != nil || err != nil {
		return errors.Join(interrupted(err), writing)
	}
	if r.Count(checks.Failed) > 0 {
		return statusFound
	}
	return nil
}

func (p *staging) server(ctx context.Context, a *app, seen func(*checks.Check)) (*checks.Report, peer.Secrets, error) {
	opt := stages.Options{Yes: p.yes, Timeout: p.timeout, Idle: p.idle, Limit: p.limit, Seen: seen}
	var err error
	if opt.Server, err = p.asking.server(a); err != nil {
		return nil, nil, err
	}
	switch p.suite {
	case "":
	case "conformance":
		opt.Suite = strings.Fields(p.suiteCommand)
		opt.Say = func(text string) { fmt.Fprintln(a.Err, safe.Clean(text)) }
	default:
		return nil, nil, usagef("--suite is conformance, not %q", p.suite)
	}
	fmt.Fprintf(a.Err, "Testing %s, for up to %s; ctrl+c ends it.\n", safe.Clean(opt.String()), opt.MaxTime())
	given := opt.Given()
	r, err := stages.Run(ctx, opt)
	return r, given, err
}
