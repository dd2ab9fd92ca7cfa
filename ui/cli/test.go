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

	"midwire/intercept"
	"midwire/replay"
	"midwire/replay/backend"
	"midwire/replay/stages"
	"midwire/session/export"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/session/safe"
)

// staging is one run of test.
type staging struct {
	probing
	format string
}

func (a *app) test() *cobra.Command {
	var p staging
	c := &cobra.Command{
		Use:   "test (URL | last | REC | -- COMMAND [ARG…])",
		Short: "Test a server, stage by stage: transport, handshake, lists, calls, sizes",
		Long: `Tests a server as a client that keeps to the specification, and with odd things
that a server must bear: a version of nobody, unknown methods, session ids of
nobody, arguments that do not fit, long requests, two sessions in turns. What
breaks a MUST, or gets no response, fails; what breaks a SHOULD is noted. The
rules judge the recording of the test as well (docs/test.md).

Only tools that the server marks read-only are called without --yes.

Exits with 1 when something failed.`,
		Args: cobra.ArbitraryArgs, ValidArgsFunction: a.completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); at >= 0 {
				args, p.command = args[:at], args[at:]
			}
			switch {
			case len(args)+min(len(p.command), 1) != 1:
				return usagef("test takes one server: a URL, a recording of it, or its command behind --")
			case len(args) == 0:
				return p.run(cmd.Context(), a, "")
			case strings.Contains(args[0], "://"):
				p.to = args[0]
				return p.run(cmd.Context(), a, "")
			}
			return a.resolve(args, func(files []string) error {
				return load(files[0], func(s *replay.Script) error {
					dir, err := a.folder()
					if err == nil {
						err = p.recordedTarget(s, record.Own(dir, s.Path))
					}
					if err != nil {
						return err
					}
					return p.run(cmd.Context(), a, backend.RecordedDir(&s.Header))
				})
			})
		},
	}
	f := c.Flags()
	f.StringVar(&p.format, "format", "text", "text, json or junit")
	f.BoolVar(&p.yes, "yes", false, "call tools that are not marked read-only as well")
	f.StringArrayVar(&p.headers, "header", nil, "'Name: value' of each HTTP request, as for a credential (repeatable)")
	f.DurationVar(&p.timeout, "timeout", 10*time.Second, "how long one request may take")
	f.StringVar(&p.cacert, "cacert", "", "file of certificates to trust as well")
	f.BoolVar(&p.insecure, "insecure", false, "accept any certificate of the server")
	return c
}

func (p *staging) run(ctx context.Context, a *app, dir string) error {
	if err := oneOf("--format", p.format, "text", "json", "junit"); err != nil {
		return err
	}
	masking, err := a.masking()
	if err != nil {
		return err
	}
	opt := stages.Options{
		Command: p.command, Dir: dir, Yes: p.yes, Timeout: p.timeout,
		HTTP:   intercept.HTTPOptions{CACert: p.cacert, Insecure: p.insecure},
		Record: func(h record.Header) *record.Writer { return a.recorder(h, masking) },
	}
	if opt.URL, err = p.target(); err != nil {
		return err
	}
	if opt.Header, err = parseHeaders(p.headers); err != nil {
		return err
	}
	server := strings.Join(redact.Args(opt.Command), " ")
	if opt.URL != nil {
		server = opt.URL.Redacted()
	}
	fmt.Fprintf(a.Err, "Testing %s, for up to a minute; ctrl+c ends it.\n", safe.Clean(server))
	ctx, stop := intercept.UntilAsked(ctx)
	defer stop()
	if isTerminal(a.Err) {
		opt.Seen = func(c *stages.Check) {
			fmt.Fprintf(a.Err, "\r%s: %s%s", c.Stage, safe.Clean(c.Name), ansi.EraseLineRight)
		}
	}
	r, err := stages.Run(ctx, opt)
	if isTerminal(a.Err) {
		fmt.Fprint(a.Err, "\r"+ansi.EraseLineRight)
	}
	if writing := p.write(a, r); writing != nil || err != nil {
		return errors.Join(interrupted(err), writing)
	}
	if r.Count(stages.Failed) > 0 {
		return statusFound
	}
	return nil
}

func (p *staging) write(a *app, r *stages.Result) error {
	text := r.Text()
	switch p.format {
	case "junit":
		return r.JUnit(a.Out)
	case "json":
		var err error
		if text, err = export.SafeJSON(r); err != nil {
			return err
		}
	}
	_, err := io.WriteString(a.Out, text)
	return err
}
