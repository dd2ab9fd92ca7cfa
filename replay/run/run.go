package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"midwire/replay"
	"midwire/replay/peer"
	"midwire/session/record/redact"
	"midwire/session/words"
)

// Options say how a plan is carried out. A target and Record are needed.
type Options struct {
	// A URL without a path stands for all endpoints of the recording. Fields of Header
	// stand in place of recorded ones of the same name; an empty value removes the field.
	peer.Server
	// Transport is "http" for Streamable HTTP, "sse" for HTTP+SSE, "" to go by
	// the URL and the recording.
	Transport string

	Timeout time.Duration // for one call; 60 s when zero

	// Yes allows calls of tools that are not marked read-only; OnlyRead leaves
	// them out. Without either such a call is an error before anything is sent.
	Yes, OnlyRead bool

	Masks replay.Masks
	Slow  replay.Slow
	Keep  int // how many bytes of responses the report keeps
	// Seen is called by the driver with each outcome, as calls end.
	Seen func(o *replay.Outcome)
	// Schema, when set, checks a tool's structured result against the output
	// schema it advertised, and returns what is wrong with it.
	Schema func(schema, result []byte) []string
	// Findings, when set, returns what is wrong with a recording, a line each.
	Findings func(path string) ([]string, error)

	mostTotal int64 // of tests
}

// Destination is what the options say of where a plan is sent.
func (o *Options) Destination() *replay.Destination {
	return &replay.Destination{
		URL: o.URL, Transport: o.Transport, Header: o.Header, OnlyRead: o.OnlyRead && !o.Yes,
	}
}

func (o *Options) total() int64 {
	if o.mostTotal > 0 {
		return o.mostTotal
	}
	return maxTotal
}

// check says before anything is sent what is missing for a run.
func (o *Options) check(p *replay.Plan) error {
	switch {
	case o.Record == nil:
		return errors.New("replay: no recording to write to")
	case (o.URL == nil) == (len(o.Command) == 0):
		return errors.New("replay needs a target: --to URL, or -- COMMAND")
	}
	if err := p.Missing(o.Destination()); err != nil {
		return err
	}
	if o.Yes || o.OnlyRead {
		return nil
	}
	if names := p.Unmarked(); len(names) > 0 {
		return fmt.Errorf("not marked read-only, and would be called again: %s. "+
			"--yes calls them, --only-read leaves them out, --dry-run sends nothing", words.List(names, 10))
	}
	return nil
}

const defaultTimeout = 60 * time.Second

// Run carries a plan out and compares the responses with the recorded ones. It
// returns a report also when it was interrupted; the error then says by what.
// When it returns, the target has been left, and the recordings are closed.
func Run(ctx context.Context, p *replay.Plan, opt Options) (*replay.Report, error) {
	if opt.Timeout <= 0 {
		opt.Timeout = defaultTimeout
	}
	if err := opt.check(p); err != nil {
		return nil, err
	}
	given := opt.Given()
	opt.Record = given.Record(opt.Record)
	r := newRun(ctx, p, opt)
	r.hide = redact.Hide(given)
	err := r.start()
	if err == nil {
		err = r.drive()
	}
	if err == nil && !r.heard {
		err = r.unreached()
	}
	r.finish()
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return r.Report, errors.Join(err, r.findings())
}

// run is the state of a Run. Its driver alone touches it.
type run struct {
	*replay.Plan
	*replay.Report
	opt Options
	ctx context.Context

	arrivals chan arrival
	intake   *intake
	hide     *redact.Hidden
	quit     chan struct{} // closed when no one takes arrivals any more
	conns    map[int]*connection
	proxy    string // address, of an HTTP target

	stopProxy func() // nil for none

	pending map[int32]pendingCall
	done    []bool             // by call
	taken   []bool             // by step: the server has taken it
	skip    map[int32][]string // steps left out
	awaited map[string]bool    // notifications that are waited for
	heard   bool               // something came from the target
}

// pendingCall is a call that was sent and got no response yet.
type pendingCall struct {
	conn *connection
	id   []byte // as it was sent
	sent time.Time
}

func newRun(ctx context.Context, p *replay.Plan, opt Options) *run {
	s := p.Script
	r := &run{
		Plan: p, Report: replay.NewReport(s, opt.Keep), opt: opt, ctx: ctx,
		arrivals: make(chan arrival, 64), intake: newIntake(opt.total()), quit: make(chan struct{}),
		conns: map[int]*connection{}, pending: map[int32]pendingCall{},
		done: make([]bool, len(s.Calls)), taken: make([]bool, len(s.Steps)), awaited: map[string]bool{},
	}
	if opt.OnlyRead && !opt.Yes {
		r.skip = p.Guarded()
	}
	r.opt.Masks.Handles = r.Handles
	for i := range s.Notifications {
		r.awaited[s.Name(s.Row(s.Notifications[i].Row))] = true
	}
	return r
}

// unreached is why nothing came from the target; nil when it is only slow.
func (r *run) unreached() error {
	for _, c := range r.conns {
		if c.lost != "" {
			return fmt.Errorf("nothing came from the target: %s", c.lost)
		}
	}
	return nil
}

func (r *run) add(o *replay.Outcome) {
	r.Add(o)
	if r.opt.Seen != nil {
		r.opt.Seen(o)
	}
}

// findings compares what is wrong with the two recordings. On another
// transport other things can be wrong: then that says nothing of the server.
func (r *run) findings() error {
	if r.opt.Findings == nil || (r.Script.Header.Tap == "http") != (r.opt.URL != nil) {
		return nil
	}
	before, err := r.opt.Findings(r.Recording)
	if err != nil {
		return fmt.Errorf("findings of %s: %w", r.Recording, err)
	}
	var after []string
	for _, path := range r.Other {
		some, err := r.opt.Findings(path)
		if err != nil {
			return fmt.Errorf("findings of %s: %w", path, err)
		}
		after = append(after, some...)
	}
	r.AddFindings(before, after)
	return nil
}
