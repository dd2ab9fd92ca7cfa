// Package backend lets the screen replay: it carries out what a replaying.Replayer is
// asked for, with packages replay and replay/run.
package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"midwire/replay"
	"midwire/replay/call"
	"midwire/replay/contrast"
	"midwire/replay/run"
	"midwire/session/record"
	"midwire/ui/library"
	"midwire/ui/replaying"
)

// Env is what replaying needs of the program.
type Env struct {
	Dir    string                 // the folder of recordings
	Path   func(id string) string // where the recording of an id is
	Own    func(path string) bool // reports whether a recording was made here; nil for none
	Also   func(path string)      // shows one more recording; may be nil
	Getenv func(string) string    // tells the user's editor
	// Record makes the recording of a proxy; Options has its masking.
	Record  func(h record.Header, opt record.Options) *record.Writer
	Options func() (record.Options, error)
	Slow    replay.Slow // from when on a call counts as slower; replay.DefaultSlow for zero
	// Schema and Findings are those of run.Options; both may be nil.
	Schema   func(schema, result []byte) []string
	Findings func(path string) ([]string, error)
}

// Replayer is the replaying.Replayer. Any goroutine may call its methods.
type Replayer struct {
	env  Env
	runs sync.WaitGroup
}

// New makes a Replayer.
func New(env Env) *Replayer {
	env.Slow = cmp.Or(env.Slow, replay.DefaultSlow())
	return &Replayer{env: env}
}

// Wait blocks until no replay is under way. Whoever ends the program calls it
// after the screen, so that recordings are complete and servers are left.
func (r *Replayer) Wait() { r.runs.Wait() }

// maxKept is how many bytes of the responses of a comparison are kept, so that
// they can be looked at.
const maxKept = 32 << 20

type job struct {
	script *replay.Script
	plan   *replay.Plan
	opt    run.Options
	target string
	own    bool   // the recording was made here: it may say what to run, and where
	stuck  string // why it cannot be sent
}

