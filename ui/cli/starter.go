package cli

import (
	"context"
	"os"
	"sync"
	"time"

	"midwire/fixtures/classics"
	"midwire/intercept"
	"midwire/intercept/gate"
	"midwire/ui/welcome"
)

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
