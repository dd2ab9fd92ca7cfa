package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"midwire/fixtures/classics"
	"midwire/fixtures/classics/classicshub"
	"midwire/intercept"
	"midwire/intercept/gate"
	"midwire/session/record"
	"midwire/ui/welcome"
)

func (a *app) demo() *cobra.Command {
	var list, fixed, hub bool
	w := watching{tap: true}
	c := &cobra.Command{
		Use:   "demo [SCENARIO]",
		Short: "Play a built-in session or a classic failure",
		Args:  cobra.MaximumNArgs(1), ValidArgs: classics.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				_, err := fmt.Fprint(a.Out, classics.List())
				return err
			}
			if len(args) == 0 {
				return a.play(cmd.Context(), w, "demo", a.performance("demo", false))
			}
			if s, ok := classics.Find(args[0]); ok {
				if hub && s.HubStory == "" {
					return usagef("%s has no form through the hub. midwire demo --list names those that have", s.Name)
				}
				return a.playScenario(cmd.Context(), w, s, fixed, hub)
			}
			return usagef("no scenario %q. midwire demo --list names them", args[0])
		},
	}
	c.Flags().BoolVar(&list, "list", false, "list the scenarios")
	c.Flags().BoolVar(&fixed, "fixed", false, "play the scenario without its fault")
	c.Flags().BoolVar(&hub, "hub", false, "play it without its fault, through midwire hub")
	c.Flags().BoolVar(&w.plain, "no-ui", false, "print one line per message, and end when the demo does")
	return c
}

// playScenario plays a classic failure, and without a screen says what is found.
func (a *app) playScenario(ctx context.Context, w watching, s classics.Scenario, fixed, hub bool) error {
	p := classics.Play{Fixed: fixed}
	if !a.hasScreen(w) {
		fmt.Fprintln(a.Out, s.Told(fixed, hub))
	}
	err := a.play(ctx, w, s.Name, acted(s, p, hub))
	if err != nil || a.hasScreen(w) {
		return err
	}
	return a.findings(a.flow)
}

// performance is what is played under a name: the demo, or a classic failure.
func (a *app) performance(name string, fixed bool) func(context.Context, stage) error {
	s, ok := classics.Find(name)
	if !ok {
		s = classics.Demo()
	}
	return acted(s, classics.Play{Fixed: fixed}, false)
}

// acted is a scenario on a stage, through the hub if that is wanted.
func acted(s classics.Scenario, p classics.Play, hub bool) func(context.Context, stage) error {
	return func(ctx context.Context, on stage) error {
		if hub {
			p.Hub = (&classicshub.Hub{Record: on.fleet.Record}).Start
		}
		p.Taps, p.Pace, p.Self, p.Say = on.fleet, on.pace, []string{on.self}, on.say
		err := s.Run(ctx, p)
		on.end("That was " + strings.Replace(s.Name, "demo", "the demo", 1) + ".")
		return err
	}
}

// toTry is what the plays end with, on the screen and in plain lines.
const (
	toTry    = " Try:   ! what broke, and why   w waterfall   R replay"
	tryShell = `Three things to try:
  midwire                       all sessions on one screen; enter opens one
  midwire demo session-per-call a classic failure, and who has to fix it
  midwire replay last --plan    what a replay of the last recording would send
`
)

type stage struct {
	fleet *intercept.Fleet // the taps to play through
	self  string           // the program
	pace  time.Duration    // between two steps of a player
	say   func(string)     // what is going on
	seen  bool             // on a screen
}

// end says that a play is over, and what to do then.
func (on stage) end(text string) {
	if on.seen {
		on.say(text + toTry)
	}
}

// play has something played through taps of its own, one flow, and shows it.
func (a *app) play(ctx context.Context, w watching, name string, perform func(context.Context, stage) error) error {
	ctx, stop := intercept.UntilAsked(ctx)
	defer stop()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	w.since = time.Now()
	on := a.stage(ctx, name, self, w.since)
	on.say = func(line string) { fmt.Fprintln(a.Out, "    "+line) }
	if a.hasScreen(w) {
		w.told = make(chan string, 64)
		on.seen, on.pace, on.say = true, screenPace, tell(w.told)
	}
	err = a.watch(ctx, w, func(ctx context.Context) error { return on.perform(ctx, perform) })
	if err == nil && !on.seen && name == "demo" {
		fmt.Fprint(a.Out, "\n"+tryShell)
	}
	return err
}

// tell says lines to a screen. A play does not wait for who reads them.
func tell(to chan<- string) func(string) {
	return func(line string) {
		select {
		case to <- line:
		default:
		}
	}
}

// paced passes lines on so that each can be read, until ctx ends.
func paced(ctx context.Context, lines <-chan string) <-chan string {
	out := make(chan string)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case line := <-lines:
				select {
				case out <- line:
				case <-ctx.Done():
					return
				}
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(2 * screenPace):
			}
		}
	}()
	return out
}

// screenPace is the pause between two steps that somebody watches.
const screenPace = 700 * time.Millisecond

// stage prepares taps of their own for a play, which is a flow.
func (a *app) stage(ctx context.Context, name, self string, since time.Time) stage {
	a.flow = name + since.UTC().Format("-20060102-150405.000000")
	return stage{self: self, pace: 30 * time.Millisecond, fleet: &intercept.Fleet{
		Ctx: context.WithoutCancel(ctx), Options: intercept.HTTPOptions{Listen: "127.0.0.1:0"},
		Record: func(h record.Header) *record.Writer { return a.recorder(h, record.Options{}) },
		Shim:   func(label string) []string { return []string{self, "--label", label, "--flow", a.flow} },
	}}
}

// perform plays something, and then ends the taps.
func (on stage) perform(ctx context.Context, play func(context.Context, stage) error) error {
	return errors.Join(play(ctx, on), on.fleet.Close())
}

// starter plays and proxies beside the screen, until its context ends. Wait
// waits for what was started.
type starter struct {
	app *app
	ctx context.Context
	say func(string)
	ran sync.WaitGroup
}

// Plays implements welcome.Starter.
func (s *starter) Plays() []welcome.Play {
	out := []welcome.Play{{Name: "demo", Title: "the demo, 4 clients"}}
	for _, c := range classics.All() {
		out = append(out, welcome.Play{Name: c.Name, Title: c.Title})
	}
	return out
}

// Play implements welcome.Starter.
func (s *starter) Play(name string) error {
	s.ran.Add(1)
	defer s.ran.Done()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	a := *s.app // a flow of its own
	on := a.stage(s.ctx, name, self, time.Now())
	on.seen, on.pace, on.say = true, screenPace, s.say
	return on.perform(s.ctx, a.performance(name, false))
}

// Serve implements welcome.Starter.
func (s *starter) Serve(url string) (address string, err error) {
	target, err := intercept.ParseTarget(url)
	if err != nil {
		return "", err
	}
	opt, err := s.app.masking()
	if err != nil {
		return "", err
	}
	o := intercept.HTTPOptions{Listen: "127.0.0.1:0"}
	tap, err := o.New(target)
	if err != nil {
		return "", err
	}
	closeGate, control := s.app.tap(tap, target, opt, gate.New("http"), true) // by the screen beside it
	s.ran.Go(control)
	s.ran.Go(func() {
		defer closeGate()
		if err := tap.Run(s.ctx); err != nil {
			s.app.onTrouble(err)
		}
	})
	return tap.Origin() + target.RequestURI(), nil
}
