package replay

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/jsonpath"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// check says before anything is sent what is missing for a run.
func (p *Plan) check(opt *Options) error {
	switch {
	case opt.Record == nil:
		return errors.New("replay: no recording to write to")
	case (opt.URL == nil) == (len(opt.Command) == 0):
		return errors.New("replay needs a target: --to URL, or -- COMMAND")
	}
	if err := p.credentials(opt); err != nil {
		return err
	}
	if opt.Yes || opt.OnlyRead {
		return nil
	}
	if names := p.Unmarked(); len(names) > 0 {
		return fmt.Errorf("not marked read-only, and would be called again: %s. --yes calls them, --only-read leaves them out, --dry-run sends nothing", strings.Join(names, ", "))
	}
	return nil
}

// field looks up a header without regard to case.
func field(h http.Header, name string) ([]string, bool) {
	for k, v := range h {
		if strings.EqualFold(k, name) {
			return v, true
		}
	}
	return nil, false
}

// step takes one step.
func (r *run) step(i int32) error {
	s := &r.Script.Steps[i]
	if r.skip[i] {
		r.note(i, Skipped, "not marked read-only")
		return nil
	}
	if s.Cancels >= 0 && r.skip[r.Script.Calls[s.Cancels].Step] {
		return nil
	}
	r.pace(i)
	if r.opt.Step != nil {
		if err := r.turn(i); err != nil {
			return err
		}
	}
	sess := &r.Script.Sessions[s.Session]
	l, err := r.lane(sess)
	if err != nil {
		return err
	}
	if l.gone != "" {
		r.note(i, Broken, "not sent: "+l.gone)
		return nil
	}
	if sess.Middle && !l.greeted {
		r.greet(l, sess)
	}
	r.take(l, i)
	return nil
}

// turn waits for the user of the run, and goes on answering the server.
func (r *run) turn(i int32) error {
	done := make(chan error, 1)
	go func() {
		done <- r.opt.Step(r.ctx, i)
		r.tell(arrival{kind: arrivedTurn})
	}()
	var err error
	for ok := false; !ok && r.ctx.Err() == nil; {
		ok = r.await(time.Hour, func() bool {
			select {
			case err = <-done:
				return true
			default:
				return false
			}
		})
	}
	return errors.Join(err, r.ctx.Err())
}

// note gives the calls of a step that was not taken their outcome.
func (r *run) note(step int32, v Verdict, why string) {
	s := &r.Script.Steps[step]
	for call := s.First; call < s.First+s.Count; call++ {
		o := r.outcome(call)
		o.Verdict, o.Note = v, why
		r.add(o)
		if r.opt.Seen != nil {
			was := r.Script.recorded(call)
			r.opt.Seen(&o, &was, nil)
		}
		r.done[call] = true
	}
}

// take sends what a step sends.
func (r *run) take(l *lane, i int32) {
	s := &r.Script.Steps[i]
	head, _ := r.Script.head(i)
	o := outgoing{step: i, head: head}
	switch s.Kind {
	case StepStream:
		if !l.listening && r.opt.URL != nil && l.era != eraModern {
			l.listening = true
			l.peer.stream(o)
			return
		}
		r.taken[i] = true
		return
	case StepDelete:
		if l.era == eraModern {
			r.taken[i] = true
			return
		}
		l.peer.remove(o)
		return
	}
	payload, missing, err := r.payload(i, r.value)
	if err != nil {
		r.problem(s.Session, fmt.Sprintf("step #%d cannot be read: %v", s.Frame, err))
		return
	}
	for _, src := range missing {
		r.problem(s.Session, fmt.Sprintf("#%d passes back %s, which the new server did not hand out; the recorded value was sent", s.Frame, clip(r.Sources[src].Was, 40)))
	}
	if payload = r.translate(l, i, payload); payload == nil {
		r.taken[i] = true
		return
	}
	if findMask(payload) != "" {
		r.withhold(i, []string{"it holds a credential that the recording masks"})
		return
	}
	if names := r.forbidden(l, o, payload); len(names) > 0 {
		r.withhold(i, names)
		return
	}
	r.Substituted += len(r.subsOf(i)) - len(missing)
	r.takeOff(l, i, payload)
	o.payload = payload
	r.send(l, o)
	if r.opt.URL != nil && s.Count == 0 && r.Script.Header.Tap != "http" {
		r.awaitTaken(i) // over HTTP the next request could overtake it
		r.listen(l, i)
	}
}

