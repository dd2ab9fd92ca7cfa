package replay

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"midwire/intercept"
	"midwire/session/record"
	"midwire/session/wire"
)

// Options say how a Plan is carried out. A target and Record are needed.
type Options struct {
	// Command starts a stdio server; URL is that of an HTTP one. A URL without
	// a path stands for all endpoints of the recording.
	Command []string
	Dir     string   // where Command runs; "" for here
	Env     []string // of Command; nil for our own
	URL     *url.URL
	// Transport is "http" for Streamable HTTP, "sse" for HTTP+SSE, "" to go by
	// the URL and the recording.
	Transport string
	HTTP      intercept.HTTPOptions // of the tap in front of an HTTP target; Listen is not used
	// Header are fields of HTTP requests in place of recorded ones of the same
	// name. An empty value removes the field.
	Header http.Header
	// Record creates the recording of a tap. The tap closes it.
	Record func(record.Header) *record.Writer

	Timeout time.Duration // for one call; 60 s when zero
	Speed   float64       // 1 is the recorded pace; 0 as fast as answers come
	// Step is called before each step and may wait; an error ends the run.
	Step func(ctx context.Context, step int32) error

	// Yes allows calls of tools that are not marked read-only; OnlyRead leaves
	// them out. Without either such a call is an error before anything is sent.
	Yes, OnlyRead bool

	Masks Masks
	Slow  Slow
	// Seen is called by the driver with each outcome and the two answers it was
	// made of; nil where that side has none. It may not keep their bytes.
	Seen func(o *Outcome, was, now *Answer)
	// Schema, when set, checks a tool's structured result against the output
	// schema it advertised, and returns what is wrong with it.
	Schema func(schema, result []byte) []string
	// Findings, when set, returns what is wrong with a recording, a line each.
	Findings func(path string) ([]string, error)

	mostTotal int64 // of tests
}

// total is how much may come from the server.
func (o *Options) total() int64 {
	if o.mostTotal > 0 {
		return o.mostTotal
	}
	return maxTotal
}

const defaultTimeout = 60 * time.Second

// Run carries the plan out and compares the answers with the recorded ones. It
// returns a report also when it was interrupted; the error then says by what.
// When it returns, the target has been left, and the recordings are closed.
func (p *Plan) Run(ctx context.Context, opt Options) (*Report, error) {
	if opt.Timeout <= 0 {
		opt.Timeout = defaultTimeout
	}
	if err := p.check(&opt); err != nil {
		return nil, err
	}
	r := &run{
		Plan: p, opt: opt, ctx: ctx, begun: time.Now(),
		arrivals: make(chan arrival, 64), intake: newIntake(opt.total()), quit: make(chan struct{}),
		lanes: map[int]*lane{}, flying: map[int32]flight{},
		done: make([]bool, len(p.Script.Calls)), taken: make([]bool, len(p.Script.Steps)),
		values: map[string]string{}, skip: p.skipped(&opt),
		Report: &Report{Recording: p.Script.Path, Remarks: p.Script.Remarks, Outcomes: make([]Outcome, 0, len(p.Script.Calls))},
	}
	r.opt.Masks.Handles, r.Handles = r.values, r.values
	r.awaited = map[string]bool{}
	for i := range p.Script.Notes {
		r.awaited[p.Script.tracker.Name(p.Script.row(p.Script.Notes[i].Row).Name)] = true
	}
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
	*Plan
	*Report
	opt   Options
	ctx   context.Context
	begun time.Time

	arrivals chan arrival
	intake   *intake
	quit     chan struct{} // closed when nobody takes arrivals any more
	lanes    map[int]*lane
	tap      *httpTap // of an HTTP target

	flying  map[int32]flight // calls that were sent and not answered
	done    []bool           // by call
	taken   []bool           // by step: the server has taken it
	skip    map[int32]bool   // steps left out
	values  map[string]string
	awaited map[string]bool // notifications that are waited for
	heard   bool            // the target has said something
}

