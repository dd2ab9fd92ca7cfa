package run

import (
	"fmt"
	"time"

	"midwire/replay"
)

// arrival is what the goroutines of a run have its driver do, who alone touches the state.
type arrival struct {
	do    func()
	large bool // it takes the room of a large message until it is done
}

// emit hands something to do to the driver.
func (r *run) emit(do func()) { r.arrive(arrival{do: do}) }

func (r *run) arrive(a arrival) {
	select {
	case r.arrivals <- a:
	case <-r.quit:
		r.intake.free(a.large)
	}
}

func (r *run) handle(a arrival) {
	defer r.intake.free(a.large)
	a.do()
}

type reply struct {
	step    int32 // of the exchange in which it came, -1 for none
	payload []byte
	status  int
	body    bool // it is all of a response
	at      time.Time
}

// written says that a request is out, or will never be.
func (r *run) written(c *connection) { r.emit(func() { c.written++ }) }

func (r *run) lost(c *connection, err error) {
	r.emit(func() {
		r.exceeded(c, err)
		r.lose(c, err.Error())
	})
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

// drive goes through what happened in the recording: steps are taken, and what
// had happened before a step has to happen before it again.
func (r *run) drive() error {
	var last int64
	for _, e := range r.Events {
		var err error
		switch e.Kind {
		case replay.EventStep:
			last = r.Script.Steps[e.Index].T
			err = r.step(e.Index)
		case replay.EventResponse:
			r.awaitCall(e.Index, r.opt.Timeout)
		case replay.EventTaken:
			r.awaitTaken(e.Index)
		case replay.EventNotification:
			r.awaitNotification(e.Index, last)
		case replay.EventLeave:
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

// awaitCall waits for the response to a call, for its time at most.
func (r *run) awaitCall(call int32, timeout time.Duration) {
	p, ok := r.pending[call]
	if !ok {
		return
	}
	left := time.Until(p.sent.Add(timeout))
	if r.await(left, func() bool { return r.done[call] }) || r.ctx.Err() != nil {
		return
	}
	r.endCall(call, replay.NoResponse(fmt.Sprintf("no response within %s", timeout)))
	// A server that is stuck would take its time for every call.
	if p.conn.silent++; p.conn.silent >= maxSilent && p.conn.lost == "" {
		r.lose(p.conn, fmt.Sprintf("the server stopped responding: %d calls in a row took more than %s, and nothing else came",
			maxSilent, timeout))
	}
}

// maxSilent is how many calls may get no response, with nothing coming from the
// server in between, before the rest is not sent.
const maxSilent = 3

// awaitTaken waits until an HTTP server has taken a step.
func (r *run) awaitTaken(step int32) {
	c := r.conns[r.numberOf(step)]
	if c == nil || r.skip[step] != nil || r.opt.URL == nil {
		return
	}
	r.await(r.opt.Timeout, func() bool { return r.taken[step] || c.lost != "" })
}

// awaitNotification waits a while for a notification that the recorded client
// may have acted on.
func (r *run) awaitNotification(i int32, since int64) {
	n := &r.Script.Notifications[i]
	row := r.Script.Row(n.Row)
	c := r.conns[r.Script.Sessions[n.Session].Connection]
	if c == nil || c.lost != "" {
		return
	}
	method := r.Script.Name(row)
	c.due[method]++
	patience := min(time.Second+2*time.Duration(row.T-since), r.opt.Timeout)
	if !r.await(patience, func() bool { return c.notified[method] >= c.due[method] || c.lost != "" }) {
		c.due[method]--
		r.AddProblem(n.Session, fmt.Sprintf("%s was recorded (#%d) and did not come", method, row.Request))
	}
}

// awaitRest waits for calls that got no response in the recording as long as the
// recorded client did.
func (r *run) awaitRest() {
	for _, e := range r.Events {
		if e.Kind != replay.EventStep {
			continue
		}
		s := &r.Script.Steps[e.Index]
		for call := s.First; call < s.First+s.Count; call++ {
			p, ok := r.pending[call]
			if !ok {
				continue
			}
			none := r.Script.Recorded(call).None
			waited := time.Duration(r.Script.Sessions[s.Session].Last - s.T)
			if none == replay.Cancelled {
				waited = 0
			}
			left := time.Until(p.sent.Add(min(waited, r.opt.Timeout)))
			if !r.await(left, func() bool { return r.done[call] }) && r.ctx.Err() == nil {
				r.endCall(call, replay.NoResponse(none))
			}
		}
	}
}

// numberOf is the number of the connection that carries a step.
func (r *run) numberOf(step int32) int {
	return r.Script.Sessions[r.Script.Steps[step].Session].Connection
}

// pace waits until it is time for a step.
func (r *run) pace(step int32) {
	s := &r.Script.Steps[step]
	if s.Cancels < 0 {
		return
	}
	// Whether a cancellation comes in time is what it is about: it keeps its
	// distance.
	if p, ok := r.pending[s.Cancels]; ok {
		gap := time.Duration(s.T - r.Script.CallRow(s.Cancels).T)
		r.await(time.Until(p.sent.Add(gap)), func() bool { return r.done[s.Cancels] })
	}
}

// leave gives up the exchange of a step, as long after it as in the recording.
func (r *run) leave(step int32) {
	s := &r.Script.Steps[step]
	c := r.conns[r.numberOf(step)]
	if c == nil || s.Count == 0 {
		return
	}
	p, ok := r.pending[s.First]
	if !ok {
		return
	}
	if after, ok := r.Script.LeftAfter(step); ok {
		r.await(time.Until(p.sent.Add(after)), func() bool { return r.done[s.First] })
	}
	c.peer.leave(step)
	for call := s.First; call < s.First+s.Count; call++ {
		if _, ok := r.pending[call]; ok {
			r.endCall(call, replay.NoResponse(r.Script.Recorded(call).None))
		}
	}
}