// takeOff notes the calls of a payload as under way.
func (r *run) takeOff(l *lane, i int32, payload []byte) {
	s := &r.Script.Steps[i]
	call := s.First
	wire.ScanMessages(payload, func(_ int, m wire.Message) bool {
		if m.Kind == wire.MsgRequest && call < s.First+s.Count {
			id := string(m.ID)
			l.ids[id] = call
			r.flying[call] = flight{l, id, time.Now()}
			call++
		}
		return true
	})
}

// send hands a payload to the peer and waits until it is out, so that requests
// do not overtake each other.
func (r *run) send(l *lane, o outgoing) {
	before := l.written
	l.peer.send(o)
	r.await(r.opt.Timeout, func() bool { return l.written > before || l.gone != "" })
}

// listen opens the stream for what the server has to say by itself, when the
// recording is of another transport and a client over HTTP would open it now.
func (r *run) listen(l *lane, i int32) {
	row := r.Script.row(r.Script.Steps[i].Row)
	if r.Script.tracker.Name(row.Name) != mcp.NotifyInitialized || l.listening || l.issued == "" {
		return
	}
	l.listening = true
	l.peer.stream(outgoing{step: -1})
}

func (r *run) value(source int32) (string, bool) {
	v, ok := r.values[r.Sources[source].Was]
	return v, ok
}

// start begins what all lanes share.
func (r *run) start() error {
	if r.opt.URL == nil {
		return nil
	}
	return r.startTap()
}

// finish leaves the target and waits for the taps.
func (r *run) finish() {
	if r.ctx.Err() != nil { // goodbyes are not waited for
		for call := range r.flying {
			delete(r.flying, call)
		}
	}
	lanes := make([]int, 0, len(r.lanes))
	for n := range r.lanes {
		lanes = append(lanes, n)
	}
	slices.Sort(lanes)
	for _, n := range lanes {
		l := r.lanes[n]
		if l.issued != "" && l.gone == "" && r.Script.Header.Tap != "http" && r.ctx.Err() == nil && l.era != eraModern {
			before := l.heads
			l.peer.remove(outgoing{step: -1})
			r.await(2*time.Second, func() bool { return l.heads > before })
		}
	}
	for _, n := range lanes {
		r.lanes[n].peer.close(r, r.lanes[n])
	}
	if r.tap != nil {
		r.tap.stop()
	}
	close(r.quit)
	slices.SortStableFunc(r.Outcomes, func(a, b Outcome) int { return int(a.call) - int(b.call) })
}

// greeting is the id of a request that a run makes itself.
const greeting = `"midwire-replay"`

// greet makes the handshake that the recording does not hold. A server that
// refuses it may still do without.
func (r *run) greet(l *lane, s *Session) {
	l.greeted = true
	revision := cmp.Or(s.ProtocolVersion, mcp.V20250618)
	if l.era == eraLegacy {
		revision = mcp.LastHandshake
	}
	client := cmp.Or(s.Client.Name, "midwire replay")
	body := []byte(`{"jsonrpc":"2.0","id":` + greeting + `,"method":"initialize","params":{"protocolVersion":`)
	body = append(jsonpath.Quote(body, string(revision)), `,"capabilities":{"roots":{},"sampling":{},"elicitation":{}},"clientInfo":{"name":`...)
	body = append(append(jsonpath.Quote(body, client), `,"version":`...), append(jsonpath.Quote(nil, cmp.Or(s.Client.Version, "0")), `}}}`...)...)
	m := r.exchangeOwn(l, greeting, outgoing{step: -1, payload: body})
	if m == nil || m.Kind != wire.MsgResult {
		r.problem(int32(s.Index), "the server refused the handshake made for it")
		return
	}
	l.revision = mcp.Version(wire.Text(wire.Get(m.Result, "protocolVersion")))
	before := l.heads
	r.send(l, outgoing{step: -1, payload: []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)})
	if r.opt.URL != nil { // over HTTP the next request could overtake it
		r.await(r.opt.Timeout, func() bool { return l.heads > before || l.gone != "" })
	}
	if s.Transport != session.TransportHTTP {
		r.listen(l, 0)
	}
}

// exchangeOwn sends a request of the run's own, which has that id, and returns
// its answer, nil for none.
func (r *run) exchangeOwn(l *lane, id string, o outgoing) *wire.Message {
	l.own[id] = nil
	r.send(l, o)
	r.await(r.opt.Timeout, func() bool { return l.own[id] != nil || l.gone != "" })
	return l.own[id]
}