// unreached is why a target that never said a word did not; nil when it is
// only slow.
func (r *run) unreached() error {
	for _, l := range r.lanes {
		if l.gone != "" {
			return fmt.Errorf("nothing came from the target: %s", l.gone)
		}
	}
	return nil
}

// flight is a call under way.
type flight struct {
	lane *lane
	id   string
	sent time.Time
}

// arrival is what the goroutines of a run report to its driver.
type arrival struct {
	lane    *lane
	kind    arrivalKind
	step    int32 // -1 for none
	payload []byte
	large   bool // it takes the room of a large message until it is handled
	status  int
	head    http.Header
	at      time.Time
	err     error
}

type arrivalKind uint8

const (
	arrivedMessage  arrivalKind = iota // a payload from the server
	arrivedBody                        // the body of a response
	arrivedEndpoint                    // where HTTP+SSE wants posts
	arrivedWritten                     // a request is out, or will never be
	arrivedHead                        // the head of a response
	arrivedEnd                         // an exchange is over
	arrivedGone                        // the carrier is gone for good
	arrivedTurn                        // the user lets the next step be taken
)

// tell reports to the driver.
func (r *run) tell(a arrival) {
	if a.at.IsZero() {
		a.at = time.Now()
	}
	select {
	case r.arrivals <- a:
	case <-r.quit:
		r.intake.free(a.large)
	}
}

// await takes arrivals until cond holds, for that long at most, and says
// whether it does.
func (r *run) await(patience time.Duration, cond func() bool) bool {
	if cond() {
		return true
	}
	timer := time.NewTimer(max(patience, 0))
	defer timer.Stop()
	for {
		select {
		case a := <-r.arrivals:
			r.handle(a)
			if cond() {
				return true
			}
		case <-timer.C:
			return false
		case <-r.ctx.Done():
			return false
		}
	}
}

func never() bool { return false }

// drive goes through what happened in the recording: steps are taken, and what
// had happened before a step has to happen before it again.
func (r *run) drive() error {
	var last int64
	for _, e := range r.Events {
		var err error
		switch e.Kind {
		case EventStep:
			last = r.Script.Steps[e.Index].T
			err = r.step(e.Index)
		case EventAnswer:
			r.awaitCall(e.Index, r.opt.Timeout)
		case EventTaken:
			r.awaitTaken(e.Index)
		case EventNote:
			r.awaitNote(e.Index, last)
		case EventLeave:
			r.leave(e.Index)
		}
		if err == nil {
			err = r.ctx.Err()
		}
		if err != nil {
			return err
		}
	}
	r.awaitRest()
	return r.ctx.Err()
}

// awaitCall waits for the answer to a call, for its time at most.
func (r *run) awaitCall(call int32, timeout time.Duration) {
	f, ok := r.flying[call]
	if !ok {
		return
	}
	left := time.Until(f.sent.Add(timeout))
	if r.await(left, func() bool { return r.done[call] }) || r.ctx.Err() != nil {
		return
	}
	r.settle(call, Answer{None: fmt.Sprintf("no answer within %s", timeout)})
	// A server that is stuck would take its time for every call.
	if f.lane.silent++; f.lane.silent >= maxSilent && f.lane.gone == "" {
		f.lane.gone = fmt.Sprintf("the server stopped answering: %d calls in a row took more than %s, and nothing else came", maxSilent, timeout)
		r.dropAll(f.lane, f.lane.gone)
	}
}

// maxSilent is how many calls may get no answer, with nothing heard of the
// server in between, before the rest is not sent.
const maxSilent = 3

// awaitTaken waits until an HTTP server has taken a step.
func (r *run) awaitTaken(step int32) {
	l := r.lanes[r.laneOf(step)]
	if l == nil || r.skip[step] || r.opt.URL == nil {
		return
	}
	r.await(r.opt.Timeout, func() bool { return r.taken[step] || l.gone != "" })
}

