package run

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"midwire/replay"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

func (r *run) step(i int32) error {
	s := &r.Script.Steps[i]
	if r.skip[i] != nil {
		r.leaveOut(i, replay.Skipped, "not marked read-only")
		return nil
	}
	if s.Cancels >= 0 && r.skip[r.Script.Calls[s.Cancels].Step] != nil {
		return nil
	}
	r.pace(i)
	session := &r.Script.Sessions[s.Session]
	c, err := r.connection(session)
	if err != nil {
		return err
	}
	if c.lost != "" {
		r.leaveOut(i, replay.Broken, "not sent: "+c.lost)
		return nil
	}
	if session.Middle && !c.handshaken {
		r.handshake(c, session)
	}
	r.sendStep(c, i)
	return nil
}

// leaveOut gives the calls of a step that was not taken their outcome.
func (r *run) leaveOut(step int32, v replay.Verdict, why string) {
	s := &r.Script.Steps[step]
	for call := s.First; call < s.First+s.Count; call++ {
		o := r.Outcome(call)
		o.Verdict, o.Note, o.Was = v, why, r.Script.Recorded(call)
		r.add(&o)
		r.done[call] = true
	}
}

// withhold does not take a step, and says why.
func (r *run) withhold(step int32, names []string) {
	s := &r.Script.Steps[step]
	why := strings.Join(names, ", ")
	r.leaveOut(step, replay.Skipped, why)
	if !r.opt.OnlyRead {
		r.AddProblem(s.Session, fmt.Sprintf("#%d was not sent: %s", s.Frame, why))
	}
	r.taken[step] = true
}

func (r *run) sendStep(c *connection, i int32) {
	s := &r.Script.Steps[i]
	head, _ := r.Script.RequestHead(i)
	o := outgoing{step: i, head: head}
	switch s.Kind {
	case replay.StepStream:
		if r.taken[i] = c.listening || r.opt.URL == nil || c.era == eraModern; !r.taken[i] {
			c.listening = true
			c.peer.stream(o)
		}
		return
	case replay.StepDelete:
		if r.taken[i] = c.era == eraModern; !r.taken[i] {
			c.peer.remove(o)
		}
		return
	}
	payload, missing, err := r.Payload(i, r.value)
	if err != nil {
		r.AddProblem(s.Session, fmt.Sprintf("step #%d cannot be read: %v", s.Frame, err))
		return
	}
	for _, src := range missing {
		r.AddProblem(s.Session, fmt.Sprintf("#%d uses %s, which the new server did not issue; the recorded value was sent",
			s.Frame, words.Ellipsis(r.Sources[src].Was, 40)))
	}
	if payload = r.translate(c, i, payload); payload == nil {
		r.taken[i] = true
		return
	}
	if replay.FindMask(payload) != "" {
		r.withhold(i, []string{"it holds a credential that the recording masks"})
		return
	}
	if names := r.needsConsent(c, o, payload); len(names) > 0 {
		r.withhold(i, names)
		return
	}
	for _, sub := range r.SubsOf(i) {
		if _, ok := r.value(sub.Source); ok {
			r.Substituted++
		}
	}
	r.addPending(c, i, payload)
	o.payload = payload
	r.send(c, o)
	if r.opt.URL != nil && s.Count == 0 && r.Script.Header.Tap != "http" {
		r.awaitTaken(i) // over HTTP the next request could overtake it
		r.listen(c, i)
	}
}

// value is what the new server issued for a source.
func (r *run) value(source int32) (string, bool) {
	v, ok := r.Handles[r.Sources[source].Was]
	return v, ok
}

// addPending notes the calls of a payload that is about to be sent.
func (r *run) addPending(c *connection, i int32, payload []byte) {
	s := &r.Script.Steps[i]
	call := s.First
	wire.ScanMessages(payload, func(_ int, m wire.Message) bool {
		if m.Kind == wire.MsgRequest && call < s.First+s.Count {
			c.ids[wire.ID(m.ID)] = call
			r.pending[call] = pendingCall{c, m.ID, time.Now()}
			call++
		}
		return true
	})
}

// send hands a payload to the peer and waits until it is out, so that requests
// do not overtake each other.
func (r *run) send(c *connection, o outgoing) {
	before := c.written
	c.peer.send(o)
	r.await(r.opt.Timeout, func() bool { return c.written > before || c.lost != "" })
}

// listen opens the stream for unprompted server messages, when the
// recording is of another transport and a client over HTTP would open it now.
func (r *run) listen(c *connection, i int32) {
	row := r.Script.Row(r.Script.Steps[i].Row)
	if r.Script.Name(row) != mcp.NotifyInitialized || c.listening || c.sessionID == "" {
		return
	}
	c.listening = true
	c.peer.stream(outgoing{step: -1})
}

// needsConsent returns what of a payload that is about to be sent needs a
// consent that the user did not give. It asks the server for its tools when that
// was not done.
func (r *run) needsConsent(c *connection, o outgoing, payload []byte) []string {
	if r.opt.Yes {
		return nil
	}
	tools, doubt := replay.CallsOf(payload)
	var names []string
	if doubt != "" {
		names = append(names, doubt+" (--yes sends it)")
	}
	for _, name := range tools {
		recorded := r.Tool(name).ReadOnly
		if recorded && !c.marks[name] && !c.listed {
			r.listTools(c, o, payload)
		}
		switch {
		case !recorded:
			names = append(names, name+" is not marked read-only in the recording (--yes calls it)")
		case !c.marks[name]:
			names = append(names, name+" is not marked read-only by this server (--yes calls it)")
		}
	}
	return names
}

// maxPages bounds how long a server may continue listing tools.
const maxPages = 100

// listTools asks a server for its tools, in the manner of the call that is to be
// sent.
func (r *run) listTools(c *connection, o outgoing, payload []byte) {
	c.listed = true
	params := map[string]any{}
	if meta := envelopeOf(payload); len(meta) > 0 {
		params["_meta"] = meta
	}
	for range maxPages {
		c.ownRequests++
		id := fmt.Sprintf("midwire-replay-%d", c.ownRequests)
		request := replay.Encode(map[string]any{"jsonrpc": "2.0", "id": id, "method": mcp.ToolsList, "params": params})
		m := r.exchangeOwn(c, strconv.Quote(id), outgoing{step: -1, head: o.head, payload: request})
		if m == nil || m.Kind != wire.MsgResult {
			return
		}
		c.marks = c.marks.Add(m.Result)
		next := wire.Text(wire.Get(m.Result, "nextCursor"))
		if next == "" {
			return
		}
		params["cursor"] = next
	}
}
