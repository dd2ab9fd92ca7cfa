package minimize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"midwire/replay"
	"midwire/replay/run"
	"midwire/session/diagnose"
	"midwire/session/record"
)

// Options say how to try. Those of a run that are needed are needed here too: a target,
// Record, and Yes for tools that are not marked read-only.
type Options struct {
	run.Options
	Most  int           // tries, 0 is 100
	Limit time.Duration // for all of them, 0 is a minute
	Tried func(p Progress)
}

// Progress is how far a search has come.
type Progress struct {
	Tries, Most int
	Left        int // messages that are still in it
}

// Outcome is what the search came to.
type Outcome string

// The outcomes.
const (
	Minimal Outcome = "minimal" // nothing that is left can be left out
	Smaller Outcome = "smaller" // it ended early: more may be left out
	Flaky   Outcome = "flaky"   // the same messages fail sometimes
	Gone    Outcome = "gone"    // it does not fail in this way any more
)

// Message is a message of a client that is left.
type Message struct {
	Frame uint32 `json:"frame"`
	Label string `json:"label"`
}

// Result is the smallest session that fails in the same way. Its texts may hold what a
// peer said.
type Result struct {
	Recording string    `json:"recording"` // that was minimized
	Frame     uint32    `json:"frame"`     // of the request that fails
	Call      string    `json:"call"`
	Failure   string    `json:"failure"`
	Outcome   Outcome   `json:"outcome"`
	Messages  []Message `json:"messages"` // that are left, handshake included
	Of        int       `json:"of"`       // messages of the client up to the request
	LeftOut   int       `json:"left_out,omitempty"`
	Members   []string  `json:"members"` // of the arguments, that are left
	OfMembers int       `json:"of_members"`
	Params    string    `json:"params,omitempty"` // of the request, where they are others than recorded
	Fails     int       `json:"fails"`            // how often what is left failed in the same way
	Times     int       `json:"times"`            // of so many
	Tries     int       `json:"tries"`
	Minimal   string    `json:"minimal,omitempty"` // the recording of what is left
	Why       string    `json:"why,omitempty"`     // the search ended early
}

type minimizer struct {
	ctx    context.Context
	script *replay.Script
	plan   *replay.Plan
	opt    Options
	call   int32
	was    string // shape of the failure
	r      *Result
	tried  map[string]bool
	ends   time.Time

	slice  []bool  // steps that the call needs
	others []int32 // steps that it may need
	params []byte
}

// errEnough ends a search whose tries or time are used up.
var errEnough = errors.New("the search ended early")

// Run minimizes the session up to a call that failed. The error is one of asking, or of
// midwire itself; the result then is what is known.
func Run(ctx context.Context, s *replay.Script, call int32, opt Options) (*Result, error) {
	opt.Most, opt.Limit = cmp.Or(opt.Most, 100), cmp.Or(opt.Limit, time.Minute)
	opt.Ask()
	m, err := begin(ctx, s, call, opt)
	if err != nil {
		return nil, err
	}
	err = m.minimize()
	if errors.Is(err, errEnough) {
		m.r.Outcome, m.r.Why, err = Smaller, fmt.Sprintf("after %d tries", m.r.Tries), nil
	}
	if m.ctx.Err() != nil && m.r.Outcome == Minimal {
		m.r.Outcome = Smaller
	}
	return m.r, err
}

// begin works out what may be left out.
func begin(ctx context.Context, s *replay.Script, call int32, opt Options) (*minimizer, error) {
	recorded := s.Recorded(call)
	why, failed := recorded.Failure(s.Method(call))
	if !failed {
		return nil, fmt.Errorf("#%d did not fail: there is nothing to minimize", s.CallRow(call).Request)
	}
	p, err := s.Plan(replay.PlanOptions{})
	if err != nil {
		return nil, err
	}
	m := &minimizer{
		ctx: ctx, script: s, plan: p, opt: opt, call: call, was: diagnose.Shape(why), tried: map[string]bool{},
		r: &Result{
			Recording: s.Header.ID, Frame: s.CallRow(call).Request, Call: s.Label(call), Failure: why, Outcome: Minimal,
		},
		slice: p.Slice(s.Calls[call].Step), ends: time.Now().Add(opt.Limit),
	}
	guarded := map[int32][]string{}
	if !opt.Yes {
		guarded = p.Guarded()
	}
	last := s.Calls[call].Step
	for i := range s.Steps {
		step := int32(i)
		switch {
		case s.Steps[i].Frame > s.Steps[last].Frame:
			continue
		case guarded[step] != nil && m.slice[step]:
			return nil, fmt.Errorf("#%d would be sent again, and %s is not marked read-only: --yes calls it",
				s.Steps[i].Frame, strings.Join(guarded[step], ", "))
		case guarded[step] != nil:
			m.r.LeftOut++
		case !m.slice[step]:
			m.others = append(m.others, step)
		}
		m.r.Of++
	}
	m.params, err = s.Params(call)
	return m, err
}

// unrecorded is for tries: nothing is kept of them, also when midwire is killed.
func unrecorded(record.Header) *record.Writer { return record.Discard() }

