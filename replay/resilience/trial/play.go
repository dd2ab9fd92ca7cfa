package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"midwire/intercept/gate"
	"midwire/replay/checks"
	"midwire/replay/peer"
	"midwire/replay/resilience"
	"midwire/session/defect"
	"midwire/session/diagnose"
)

// Options say who is tried. Client, a server, Record, Folder and Rules
// are needed.
type Options struct {
	// Client is the command of the client, for a shell: {url}, {server} and {config}
	// in it stand for where the server is.
	Client string
	// Offers says that midwire plays the servers, on stdio with Stdio: none is needed.
	Offers, Stdio bool
	Tools         []string // that these servers list besides those that the client calls without an offer

	peer.Server
	Self   string // midwire's own program, for a stdio server
	Home   string // MIDWIRE_HOME for it, "" for none
	Folder string // of recordings
	Rules  []*diagnose.Rule

	Timeout time.Duration // for a run, beyond what one without a fault takes
	Jobs    int           // runs at a time, at least 1
	Seen    func(*checks.Check)
	Fail    checks.Outcome // from which on a check fails
}

func (o *Options) tap() string {
	if o.URL != nil || o.Offers && !o.Stdio {
		return "http"
	}
	return "stdio"
}

// Play runs the client once without a fault and once with each, and returns what
// came of it; with an error that is what there is.
func Play(ctx context.Context, o Options, faults []resilience.Fault) (r *checks.Report, err error) {
	began := time.Now()
	base, err := o.run(ctx, resilience.Fault{Name: "none"})
	if err != nil {
		return nil, err
	}
	r = &checks.Report{Role: "client", Target: o.Client, Transport: o.tap(), Checks: make([]*checks.Check, len(faults))}
	report := r
	defer func() { report.Took = time.Since(began) }()
	tools, ready, primed := 0, false, false
	for _, t := range base.Tapes {
		r.Recordings = append(r.Recordings, t.ID)
		client, server := t.Peers()
		if r.Name == "" {
			r.Name, r.Opposite = client, server
		}
		n, ofTools, began := t.Served()
		r.Calls, ready, primed = r.Calls+n, ready || began, primed || t.Primed
		if o.tap() == "http" {
			tools += ofTools // the gate counts those of all connections
		} else {
			tools = max(tools, ofTools)
		}
	}
	if err := useless(base, ready); err != nil {
		return nil, err
	}
	o.Timeout += base.End.Took // what it takes anyway is no sign of a fault
	nth := 2
	if tools < nth {
		nth = 1
	}
	faults = slices.Clone(faults)
	for i := range faults {
		adapt(&faults[i], base, nth, primed)
	}
	if tools < 2 {
		r.Remarks = append(r.Remarks, "the client calls a tool once or never: what is said to happen to the second call happens to the first")
	}
	formal := o.learn(r, base)
	err = o.each(ctx, base, faults, r)
	r.Checks = append(r.Checks, formal...)
	return r, err
}

// adapt makes a fault fit a client: it strikes in the nth call of a tool, and on
// streams that are primed when the client has what it resumes by. A server that is
// killed does not respond before it is.
func adapt(f *resilience.Fault, base *resilience.Trial, nth int, primed bool) {
	if f.Name == "kill-server" || f.Name == "exit" {
		f.Rules = append(slices.Clone(f.Rules), "kind:response method:tools/call #2 => drop")
	}
	if primed && f.Resumes {
		f.Rules = replaced(f.Rules, "kind:request method:tools/call #2 => cut after 0 events",
			"kind:response method:tools/call #2 => cut")
	}
	for _, t := range base.Tapes {
		if id := t.CallID(nth); id != "" && !strings.HasPrefix(id, `"`) {
			f.Rules = replaced(f.Rules, `set id "2"`, `set id "`+id+`"`)
		}
	}
	if nth == 1 {
		f.Rules = replaced(f.Rules, "method:tools/call #2", "method:tools/call #1")
	}
}

// useless says why nothing can be learnt from a client, nil if something can.
func useless(base *resilience.Trial, ready bool) error {
	end := &base.End
	last := ""
	if n := len(end.Lines); n > 0 {
		last = ". It said: " + end.Lines[n-1].Text
	}
	switch {
	case end.Killed:
		return fmt.Errorf("without a fault the client does not end within %s. --client takes a command that ends, "+
			"--timeout gives it more time%s", end.Took.Round(time.Second), last)
	case len(base.Tapes) == 0:
		return errors.New("without a fault the client does not connect. Its command must use {url}, {server} or {config}" + last)
	case !ready:
		return fmt.Errorf("without a fault the client gets no result; midwire check %s says why%s", base.Tapes[0].ID, last)
	}
	return nil
}

// replaced puts a part of rules in the place of another.
func replaced(rules []string, old, now string) []string {
	var all []string
	for _, r := range rules {
		all = append(all, strings.Replace(r, old, now, 1))
	}
	return all
}

func (o *Options) each(
	ctx context.Context, base *resilience.Trial, faults []resilience.Fault, r *checks.Report,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	room := make(chan struct{}, max(o.Jobs, 1))
	var wg sync.WaitGroup
	var mu sync.Mutex // guards r, and Seen
	for i, f := range faults {
		r.Checks[i] = f.Check()
		r.Checks[i].Outcome, r.Checks[i].Text = checks.NotApplicable, "it was not played"
		room <- struct{}{}
		wg.Go(func() {
			defer func() { <-room }()
			if ctx.Err() != nil {
				return
			}
			var c *checks.Check
			var files []string
			err := func() (err error) {
				defer defect.Fails("the trial of a fault", &err)
				c, files, err = o.one(ctx, base, f)
				return err
			}()
			if err != nil {
				cancel(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			f.Grade(c, o.Fail)
			r.Checks[i], r.Recordings = c, append(r.Recordings, files...)
			if o.Seen != nil {
				o.Seen(c)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// one plays a fault, and names the recordings of it.
func (o *Options) one(
	ctx context.Context, base *resilience.Trial, f resilience.Fault,
) (c *checks.Check, recordings []string, err error) {
	c = f.Check()
	if c.Text = f.Elsewhere(o.tap()); c.Text != "" {
		return c, nil, nil
	}
	rules, err := parse(f.Rules)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	for _, r := range rules {
		if c.Text = r.Fits(o.tap()); c.Text != "" {
			return c, nil, nil
		}
	}
	t, err := o.run(ctx, f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	for _, tape := range t.Tapes {
		recordings = append(recordings, tape.ID)
	}
	return resilience.Judge(t, base), recordings, nil
}

func parse(lines []string) ([]*gate.Rule, error) {
	return gate.ParseScenario(strings.Join(lines, "\n"))
}
