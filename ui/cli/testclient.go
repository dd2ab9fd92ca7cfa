package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"midwire/intercept"
	"midwire/intercept/gate"
	"midwire/replay"
	"midwire/replay/checks"
	"midwire/replay/mock"
	"midwire/replay/offers"
	"midwire/replay/resilience"
	"midwire/replay/resilience/trial"
	"midwire/session/diagnose/rules"
	"midwire/session/safe"
)

// trying is one run of midwire test of a client.
type trying struct {
	opt    trial.Options
	faulty bool // a server stands behind it, and things are broken in between
	mock   string
	offers []string
	slow   time.Duration
	skip   []string
	more   []string
	failOn string
}

func (r *trying) clientFlags(f *pflag.FlagSet) {
	f.StringVar(&r.opt.Client, "client", "", "test a client: its command, for a shell, with {url}, {server} or {config} in it")
	f.BoolVar(&r.faulty, "faults", false, "break each thing once between the client and a server, and judge what the client makes of it")
	f.StringVar(&r.mock, "mock", "", "with --faults: recording whose server is played, over HTTP, or as a command when {server} is in --client")
	f.StringArrayVar(&r.more, "fault", nil, "with --faults: play this instead of all: a name, NAME=ARGUMENT, or a rule (repeatable)")
	f.StringSliceVar(&r.offers, "offer", nil, "of the unusual servers only the one with this offer (repeatable)")
	f.StringSliceVar(&r.opt.Tools, "tool", nil, "a tool that the unusual servers list besides echo (repeatable)")
	f.DurationVar(&r.slow, "slow", 3*time.Second, "how long the slow call of an unusual server takes")
	f.BoolVar(&r.opt.Stdio, "stdio", false, "have the unusual servers on stdio where --client has {config}")
	f.StringSliceVar(&r.skip, "skip", nil, "leave out the fault or the offer of this name (repeatable)")
	f.IntVar(&r.opt.Jobs, "jobs", 1, "how many runs of the client at a time")
	f.StringVar(&r.failOn, "fail-on", "hung", "a fault fails from this outcome on: late, told, hung or wrong; never: none does")
}

func (r *trying) isSet() bool {
	return r.opt.Client != "" || r.faulty || r.mock != "" || len(r.more) > 0
}

func (r *trying) parse() (faults []resilience.Fault, err error) {
	targets := min(len(r.mock), 1) + min(len(r.opt.Command), 1)
	if r.opt.URL != nil {
		targets++
	}
	known := false
	switch {
	case !r.faulty && (targets > 0 || len(r.more) > 0):
		return nil, usagef("with --client midwire plays the servers; --faults puts a real one behind the client")
	case r.faulty && targets != 1:
		return nil, usagef("--faults needs one server: a URL, -- COMMAND, a recording of it, or --mock REC")
	case r.opt.Client == "":
		return nil, usagef("a test of a client needs one: --client 'COMMAND'")
	case r.opt.Timeout < 0 || r.opt.Jobs < 1:
		return nil, usagef("--timeout takes a time like 30s, --jobs a number from 1 on")
	}
	if r.failOn == "never" {
		r.opt.Fail, known = checks.Wrong+1, true
	} else if r.opt.Fail, known = checks.ParseOutcome(r.failOn); !known || r.opt.Fail == checks.NotApplicable {
		return nil, usagef("--fail-on is late, told, hung, wrong or never, not %q", r.failOn)
	}
	return r.faults()
}

func (r *trying) faults() (all []resilience.Fault, err error) {
	if !r.faulty {
		return r.offered()
	}
	if len(r.more) == 0 {
		for _, p := range gate.Presets() {
			if !slices.Contains(r.skip, p.Name) {
				all = append(all, ofPreset(&p, ""))
			}
		}
		return all, nil
	}
	for _, line := range r.more {
		if _, err := gateRules([]string{line}); err != nil {
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

func (r *trying) offered() (all []resilience.Fault, err error) {
	r.opt.Offers = true
	r.opt.Stdio = r.opt.Stdio || strings.Contains(r.opt.Client, "{server}")
	var names []string
	for _, f := range resilience.Offers(r.slow) {
		names = append(names, f.Name)
		if f.HTTP && r.opt.Stdio {
			continue
		}
		if (len(r.offers) == 0 || slices.Contains(r.offers, f.Name)) && !slices.Contains(r.skip, f.Name) {
			all = append(all, f)
		}
	}
	for _, name := range r.offers {
		if !slices.Contains(names, name) {
			return nil, usagef("no offer %q: there are %s", name, strings.Join(names, ", "))
		}
	}
	return all, nil
}

// offerServer is the hidden command that plays an unusual server on stdio.
func offerServer() *cobra.Command {
	var s offers.Server
	c := &cobra.Command{
		Use: "offer-server", Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.Stdio(cmd.InOrStdin(), cmd.OutOrStdout()) },
	}
	c.Flags().StringVar(&s.Offer, "offer", "", "name of the offer")
	c.Flags().StringSliceVar(&s.Tools, "tool", nil, "name of a tool to list (repeatable)")
	c.Flags().DurationVar(&s.Slow, "slow", 0, "how long the slow call takes")
	return c
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

// try tests the client. seen, which may be nil, is told of each check.
func (r *trying) try(ctx context.Context, a *app, seen func(*checks.Check)) (*checks.Report, error) {
	faults, err := r.parse()
	if err != nil {
		return nil, err
	}
	o := &r.opt
	o.Rules, o.Home, o.Seen = rules.All(), a.Getenv("MIDWIRE_HOME"), seen
	o.Timeout = cmp.Or(o.Timeout, 100*time.Second)
	if o.Folder, err = a.folder(); err != nil {
		return nil, err
	}
	if o.Self, err = os.Executable(); err != nil {
		return nil, err
	}
	fmt.Fprintf(a.Err, "Starts %s, %d times; ctrl+c ends it.\n", safe.Clean(r.opt.Client), len(faults)+1)
	if r.mock == "" {
		return trial.Play(ctx, *o, faults)
	}
	var report *checks.Report
	err = a.script(r.mock, func(s *replay.Script) (err error) {
		report, err = r.playMock(ctx, a, s, faults)
		return err
	})
	return report, err
}

func (r *trying) playMock(
	ctx context.Context, a *app, s *replay.Script, faults []resilience.Fault,
) (*checks.Report, error) {
	o := &r.opt
	if strings.Contains(r.opt.Client, "{server}") {
		o.Command = []string{o.Self, "mock", s.Path}
		return trial.Play(ctx, *o, faults)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &mock.Server{Script: s, Say: func(text string) { fmt.Fprintln(a.Err, safe.Whole(text)) }}
	ctx, cancel := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- m.Serve(ctx, ln) }()
	var report *checks.Report
	if o.URL, err = intercept.ParseTarget("http://" + ln.Addr().String() + m.Endpoint()); err == nil {
		report, err = trial.Play(ctx, *o, faults)
	}
	cancel()
	return report, errors.Join(err, <-served)
}
