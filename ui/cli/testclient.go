package cli

import (
	"bufio"
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
	"golang.org/x/term"

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
	"midwire/session/words"
)

// trying is one run of midwire test of a client.
type trying struct {
	opt    trial.Options
	wait   bool // a person uses it
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
	f.BoolVar(&r.wait, "wait", false, "test a client that a person uses: say what to do, wait for it, ask what was to be seen")
	f.StringVar(&r.opt.Listen, "listen", "", "with --wait: HOST:PORT where the client finds an HTTP server (default a free port)")
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
	return r.opt.Client != "" || r.wait || r.faulty || r.mock != "" || len(r.more) > 0
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
	case (r.opt.Client == "") != r.wait:
		return nil, usagef("a test of a client needs one: --client 'COMMAND', or --wait for one that a person uses")
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
	if r.wait {
		o.Person = a.newPerson(o.Timeout).see
	}
	if r.opt.Client != "" {
		fmt.Fprintf(a.Err, "Starts %s, %d times; ctrl+c ends it.\n", safe.Clean(r.opt.Client), len(faults)+1)
	}
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

// person is somebody who uses a client and types what was to be seen.
type person struct {
	*app
	typed   chan string // lines, closed at the end of input
	piped   bool        // by a program: a line is for the visit that follows the one before it
	timeout time.Duration
}

func (a *app) newPerson(timeout time.Duration) *person {
	p := &person{app: a, typed: make(chan string), piped: !term.IsTerminal(int(a.In.Fd())), timeout: timeout}
	go func() { // it ends with the input, or with midwire
		defer close(p.typed)
		for in := bufio.NewScanner(a.In); in.Scan(); {
			p.typed <- in.Text()
		}
	}()
	return p
}

// say prints lines; what fills them comes from outside.
func (p *person) say(format string, a ...any) {
	for i := range a {
		if text, ok := a[i].(string); ok {
			a[i] = safe.Whole(text)
		}
	}
	fmt.Fprintf(p.Err, format+"\n", a...)
}

// see has the person use the client, and asks what was to be seen.
func (p *person) see(ctx context.Context, v trial.Visit) (checks.Outcome, error) {
	const keys = "  return: all was well · t: it told me of a failure · h: it hangs · s: skip this one · q: stop here"
	if v.Nth == 0 {
		if v.URL != "" {
			p.say("The server is at %s", v.URL)
		} else {
			p.say("The server is this command: %s", v.Command)
		}
		p.say("It stays there. %s has it as \"mcpServers\".\n\n[0/%d] First without a fault: connect the client, "+
			"call a tool three times, disconnect or quit it.\n  return: done · q: stop here", v.Config, v.Of)
	} else {
		p.say("\n[%d/%d] %s: %s\nDo the same again, from connecting on.\n%s", v.Nth, v.Of, v.Fault.Name, v.Fault.Help, keys)
	}
	if !p.piped {
		select {
		case <-p.typed: // typed ahead, which is no answer
		default:
		}
	}
	over := time.After(p.timeout)
	open := !p.piped // for what is typed
	for {
		typed := p.typed
		if !open {
			typed = nil
		}
		select {
		case <-ctx.Done():
			return 0, trial.ErrStop
		case <-over:
			open = true // a program that pipes lines in does not see that nobody comes
		case n := <-v.News:
			p.news(n)
			open = open || n.Gone
		case line, more := <-typed:
			if !more {
				return 0, errors.New("--wait reads what you saw from standard input, and that has ended")
			}
			if a, known := answers[words.Fold(strings.TrimSpace(line))]; known {
				return a.saw, a.err
			}
			p.say("%s", keys)
		}
	}
}

var answers = map[string]struct {
	saw checks.Outcome
	err error
}{
	"": {}, "t": {saw: checks.Told}, "h": {saw: checks.Hung}, "s": {err: trial.ErrSkip}, "q": {err: trial.ErrStop},
}

// news says that the client came or went.
func (p *person) news(n trial.News) {
	client, did := n.Client, "is connected"
	if client == "" {
		client = "a client"
	}
	if n.Gone {
		did = "is gone. What was to be seen?"
	}
	p.say("  %s %s", client, did)
}
