package stages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"midwire/replay/checks"
	"midwire/replay/peer"
)

// Options say which server to test. A server and Record are needed.
type Options struct {
	peer.Server
	Yes     bool          // tools that are not marked read-only may be called
	Timeout time.Duration // of one request; 10 s when zero
	Idle    time.Duration // how long a session idles; none when zero
	Limit   time.Duration // for all of it; a minute, and Idle, when zero
	Suite   []string      // command of the conformance suite; then it is run instead
	Say     func(string)  // what is run besides; for Suite
	Seen    func(c *checks.Check)
}

// MaxTime is how long all of a test may take.
func (o *Options) MaxTime() time.Duration {
	switch {
	case o.Limit > 0:
		return o.Limit
	case o.Suite != nil:
		return suiteTime + time.Minute
	}
	return time.Minute + o.Idle
}

type tester struct {
	opt   Options
	given peer.Secrets // of the user
	ctx   context.Context
	r     *checks.Report
	// Of sessions that keep to the specification, and of odd ones, whose recordings are
	// not judged: what is refused there is refused by right.
	proxy [2]string // URLs, of an HTTP server
	mu    sync.Mutex
	files [2][]string // guarded by mu

	legacy, modern bool // what the server speaks: with a handshake, and without
	now            bool // it is spoken to without
	info           string
	able           map[string]json.RawMessage // capabilities of the server
	tools          []tool
	uri, prompt    string // of the first resource, and the first prompt without arguments that must be given

	stage    string
	ids      int
	last     string                   // id of the latest request, as JSON
	shown    map[*checks.Check]string // by which request
	listened *checks.Check            // of a subscription
	silent   map[string]bool          // requests that got nothing in time
	closing  sync.WaitGroup
}

// errEnds ends the test: what follows could say nothing.
var errEnds = errors.New("the test ends here")

// Run tests a server. The error is one of testing; the report then is what is known.
func Run(ctx context.Context, opt Options) (*checks.Report, error) {
	if opt.Timeout <= 0 {
		opt.Timeout = 10 * time.Second
	}
	given := opt.Ask()
	opt.Limit = opt.MaxTime()
	began := time.Now()
	asked := ctx
	ctx, cancel := context.WithTimeout(ctx, opt.Limit)
	defer cancel()
	t := &tester{opt: opt, given: given, ctx: ctx, shown: map[*checks.Check]string{}, silent: map[string]bool{}}
	t.r = &checks.Report{
		Transport: "stdio", Target: opt.String(), Checks: []*checks.Check{},
	}
	if opt.URL != nil {
		t.r.Transport = "http"
	}
	err := t.run(asked)
	switch {
	case asked.Err() != nil:
		err = asked.Err()
	case errors.Is(err, errEnds):
		err = nil
	case errors.Is(err, peer.ErrFlood):
		t.stage, t.last = "limits", ""
		t.must("output", err.Error(), "")
		err = nil
	case ctx.Err() != nil:
		t.stage, t.last = "limits", ""
		t.must("time", "the test ended after "+opt.Limit.String()+", before all was tried: --limit gives it more", "")
		err = nil
	}
	t.r.Took = time.Since(began)
	return t.r, err
}

// run plays the stages, until its time is over; asked ends what is read of it afterwards too.
func (t *tester) run(asked context.Context) error {
	t.stage = "reach"
	if err := t.reach(); err != nil {
		return err
	}
	defer t.judge(asked)
	if t.opt.URL != nil {
		for i := range t.proxy {
			tap, leave, err := t.opt.Proxy(t.ctx, nil, labels[i])
			if err != nil {
				return err
			}
			defer leave()
			t.files[i] = append(t.files[i], tap.Record.Path())
			t.proxy[i] = tap.Origin() + t.opt.URL.RequestURI()
		}
	}
	defer t.closing.Wait()
	if t.opt.Suite != nil {
		t.stage = "conformance"
		return t.suite()
	}
	if err := t.play("handshake", several, t.handshake); err != nil {
		return err
	}
	for _, now := range [...]bool{false, true} {
		if now && !t.modern || !now && !t.legacy {
			continue
		}
		t.now = now
		if err := t.era(); err != nil {
			return err
		}
	}
	t.now = t.modern && !t.legacy
	return t.play("end", several, t.end)
}

// era plays the stages that both kinds of servers have.
func (t *tester) era() error {
	overHTTP := t.opt.URL != nil
	for _, one := range [...]struct {
		name string
		when bool
		kind int
		do   func(*conn) error
	}{
		{"discover", t.now, several, t.discover},
		{"messages", true, odd, t.messages},
		{"transport", overHTTP, odd, t.transport},
		{"headers", t.now && overHTTP, odd, t.headers},
		{"lists", true, proper, t.lists},
		{"definitions", true, several, t.definitions},
		{"capabilities", true, proper, t.capabilities},
		{"calls", true, several, t.calls},
		{"sessions", true, proper, t.sessions},
		{"limits", true, several, t.limits},
		{"idle", t.opt.Idle > 0, proper, t.idle},
	} {
		if !one.when {
			continue
		}
		if err := t.play(one.name, one.kind, one.do); err != nil {
			return err
		}
	}
	return nil
}

// play plays a stage in a session of that kind. A stage that opens several gets nil.
func (t *tester) play(stage string, kind int, do func(*conn) error) error {
	t.stage, t.last = stage, ""
	if t.now && t.legacy {
		t.stage += " (2026)"
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	if kind == several {
		return do(nil)
	}
	c, err := t.begun(kind)
	if err != nil {
		return err
	}
	defer c.close()
	return do(c)
}

// labels are those of the recordings: of sessions as they should be, and of odd ones.
var labels = [2]string{"test", "test, odd"}

const (
	proper = iota
	odd
	several
)

// check notes what a check came to; one without a text has passed.
func (t *tester) check(name string, v checks.Verdict, text, spec string) *checks.Check {
	if text == "" {
		v = checks.Passed
	}
	c := &checks.Check{Stage: t.stage, Name: name, Verdict: v, Text: t.given.Text(text), Spec: spec}
	t.r.Checks = append(t.r.Checks, c)
	t.shown[c] = t.last
	if t.opt.Seen != nil {
		t.opt.Seen(c)
	}
	return c
}

// must fails where text says what is wrong.
func (t *tester) must(name, text, spec string) { t.check(name, checks.Failed, text, spec) }

// should notes where text says what is wrong.
func (t *tester) should(name, text, spec string) { t.check(name, checks.Noted, text, spec) }

// fine is a check that passed, with what there is to say.
func (t *tester) fine(name, format string, a ...any) {
	t.check(name, checks.Passed, fmt.Sprintf(format, a...), "")
}
