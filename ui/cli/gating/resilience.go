package gating

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"midwire/intercept"
	"midwire/intercept/gate"
	"midwire/replay"
	"midwire/replay/mock"
	"midwire/replay/resilience"
	"midwire/replay/resilience/trial"
	"midwire/session/diagnose/rules"
	"midwire/session/safe"
)

// trying is one run of resilience.
type trying struct {
	client, to, mock string
	skip, more       []string
	format, failOn   string
	wait, server     bool
	opt              trial.Options
	fail             resilience.Verdict
}

// Resilience is midwire resilience.
func (e *Env) Resilience() *cobra.Command {
	var r trying
	c := &cobra.Command{
		Use:   "resilience (--to URL | --mock REC | -- SERVER [ARG…]) (--client 'COMMAND' | --wait | --server)",
		Short: "Break each thing once, and judge what a client makes of it",
		Long: `Plays each fault that midwire faults lists against a client, a fresh run for each,
and judges by what was recorded and by what the client printed:

  recovered        all was served that is served without the fault
  recovered late   the same, and it took long
  told its user    something was not served, and the client said so, or exited with an error
  hung             it did not come to an end
  wrong            it broke the protocol, or went on as if nothing had happened
  not applicable   the fault found nothing to act on

COMMAND is for a shell, and must end by itself. In it {url} stands for where the server
is, {server} for the command of a stdio server, {config} for a file with "mcpServers"
in it; MIDWIRE_URL, MIDWIRE_SERVER and MIDWIRE_CONFIG in its environment say the same.
It should call a tool at least twice. With --wait a person uses the client instead, once
for each fault, and is told what to do; the server stays at one place all the time.

With --server it is the server that is tried: midwire plays a client that does wrong.

Exits with 1 when a verdict is --fail-on or worse.`,
		Example: "  midwire resilience --client 'npx -y @modelcontextprotocol/inspector --cli {server} --method tools/call" +
			" --tool-name echo --tool-arg message=hi' -- npx -y @modelcontextprotocol/server-everything\n" +
			"  midwire resilience --to http://localhost:3000/mcp --client 'node client.mjs {url}' --jobs 4\n" +
			"  midwire resilience --mock last --client 'node client.mjs {url}' --fault expire-session --fault 429=5\n" +
			"  midwire resilience --server -- npx -y @modelcontextprotocol/server-everything",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.ArgsLenAtDash() != 0 && len(args) > 0 {
				return e.usagef("resilience takes the server's command behind --: midwire resilience --client '…' -- COMMAND")
			}
			r.opt.Command = args
			return r.run(cmd.Context(), e)
		},
	}
	f := c.Flags()
	f.StringVar(&r.client, "client", "", "command of the client, for a shell")
	f.BoolVar(&r.wait, "wait", false, "a person uses the client: say what to do, wait for it to come and go, ask what was to be seen")
	f.StringVar(&r.opt.Listen, "listen", "", "with --wait: HOST:PORT where the client finds an HTTP server (default a free port)")
	f.BoolVar(&r.server, "server", false, "try the server: no initialized, wrong version, repeated ids, cancelled calls, dropped streams …")
	f.StringVar(&r.to, "to", "", "URL of an HTTP server")
	f.StringVar(&r.mock, "mock", "", "recording whose server is played: over HTTP, or as a command when {server} is in --client")
	f.StringArrayVar(&r.more, "fault", nil, "play this instead of all: a name, NAME=ARGUMENT, or a rule (repeatable)")
	f.StringSliceVar(&r.skip, "skip", nil, "leave out the fault of this name (repeatable)")
	f.DurationVar(&r.opt.Timeout, "timeout", 100*time.Second, "how long a run of the client may take beyond one without a fault; then it hangs")
	f.IntVar(&r.opt.Jobs, "jobs", 1, "how many runs at a time")
	f.Uint64Var(&r.opt.Seed, "seed", 1, "what faults with a probability draw from")
	f.StringVar(&r.format, "format", "text", "text, json or junit")
	f.StringVar(&r.failOn, "fail-on", "hung", "exit with 1 from this verdict on: late, told, hung or wrong; never: always 0")
	f.StringVar(&r.opt.HTTP.CACert, "cacert", "", "file of certificates to trust as well")
	f.BoolVar(&r.opt.HTTP.Insecure, "insecure", false, "accept any certificate of the server")
	return c
}