func (m *minimizer) minimize() error {
	ok, err := m.confirm()
	if err != nil || !ok {
		return err
	}
	left, err := search(m.others, m.fails)
	if err == nil {
		left, err = shrink(left, m.fails)
	}
	m.others = left
	if err == nil {
		err = m.arguments()
	}
	return errors.Join(err, m.prove())
}

// confirm makes sure that it still fails, and each time. What the call needs by its handles
// alone comes first: if that fails, nothing else has to be sent.
func (m *minimizer) confirm() (ok bool, err error) {
	all := m.others
	for _, some := range [][]int32{nil, all} {
		m.others = some
		failed, n := 0, 0
		for want := 1; n < want; n++ {
			again, err := m.attempt(some, m.params)
			if err != nil {
				return false, err
			}
			if again {
				failed++
			}
			switch {
			case n == 0 && (again || len(some) > 0 || len(all) == 0):
				want = 3
			case n == 2 && failed > 0 && failed < 3:
				want = 5
			}
		}
		m.r.Fails, m.r.Times = failed, n
		switch {
		case failed == n:
			m.note(some, m.params, true)
			return true, nil
		case failed > 0:
			m.r.Outcome = Flaky
			m.list()
			return false, nil
		}
		m.note(some, m.params, false)
		if len(all) == 0 {
			break
		}
	}
	m.r.Outcome = Gone
	m.list()
	return false, nil
}

// fails says whether the call fails in the same way with some of the other steps.
func (m *minimizer) fails(others []int32) (bool, error) { return m.try(others, m.params) }

// try is once, of what was not tried before.
func (m *minimizer) try(others []int32, params []byte) (bool, error) {
	if again, known := m.tried[key(others, params)]; known {
		return again, nil
	}
	again, err := m.attempt(others, params)
	if err == nil {
		m.note(others, params, again)
	}
	return again, err
}

func key(others []int32, params []byte) string {
	return fmt.Sprint(slices.Sorted(slices.Values(others)), string(params))
}

func (m *minimizer) note(others []int32, params []byte, again bool) {
	m.tried[key(others, params)] = again
}

// attempt sends the call with what it needs and some of the other steps, and says whether it
// fails in the same way.
func (m *minimizer) attempt(others []int32, params []byte) (bool, error) {
	if m.r.Tries >= m.opt.Most || time.Now().After(m.ends) {
		return false, errEnough
	}
	m.r.Tries++
	if m.opt.Tried != nil {
		m.opt.Tried(Progress{m.r.Tries, m.opt.Most, len(m.keep(others))})
	}
	opt := m.opt.Options
	opt.Record = unrecorded
	again, _, err := m.send(others, params, opt)
	return again, err
}

// keep lists the steps that are sent, in their order.
func (m *minimizer) keep(others []int32) (all []int32) {
	for i, marked := range m.marked(others) {
		if marked {
			all = append(all, int32(i))
		}
	}
	return all
}

// marked marks the steps that are sent: the call, some of the others, and what they need.
func (m *minimizer) marked(others []int32) []bool {
	return m.plan.Slice(append(slices.Clone(others), m.script.Calls[m.call].Step)...)
}

func (m *minimizer) send(others []int32, params []byte, opt run.Options) (again bool, r *replay.Report, err error) {
	edited := params
	if same, _ := m.script.Params(m.call); string(same) == string(params) {
		edited = nil
	}
	p, err := m.plan.Keep(m.marked(others), m.call, edited)
	if err != nil {
		return false, nil, err
	}
	opt.Findings, opt.Schema, opt.Keep = nil, nil, 64<<20 // the text of the failure is compared
	ctx, cancel := context.WithDeadline(m.ctx, m.ends)
	defer cancel()
	r, err = run.Run(ctx, p, opt)
	switch {
	case m.ctx.Err() != nil:
		return false, r, m.ctx.Err()
	case ctx.Err() != nil:
		return false, r, errEnough
	case r == nil:
		return false, r, err
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if o.Call != m.call {
			continue
		}
		why, failed := o.Now.Failure(o.Method)
		return failed && o.Verdict != replay.Skipped && diagnose.Shape(why) == m.was, r, nil
	}
	return false, r, err // nothing came at all
}

// prove sends what is left three times; the last time it is recorded.
func (m *minimizer) prove() error {
	m.list()
	if m.ctx.Err() != nil {
		return m.ctx.Err()
	}
	m.r.Fails, m.r.Times = 0, 0
	for n := range 3 {
		opt := m.opt.Options
		if n < 2 {
			opt.Record = unrecorded
		}
		again, r, err := m.send(m.others, m.params, opt)
		if err != nil {
			return err
		}
		if m.r.Times++; again {
			m.r.Fails++
		}
		if n == 2 && len(r.Other) > 0 {
			m.r.Minimal = r.Other[len(r.Other)-1]
		}
	}
	if m.r.Fails < m.r.Times {
		m.r.Outcome = Flaky
	}
	return nil
}

func (m *minimizer) list() {
	m.r.Messages = nil
	for _, i := range m.keep(m.others) {
		step := &m.script.Steps[i]
		label := m.script.Name(m.script.Row(step.Row))
		if step.Count > 0 {
			label = m.script.Label(step.First)
		}
		m.r.Messages = append(m.r.Messages, Message{step.Frame, label})
	}
}