// prepare loads the recording of a request and plans it. The caller closes the
// script.
func (r *Replayer) prepare(q replaying.Request) (*job, error) {
	s, err := replay.Load(r.env.Path(q.Recording))
	if err != nil {
		return nil, err
	}
	j := &job{script: s, own: r.env.Own != nil && r.env.Own(s.Path)}
	if err = j.narrow(q); err == nil {
		err = r.options(j, q)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return j, nil
}

// narrow plans the session, or the one call.
func (j *job) narrow(q replaying.Request) error {
	var opt replay.PlanOptions
	if q.Session >= 0 {
		opt.Sessions = []int{q.Session}
	}
	var err error
	if j.plan, err = j.script.Plan(opt); err != nil || q.Frame == 0 {
		return err
	}
	call, ok := j.script.Call(q.Frame, q.Batch)
	if !ok {
		return fmt.Errorf("#%d is no request of a client; choose another message", q.Frame)
	}
	if q.Tool != "" {
		j.plan, err = j.plan.Substitute(call, q.Tool, q.Params)
		return err
	}
	j.plan, err = j.plan.Narrow(call, q.Params)
	return err
}

func (r *Replayer) options(j *job, q replaying.Request) error {
	masking, err := r.env.Options()
	if err != nil {
		return err
	}
	j.opt = run.Options{
		Slow:   r.env.Slow,
		Schema: r.env.Schema, Findings: r.env.Findings,
		Keep: maxKept, Yes: q.Tools == replaying.AllTools, OnlyRead: q.Tools == replaying.ReadOnlyTools,
	}
	j.opt.Record = func(h record.Header) *record.Writer {
		w := r.env.Record(h, masking)
		if r.env.Also != nil {
			r.env.Also(w.Path())
		}
		return w
	}
	if q.Frame != 0 || q.Session >= 0 && len(j.script.Sessions) > 1 || j.opt.OnlyRead {
		j.opt.Findings = nil // a part of a recording has other findings than all of it
	}
	j.aim(q.Target, q.Dir)
	if err := j.plan.Missing(j.opt.Destination()); err != nil && j.stuck == "" {
		j.stuck = fmt.Sprintf("%v. Replay it from the command line: midwire replay %s", err, q.Recording)
	}
	return nil
}

// Plan implements replaying.Replayer.
func (r *Replayer) Plan(_ context.Context, q replaying.Request) (replay.Preview, error) {
	j, err := r.prepare(q)
	if err != nil {
		return replay.Preview{}, err
	}
	defer j.script.Close()
	p := j.plan.Preview()
	p.Target, p.Dir, p.Missing = j.target, j.opt.Dir, j.stuck
	if q.Frame != 0 {
		call, _ := j.script.Call(q.Frame, q.Batch)
		if p.Params, err = j.script.Params(call); q.Params != nil {
			p.Params = q.Params
		}
	}
	return p, err
}

// Run implements replaying.Replayer.
func (r *Replayer) Run(
	ctx context.Context, q replaying.Request, tell func(replay.Progress),
) (*replay.Comparison, error) {
	r.runs.Add(1)
	defer r.runs.Done()
	j, err := r.prepare(q)
	if err != nil {
		return nil, err
	}
	defer j.script.Close()
	if q.Target == "" {
		return nil, errors.New("a replay needs a target that was shown")
	}
	if j.stuck != "" {
		return nil, errors.New(j.stuck)
	}
	if q.Probe {
		return r.probe(ctx, q, j, tell)
	}
	var mu sync.Mutex // guards at
	var at replay.Progress
	change := func(how func()) {
		mu.Lock()
		defer mu.Unlock()
		how()
		tell(at)
	}
	change(func() { at.All, _ = j.plan.Sent(j.opt.OnlyRead) })
	j.opt.Seen = func(o *replay.Outcome) {
		change(func() {
			if o.Verdict != replay.Skipped {
				at.Done++
			}
		})
	}
	began := time.Now()
	report, err := run.Run(ctx, j.plan, j.opt)
	if report == nil {
		return nil, err
	}
	out := report.Comparison()
	out.First, out.FirstName, out.SecondName = q.Recording, nameOf(j.script, q.SessionRef), j.target
	out.Took = time.Since(began)
	if len(report.Other) > 0 {
		out.Second = idOf(report.Other[0])
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		out.Problems = append(out.Problems, err.Error())
	}
	return out, err
}

// Compare implements replaying.Replayer.
func (r *Replayer) Compare(ctx context.Context, a, b library.SessionRef) (*replay.Comparison, error) {
	if a == (library.SessionRef{}) {
		return r.withGood(ctx, b)
	}
	return r.compare(r.env.Path(a.Recording), a, b)
}

// compare compares two sessions, of which the first is in a file that need not be on the
// screen.
func (r *Replayer) compare(first string, a, b library.SessionRef) (*replay.Comparison, error) {
	x, err := replay.Load(first)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	y, err := replay.Load(r.env.Path(b.Recording))
	if err != nil {
		return nil, err
	}
	defer y.Close()
	opt := replay.DiffOptions{Slow: r.env.Slow, Keep: maxKept}
	if a.Session >= 0 {
		opt.A = []int{a.Session}
	}
	if b.Session >= 0 {
		opt.B = []int{b.Session}
	}
	report, err := replay.Diff(x, y, opt)
	if err != nil {
		return nil, err
	}
	out := report.Comparison()
	out.First, out.Second, out.FirstName, out.SecondName = a.Recording, b.Recording, nameOf(x, a), nameOf(y, b)
	return out, nil
}

// withGood compares a session with the good one that is nearest, and says first what sets
// it apart from all that are like that one.
func (r *Replayer) withGood(ctx context.Context, b library.SessionRef) (*replay.Comparison, error) {
	file := r.env.Path(b.Recording)
	sets, err := contrast.Run(ctx, r.env.Dir, file, contrast.Options{Session: b.Session + 1})
	if err != nil {
		return nil, err
	}
	good := sets.Good[0]
	out, err := r.compare(good.Path(), library.SessionRef{Recording: good.Recording, Session: good.Session - 1}, b)
	if err != nil {
		return nil, err
	}
	out.FirstSession, out.Found = good.Session-1, true
	var lines []string
	for i := range sets.Differences {
		lines = append(lines, sets.Differences[i].Line(len(sets.Good)))
	}
	if sets.Since != nil {
		lines = append(lines, sets.Since.Line())
	}
	out.Problems = append(lines, out.Problems...)
	return out, nil
}

// Lines implements replaying.Replayer.
func (r *Replayer) Lines(c *replay.Comparison, call int) ([]replay.Line, error) {
	lines, ok := c.Lines(call)
	if !ok {
		return nil, fmt.Errorf("the responses are too big to be kept here. "+
			"The recordings hold them: midwire diff %s %s", c.First, c.Second)
	}
	return lines, nil
}

// Arguments implements replaying.Replayer.
func (r *Replayer) Arguments(schema []byte, all []replaying.Written) ([]byte, []string, error) {
	var args []call.Argument
	for _, one := range all {
		args = append(args, call.Argument{Name: one.Name, Value: one.Text, JSON: one.JSON})
	}
	made, err := call.Arguments(schema, args)
	if err != nil {
		return nil, nil, err
	}
	object := replay.Encode(made)
	if len(object) == 0 {
		return nil, nil, errors.New("the arguments are no JSON")
	}
	if r.env.Schema == nil {
		return object, nil, nil
	}
	return object, r.env.Schema(schema, object), nil
}

func nameOf(s *replay.Script, ref library.SessionRef) string {
	name := cmp.Or(s.Header.Label, ref.Recording)
	if ref.Session >= 0 && ref.Session < len(s.Sessions) && len(s.Sessions) > 1 {
		name += fmt.Sprintf(" session %d", ref.Session+1)
	}
	return name
}

func idOf(path string) string {
	id, _, _ := strings.Cut(filepath.Base(path), ".")
	return id
}