// parse checks what the flags say.
func (r *trying) parse(e *Env) (faults []resilience.Fault, err error) {
	targets := 0
	for _, given := range []bool{r.to != "", r.mock != "", len(r.opt.Command) > 0} {
		if given {
			targets++
		}
	}
	known := false
	switch {
	case targets != 1:
		return nil, e.usagef("resilience needs one server: --to URL, --mock REC, or -- COMMAND")
	case r.server && (r.client != "" || r.wait || len(r.more) > 0):
		return nil, e.usagef("--server plays the client itself: without --client, --wait and --fault")
	case !r.server && (r.client == "") != r.wait:
		return nil, e.usagef("resilience needs the client: --client 'COMMAND', --wait for one that a person uses, " +
			"or --server to try the server")
	case r.opt.Timeout <= 0 || r.opt.Jobs < 1:
		return nil, e.usagef("--timeout takes a time like 30s, --jobs a number from 1 on")
	case !slices.Contains([]string{"text", "json", "junit"}, r.format):
		return nil, e.usagef("--format is text, json or junit, not %q", r.format)
	}
	if r.failOn == "never" {
		r.fail, known = resilience.Wrong+1, true
	} else if r.fail, known = resilience.ParseVerdict(r.failOn); !known || r.fail == resilience.NotApplicable {
		return nil, e.usagef("--fail-on is late, told, hung, wrong or never, not %q", r.failOn)
	}
	if r.to != "" {
		if r.opt.URL, err = intercept.ParseTarget(r.to); err != nil {
			return nil, e.Usage(err)
		}
	}
	return r.faults(e)
}

// faults are those to play.
func (r *trying) faults(e *Env) (all []resilience.Fault, err error) {
	if len(r.more) == 0 {
		for _, p := range gate.Presets() {
			if !slices.Contains(r.skip, p.Name) {
				all = append(all, ofPreset(&p, ""))
			}
		}
		return all, nil
	}
	for _, line := range r.more {
		if _, err := e.rules([]string{line}); err != nil {
			return nil, err
		}
		f := resilience.Fault{Name: line, Rules: []string{line}}
		if p, arg, ok := gate.Named(line); ok {
			f = ofPreset(p, arg)
		}
		all = append(all, f)
	}
	return all, nil
}

// ofPreset is a fault with a name. One that shows only beside another has that with
// it.
func ofPreset(p *gate.Preset, arg string) resilience.Fault {
	const cut, refused = "cut-stream", "no-resume"
	f := resilience.Fault{Name: p.Name, Rules: p.Expand(arg), Help: p.Help, Spec: p.Spec}
	if with, _, ok := gate.Named(cut); ok && p.Name == refused {
		f.Rules = append(f.Rules, with.Expand("")...)
	}
	f.Resumes = p.Name == cut || p.Name == refused
	return f
}

func (r *trying) run(ctx context.Context, e *Env) error {
	faults, err := r.parse(e)
	if err != nil {
		return err
	}
	ctx, stop := intercept.UntilAsked(ctx)
	defer stop()
	o := &r.opt
	o.Client, o.Rules, o.Home, o.Seen = r.client, rules.All(), e.Home, r.seen(e)
	if o.Folder, err = e.Folder(); err != nil {
		return err
	}
	if o.Record, err = e.Recorder(); err != nil {
		return err
	}
	if o.Self, err = os.Executable(); err != nil {
		return err
	}
	if r.wait {
		o.Person = e.newPerson(o.Timeout).see
	}
	if r.mock == "" {
		return r.play(ctx, e, faults)
	}
	return e.Script(r.mock, func(s *replay.Script) error { return r.playMock(ctx, e, s, faults) })
}

// playMock has a recording play the server.
func (r *trying) playMock(ctx context.Context, e *Env, s *replay.Script, faults []resilience.Fault) error {
	o := &r.opt
	if strings.Contains(r.client, "{server}") {
		o.Command = []string{o.Self, "mock", s.Path}
		return r.play(ctx, e, faults)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	m := &mock.Server{Script: s, Say: func(text string) { fmt.Fprintln(e.Err, safe.Whole(text)) }}
	ctx, cancel := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- m.Serve(ctx, ln) }()
	if o.URL, err = intercept.ParseTarget("http://" + ln.Addr().String() + m.Endpoint()); err == nil {
		err = r.play(ctx, e, faults)
	}
	cancel()
	return errors.Join(err, <-served)
}

// play plays the faults and writes the report.
func (r *trying) play(ctx context.Context, e *Env, faults []resilience.Fault) error {
	var report *resilience.Report
	var err error
	if r.server {
		pranks := slices.DeleteFunc(resilience.Pranks(), func(p resilience.Prank) bool {
			return slices.Contains(r.skip, p.Name)
		})
		report, err = trial.Serve(ctx, r.opt, pranks)
	} else {
		report, err = trial.Play(ctx, r.opt, faults)
	}
	if report == nil {
		return err
	}
	if width, _, err := term.GetSize(int(e.Out.Fd())); err == nil {
		report.Width = max(width, 40)
	}
	if err := errors.Join(err, report.Write(e.Out, r.format, r.fail)); err != nil {
		return err
	}
	if report.Fails(r.fail) {
		return e.Found
	}
	return nil
}

// seen says as it goes what came of a fault, so that one can see that it does.
func (r *trying) seen(e *Env) func(*resilience.Result) {
	return func(o *resilience.Result) {
		fmt.Fprintln(e.Err, safe.Clean(fmt.Sprintf("%-20s %s", o.Name, o.Verdict)))
	}
}