// awaitNote waits a while for news that the recorded client may have acted on.
func (r *run) awaitNote(note int32, since int64) {
	n := &r.Script.Notes[note]
	row := r.Script.row(n.Row)
	l := r.lanes[r.Script.Sessions[n.Session].Lane]
	if l == nil || l.gone != "" {
		return
	}
	method := r.Script.tracker.Name(row.Name)
	l.due[method]++
	patience := min(time.Second+2*time.Duration(row.T-since), r.opt.Timeout)
	if !r.await(patience, func() bool { return l.notes[method] >= l.due[method] || l.gone != "" }) {
		l.due[method]--
		r.problem(n.Session, fmt.Sprintf("%s was recorded (#%d) and did not come", method, row.Request))
	}
}

// awaitRest waits for calls that had no answer in the recording as long as the
// recorded client did.
func (r *run) awaitRest() {
	for _, e := range r.Events {
		if e.Kind != EventStep {
			continue
		}
		s := &r.Script.Steps[e.Index]
		for call := s.First; call < s.First+s.Count; call++ {
			if _, ok := r.flying[call]; !ok {
				continue
			}
			answer := r.Script.recorded(call)
			waited := time.Duration(r.Script.Sessions[s.Session].Last - s.T)
			if answer.None == noneCancelled {
				waited = 0
			}
			left := time.Until(r.flying[call].sent.Add(min(waited, r.opt.Timeout)))
			if !r.await(left, func() bool { return r.done[call] }) && r.ctx.Err() == nil {
				none := answer.None
				if none == "" {
					none = "no answer"
				}
				r.settle(call, Answer{None: none})
			}
		}
	}
}

func (r *run) laneOf(step int32) int {
	return r.Script.Sessions[r.Script.Steps[step].Session].Lane
}

// pace waits until it is time for a step.
func (r *run) pace(step int32) {
	s := &r.Script.Steps[step]
	if r.opt.Speed > 0 {
		first := r.Script.Steps[r.Events[0].Index].T
		due := r.begun.Add(time.Duration(float64(s.T-first) / r.opt.Speed))
		r.await(time.Until(due), never)
	}
	if s.Cancels < 0 {
		return
	}
	// Whether a cancellation comes in time is what it is about: it keeps its
	// distance.
	if f, ok := r.flying[s.Cancels]; ok {
		gap := time.Duration(s.T - r.Script.row(r.Script.Calls[s.Cancels].Row).T)
		if r.opt.Speed > 0 {
			gap = time.Duration(float64(gap) / r.opt.Speed)
		}
		r.await(time.Until(f.sent.Add(gap)), func() bool { return r.done[s.Cancels] })
	}
}

// leave gives up the exchange of a step, as long after it as in the recording.
func (r *run) leave(step int32) {
	s := &r.Script.Steps[step]
	l := r.lanes[r.laneOf(step)]
	if l == nil || s.Count == 0 {
		return
	}
	f, ok := r.flying[s.First]
	if !ok {
		return
	}
	end := r.Script.exchanges[s.X].end
	if frame, err := r.Script.reader.Frame(uint64(end)); err == nil {
		r.await(time.Until(f.sent.Add(time.Duration(frame.T-s.T))), func() bool { return r.done[s.First] })
	}
	l.peer.leave(step)
	for call := s.First; call < s.First+s.Count; call++ {
		if _, ok := r.flying[call]; ok {
			r.settle(call, Answer{None: r.Script.recorded(call).None})
		}
	}
}

// problem notes something that a user should know.
func (r *run) problem(session int32, text string) {
	const most = 100
	if len(r.Problems) < most {
		r.Problems = append(r.Problems, Problem{Session: int(session) + 1, Text: text})
	}
}

// recorded is what a call was answered in the recording.
func (s *Script) recorded(call int32) Answer {
	r := s.row(s.Calls[call].Row)
	a := Answer{Status: int(r.Status), Took: time.Duration(r.Latency())}
	if r.Response == 0 {
		a.None = noneWords(r)
		return a
	}
	m, err := s.answer(call)
	if err == nil && m.IsResponse() {
		a.Message = m
	} else {
		a.Message = wire.Message{}
	}
	return a
}
