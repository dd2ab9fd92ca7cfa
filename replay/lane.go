package replay

import (
	"bytes"
	"cmp"
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

// lane is one carrier of the recording and what stands for it now: a process,
// or a session over HTTP.
type lane struct {
	number int
	peer   peer
	gone   string // why it carries nothing any more

	ids       map[string]int32 // calls under way, by the id they were sent with
	own       map[string]*wire.Message
	usedAsks  map[int32]bool
	notes     map[string]int // notifications that came, by method
	due       map[string]int // those that were waited for
	written   int            // requests that are out
	revision  mcp.Version    // what was negotiated
	issued    string         // the session id that the server gave
	endpoint  string         // where HTTP+SSE wants posts
	noise     int
	heads     int // of responses
	era       era
	silent    int  // calls that got no answer since anything came
	settled   bool // a call has succeeded: the era is right
	greeted   bool // a handshake was made for it
	listening bool // a stream of its own is open

	marks  map[string]bool // tools that the server lists: whether it marks them read-only
	listed bool            // it was asked for all of them
	asks   int             // requests of the run's own
}

// peer carries what is sent. Its methods do not block for long and report to
// the driver.
type peer interface {
	send(o outgoing)
	stream(o outgoing)     // opens a stream of the server's own (GET)
	remove(o outgoing)     // ends the session (DELETE)
	leave(step int32)      // gives up an exchange
	close(r *run, l *lane) // leaves the server; it has ended when it returns
}

// outgoing is something to send.
type outgoing struct {
	step    int32 // -1 for what no step is of
	payload []byte
	head    wire.Head // of the recorded request, zero when it had none
}

// lane returns the lane of a session, and connects it when it is new.
func (r *run) lane(s *Session) (*lane, error) {
	if l := r.lanes[s.Lane]; l != nil {
		return l, nil
	}
	l := &lane{
		number: s.Lane, ids: map[string]int32{}, own: map[string]*wire.Message{},
		usedAsks: map[int32]bool{}, notes: map[string]int{}, due: map[string]int{},
	}
	r.lanes[s.Lane] = l
	var err error
	if r.opt.URL != nil {
		err = r.connectHTTP(l, s)
	} else {
		err = r.connectStdio(l)
	}
	if err != nil {
		delete(r.lanes, s.Lane)
	}
	return l, err
}

// handle takes one arrival.
func (r *run) handle(a arrival) {
	l := a.lane
	defer r.intake.free(a.large)
	switch a.kind {
	case arrivedMessage, arrivedBody:
		r.received(l, a)
	case arrivedEndpoint:
		l.endpoint = cmp.Or(l.endpoint, string(a.payload))
	case arrivedWritten:
		l.written++
	case arrivedHead:
		r.headOf(l, a)
	case arrivedEnd:
		r.ended(l, a)
	case arrivedGone:
		r.exceeded(l, a.err)
		l.gone = cmp.Or(l.gone, a.err.Error())
		r.dropAll(l, l.gone)
	}
}

// exceeded notes that a server sent more than is taken, before all that is less.
func (r *run) exceeded(l *lane, err error) {
	p := Problem{Session: l.number + 1}
	if !isLimit(err) {
		return
	}
	r.heard = true
	if p.Text = err.Error(); !slices.Contains(r.Problems, p) {
		r.Problems = slices.Insert(r.Problems, 0, p)
	}
}

// headOf takes the head of a response.
func (r *run) headOf(l *lane, a arrival) {
	if id := a.head.Get(mcp.HeaderSessionID); id != "" && a.status < 300 && l.issued == "" {
		l.issued = id
	}
	l.heads++
	r.heard = r.heard || a.status != http.StatusBadGateway && a.status != http.StatusGatewayTimeout
	if a.step >= 0 {
		r.taken[a.step] = true
	}
}

// received takes a payload from the server.
func (r *run) received(l *lane, a arrival) {
	l.silent = 0
	if a.kind == arrivedBody && bytes.HasPrefix(a.payload, []byte("midwire: cannot reach ")) {
		l.gone = cmp.Or(l.gone, string(bytes.TrimSpace(a.payload))) // said by our tap
		r.dropAll(l, l.gone)
		return
	}
	r.heard = true
	n, _ := wire.ScanMessages(a.payload, func(_ int, m wire.Message) bool {
		switch m.Kind {
		case wire.MsgResult, wire.MsgError:
			r.answered(l, a, &m, m.Raw)
		case wire.MsgRequest:
			r.asked(l, &m)
		case wire.MsgNotification:
			if r.awaited[string(m.Method)] {
				l.notes[string(m.Method)]++
			}
			if string(m.Method) == mcp.NotifyToolsListChanged {
				l.marks, l.listed = nil, false
			}
		}
		return true
	})
	if n == 0 && a.kind == arrivedMessage {
		l.noise++
		if l.noise == 1 {
			r.problem(int32(l.number), "the server sent something that is no JSON-RPC: "+clip(string(a.payload), 80))
		}
	}
}

// answered finds the call of a response.
func (r *run) answered(l *lane, a arrival, m *wire.Message, raw []byte) {
	if _, own := l.own[string(m.ID)]; own {
		l.own[string(m.ID)] = m
		return
	}
	call, ok := l.ids[string(m.ID)]
	if !ok && m.Kind == wire.MsgError && a.step >= 0 {
		// An error that could not tell its id answers the only call there is.
		s := &r.Script.Steps[a.step]
		if call = s.First; s.Count == 1 {
			_, ok = r.flying[call]
		}
	}
	if !ok && m.Kind == wire.MsgError && r.opt.URL == nil && len(l.ids) == 1 && (len(m.ID) == 0 || string(m.ID) == "null") {
		for _, call = range l.ids {
			ok = true
		}
	}
	if !ok {
		r.problem(int32(l.number), fmt.Sprintf("an answer with id %s came that nothing waits for", clip(string(m.ID), 40)))
		return
	}
	f := r.flying[call]
	r.learn(call, raw)
	r.settle(call, Answer{Message: *m, Status: a.status, Took: a.at.Sub(f.sent)})
}

// learn takes what an answer hands out.
func (r *run) learn(call int32, raw []byte) {
	switch l := r.flying[call].lane; r.Script.Method(call) {
	case mcp.ToolsList:
		l.marks = markTools(l.marks, wire.Get(raw, "result"))
	case mcp.Initialize:
		l.revision = cmp.Or(mcp.Version(wire.Text(wire.Get(raw, "result", "protocolVersion"))), l.revision)
	}
	for _, i := range r.from[call] {
		if src := &r.Sources[i]; src.Header != "" && r.flying[call].lane.issued != "" {
			r.values[src.Was] = r.flying[call].lane.issued
		}
	}
	r.handedOut(call, raw, func(i int32, now string) { r.values[r.Sources[i].Was] = now })
}

// ended takes the end of an HTTP exchange.
func (r *run) ended(l *lane, a arrival) {
	r.exceeded(l, a.err)
	if a.step < 0 {
		return
	}
	r.taken[a.step] = true
	s := &r.Script.Steps[a.step]
	for call := s.First; call < s.First+s.Count; call++ {
		if f, ok := r.flying[call]; ok {
			ans := Answer{Status: a.status, Took: a.at.Sub(f.sent)}
			if a.err != nil {
				ans.None = a.err.Error()
			}
			r.settle(call, ans)
		}
	}
	row := r.Script.row(s.Row)
	name := r.Script.tracker.Name(row.Name)
	switch was := int(row.Status); {
	case s.Count > 0 || r.ctx.Err() != nil:
	case a.err != nil && s.Kind == StepSend:
		r.problem(s.Session, fmt.Sprintf("#%d %s: %v", s.Frame, name, a.err))
	case a.status >= 400 && was < 400:
		r.problem(s.Session, fmt.Sprintf("#%d %s was answered with HTTP %d", s.Frame, name, a.status))
	}
}

// settle notes the answer to a call, and compares it.
func (r *run) settle(call int32, now Answer) {
	f := r.flying[call]
	delete(r.flying, call)
	if f.lane != nil && f.lane.ids[f.id] == call {
		delete(f.lane.ids, f.id)
	}
	r.done[call] = true
	if f.lane != nil && r.switchEra(f.lane, call, &now) {
		return
	}
	r.compareCall(call, &now)
}

func (r *run) compareCall(call int32, now *Answer) {
	was := r.Script.recorded(call)
	o := r.outcome(call)
	o.Was, o.Now = was.Took, now.Took
	masks := &r.opt.Masks
	if l := r.lanes[r.laneOf(r.Script.Calls[call].Step)]; l != nil && l.era != eraRecorded {
		masks = masks.acrossEras()
	}
	j := masks.compare(o.Method, o.Target, &was, now, r.opt.Slow)
	o.Verdict, o.Changes, o.Note, o.Slower = j.verdict, j.changes, j.note, j.slower
	if o.Method == mcp.ToolsCall && r.opt.Schema != nil && now.Message.Kind == wire.MsgResult {
		o.Schema = r.schemaFaults(o.Target, now)
	}
	r.add(o)
	if r.opt.Seen != nil {
		r.opt.Seen(&o, &was, now)
	}
}

// outcome begins the outcome of a call.
func (r *run) outcome(call int32) Outcome {
	row := r.Script.row(r.Script.Calls[call].Row)
	method, target := r.Script.Method(call), r.Script.target(call)
	return Outcome{
		Frame: row.Request, Session: int(row.Session) + 1, Label: labelOf(method, target),
		Method: method, Target: target, call: call,
	}
}

// dropAll ends what is under way on a lane that is gone.
func (r *run) dropAll(l *lane, why string) {
	var lost []int32
	for call, f := range r.flying {
		if f.lane == l {
			lost = append(lost, call)
		}
	}
	slices.Sort(lost)
	for _, call := range lost {
		r.settle(call, Answer{None: why})
	}
}

// asked answers a request of the server as the recorded client did.
func (r *run) asked(l *lane, m *wire.Message) {
	method := string(m.Method)
	if method == mcp.Ping {
		l.peer.send(outgoing{step: -1, payload: reply(m.ID, []byte(`"result":{}`))})
		return
	}
	i := r.findAsk(l, m)
	if i < 0 {
		r.refuse(l, m, "the server asked "+method+", which nobody recorded; it was refused")
		return
	}
	ask := &r.Script.Asks[i]
	l.usedAsks[i] = true
	row := r.Script.row(ask.Row)
	if row.Response == 0 {
		return // the recorded client left it open
	}
	answer, err := r.Script.element(row.Response, row.RBatch)
	if err != nil {
		r.problem(ask.Session, err.Error())
		return
	}
	if from, to, ok := (jsonpath.Path{{Name: "id"}}).Find(answer); ok {
		answer = apply(answer, []edit{{from, to, m.ID}})
	}
	if r.opt.Speed > 0 {
		r.await(time.Duration(float64(row.Latency())/r.opt.Speed), never)
	}
	names := r.forbidden(l, outgoing{}, answer)
	if findMask(answer) != "" {
		names = append(names, "it holds a credential that the recording masks")
	}
	if len(names) > 0 {
		r.refuse(l, m, "the recorded answer to "+method+" was not sent: "+strings.Join(names, ", "))
		return
	}
	l.peer.send(outgoing{step: -1, payload: answer})
}

// refuse answers a request of the server with an error, and says why.
func (r *run) refuse(l *lane, m *wire.Message, why string) {
	r.problem(int32(l.number), why)
	l.peer.send(outgoing{step: -1, payload: refuse(m.ID, mcp.CodeInternalError, "midwire replay: the recording has no answer to "+string(m.Method))})
}

// findAsk finds the recorded request of the server that asks the same: one with
// the same content, else the next of its method; -1 when there is none.
func (r *run) findAsk(l *lane, m *wire.Message) int32 {
	next, again := int32(-1), int32(-1)
	for i := range r.Script.Asks {
		ask := &r.Script.Asks[i]
		if r.Script.Sessions[ask.Session].Lane != l.number || r.Script.tracker.Name(r.Script.row(ask.Row).Name) != string(m.Method) {
			continue
		}
		row := r.Script.row(ask.Row)
		recorded, err := r.Script.message(row.Request, row.Batch)
		if err != nil {
			continue
		}
		d := differ{masks: &r.opt.Masks}
		d.raw("params", recorded.Params, m.Params)
		switch {
		case len(d.found) == 0 && !l.usedAsks[int32(i)]:
			return int32(i)
		case !l.usedAsks[int32(i)] && next < 0:
			next = int32(i)
		case len(d.found) == 0:
			again = int32(i)
		}
	}
	if next < 0 {
		return again
	}
	return next
}

// reply makes a response; member is its result or error.
func reply(id, member []byte) []byte {
	out := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	return append(append(append(out, ','), member...), '}')
}

func clip(s string, most int) string {
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// noneWords says why a call has no answer in the recording.
func noneWords(r *session.Row) string {
	if r.Verdict == session.VerdictCancelled {
		return noneCancelled
	}
	return "no answer"
}
