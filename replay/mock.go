package replay

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"midwire/session"
	"midwire/session/wire"
)

// Mock plays the server of a recording. Each client has a position of its own
// in it: a request is answered with what the same request was answered, the
// first time with the first such answer.
type Mock struct {
	// Script is the recording. It stays the caller's.
	Script *Script
	// Sessions are the indexes of those to play; none means all but probes.
	Sessions []int
	// Timing keeps the recorded times between a request and what came of it.
	Timing bool
	// Nearest answers a request that nobody recorded with what the one most
	// like it was answered. Otherwise it is refused, and told which that is.
	Nearest bool
	// Say is told of requests that nobody recorded; nil for nobody. It may be
	// called by several goroutines.
	Say func(text string)

	once  sync.Once
	err   error
	calls [sameThing + 1]map[uint64][]int32
	parts map[int32][]part // what else came of a call
	spare map[int32][]part // and after it
	known map[string]bool  // methods

	mu      sync.Mutex  // guards clients
	clients map[int]int // how many play each session
}

// part is a message of the server that belongs to a call.
type part struct {
	row uint32
	ask int32 // index of the server's request, -1 for a notification
}

// prepare reads what is needed to find answers.
func (m *Mock) prepare() error {
	m.once.Do(func() {
		s := m.Script
		m.Sessions, m.err = s.choose(m.Sessions)
		if m.err != nil {
			return
		}
		m.parts, m.spare, m.known, m.clients = map[int32][]part{}, map[int32][]part{}, map[string]bool{}, map[int]int{}
		for level := range m.calls {
			m.calls[level] = map[uint64][]int32{}
		}
		for i := range s.Calls {
			call := int32(i)
			if !slices.Contains(m.Sessions, m.sessionOf(call)) {
				continue
			}
			m.known[s.Method(call)] = true
			for level := range m.calls {
				k := s.key(call, sameness(level))
				m.calls[level][k] = append(m.calls[level][k], call)
			}
		}
		for i, a := range s.Asks {
			m.addPart(a.Call, a.Session, part{a.Row, int32(i)})
		}
		for _, n := range s.Notes {
			m.addPart(n.Call, n.Session, part{n.Row, -1})
		}
		for _, parts := range m.parts {
			slices.SortFunc(parts, func(a, b part) int { return int(a.row) - int(b.row) })
		}
	})
	return m.err
}

func (m *Mock) sessionOf(call int32) int {
	return int(m.Script.Steps[m.Script.Calls[call].Step].Session)
}

// addPart gives a message of the server to its call. One that has none is said
// behind the call that came before it.
func (m *Mock) addPart(call, session int32, p part) {
	s := m.Script
	row := s.row(p.row)
	if call >= 0 {
		if end := s.row(s.Calls[call].Row).Response; end == 0 || row.Request < end {
			m.parts[call] = append(m.parts[call], p)
			return
		}
	}
	if call < 0 {
		for i := range s.Calls {
			if s.Steps[s.Calls[i].Step].Session == session && s.row(s.Calls[i].Row).Request < row.Request {
				call = int32(i)
			}
		}
	}
	if call >= 0 {
		m.spare[call] = append(m.spare[call], p)
	}
}

// client is one client of a Mock.
type client struct {
	mock *Mock
	id   string // its session id, "" for none

	mu      sync.Mutex // guards all below
	session int        // the one it is played, -1 before its first request
	used    map[int32]bool
	asks    map[string]chan struct{} // our requests that it has not answered
	running map[string]context.CancelFunc
	lastAsk int
	ctx     context.Context      // of its stream, nil without one
	out     func(payload []byte) // for what belongs to no request; nil while there is no way
	queue   [][]byte             // what waits for one
}

func (m *Mock) client(id string) *client {
	return &client{mock: m, id: id, session: -1, used: map[int32]bool{}, asks: map[string]chan struct{}{}, running: map[string]context.CancelFunc{}}
}

// find finds the recorded call whose answer a request gets. When there is none
// it says why; code is that of the JSON-RPC error.
func (c *client) find(r *wire.Message) (call int32, code int, why string) {
	m := c.mock
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session < 0 {
		c.session = m.assign(r)
	}
	method := string(r.Method)
	best, rank := int32(-1), 100
	for level := sameExactly; level <= sameThing; level++ {
		if level == sameThing && (!m.Nearest || best >= 0) {
			break
		}
		list := m.calls[level][hash(method+"\x00"+requestKey(method, r.Params, level))]
		if level == sameThing {
			list = c.nearest(list, r)
		}
		for _, call := range list {
			at := 16 * int(level)
			if c.used[call] {
				at += 4
			}
			if m.sessionOf(call) != c.session {
				at += 8
			}
			// Of those used up the latest answer is said again.
			if at < rank || at == rank && c.used[call] {
				best, rank = call, at
			}
		}
	}
	if best >= 0 {
		c.used[best] = true
		return best, 0, ""
	}
	code, why = m.refusal(r)
	if m.Say != nil {
		m.Say(why)
	}
	return -1, code, why
}

// assign chooses the recorded session for a new client: one of a client of that
// name, of those the one that is played least.
func (m *Mock) assign(r *wire.Message) int {
	name := wire.Text(wire.Get(r.Params, "clientInfo", "name"))
	m.mu.Lock()
	defer m.mu.Unlock()
	best, least := m.Sessions[0], 1<<30
	for _, i := range m.Sessions {
		n := 2 * m.clients[i]
		if name != "" && m.Script.Sessions[i].Client.Name != name {
			n += 1 << 20
		}
		if n < least {
			best, least = i, n
		}
	}
	m.clients[best]++
	return best
}

// compared bounds how many recorded requests one is compared with.
const compared = 200

// nearest returns of calls the one whose parameters differ least.
func (c *client) nearest(calls []int32, r *wire.Message) []int32 {
	best, least := int32(-1), maxChanges+1
	for _, call := range calls[:min(len(calls), compared)] {
		if n := len(c.mock.differences(call, r)); n < least || n == least && c.used[best] && !c.used[call] {
			best, least = call, n
		}
	}
	if best < 0 {
		return nil
	}
	return []int32{best}
}

// differences lists how a request differs from a recorded one.
func (m *Mock) differences(call int32, r *wire.Message) []Change {
	recorded, err := m.Script.request(call)
	if err != nil {
		return nil
	}
	d := differ{masks: &Masks{Rules: []Rule{}}}
	d.rules = []Rule{{Path: Path{{Name: "params"}, {Name: "_meta"}}}}
	d.raw("params", recorded.Params, r.Params)
	return d.found
}

// refusal says what of a request was not recorded, and what is nearest to it.
func (m *Mock) refusal(r *wire.Message) (code int, why string) {
	method := string(r.Method)
	target := targetOf(method, r.Params)
	if !m.known[method] {
		return -32601, "midwire mock: nobody recorded " + method
	}
	same := m.calls[sameThing][hash(method+"\x00"+target)]
	if len(same) == 0 {
		var others []string
		for i := range m.Script.Calls {
			if call := int32(i); m.Script.Method(call) == method && len(others) < 8 && !slices.Contains(others, m.Script.target(call)) {
				others = append(others, m.Script.target(call))
			}
		}
		return -32602, fmt.Sprintf("midwire mock: nobody recorded %s %s; recorded: %s", method, target, strings.Join(others, ", "))
	}
	best, least := same[0], []Change(nil)
	for i, call := range same[:min(len(same), compared)] {
		if d := m.differences(call, r); i == 0 || len(d) < len(least) {
			best, least = call, d
		}
	}
	var words []string
	for _, c := range least[:min(len(least), 5)] {
		words = append(words, c.words())
	}
	return -32602, fmt.Sprintf("midwire mock: nobody recorded this %s; nearest is #%d, which differs in %s",
		strings.TrimSpace(method+" "+target), m.Script.row(m.Script.Calls[best].Row).Request, or(strings.Join(words, "; "), "nothing that is compared"))
}

// answer plays what was recorded of a call: send is given what the server said
// before its answer, and the answer is returned; nil when there was none.
func (c *client) answer(ctx context.Context, call int32, r *wire.Message, send func([]byte)) []byte {
	s, began := c.mock.Script, time.Now()
	row := s.row(s.Calls[call].Row)
	recorded, err := s.request(call)
	if err != nil {
		return refuse(r.ID, -32603, err.Error())
	}
	for _, p := range c.mock.parts[call] {
		c.mock.wait(ctx, began, s.row(p.row).T-row.T)
		if ctx.Err() == nil {
			c.say(ctx, p, &recorded, r, send)
		}
	}
	if row.Response == 0 {
		<-ctx.Done() // the recorded server never answered
		return nil
	}
	c.mock.wait(ctx, began, row.Latency())
	payload, err := s.answerBytes(call)
	if m, ok := wire.ScanMessage(payload); err != nil || !ok || !m.IsResponse() {
		return nil
	}
	edits := own(payload, "result", &recorded, r)
	if from, to, ok := (Path{{Name: "id"}}).find(payload); ok && string(payload[from:to]) != "null" {
		edits = append(edits, edit{from, to, r.ID})
	}
	return apply(payload, sorted(edits))
}

// wait waits until so long after a request, when times are as recorded.
func (m *Mock) wait(ctx context.Context, began time.Time, after int64) {
	if !m.Timing {
		return
	}
	timer := time.NewTimer(time.Until(began.Add(time.Duration(after))))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// patience is how long a client may take to answer a request of ours.
const patience = time.Minute

// say sends a message of the server, and waits for the answer to a request
// that was answered in the recording.
func (c *client) say(ctx context.Context, p part, recorded, r *wire.Message, send func([]byte)) {
	s := c.mock.Script
	row := s.row(p.row)
	payload, err := s.payload(row.Request)
	if err != nil {
		return
	}
	payload = element(payload, row.Batch)
	edits := own(payload, "params", recorded, r)
	if p.ask < 0 {
		if s.tracker.Name(row.Name) == methodProgress && len(edits) == 0 {
			return // this client did not ask for it
		}
		send(apply(payload, sorted(edits)))
		return
	}
	c.mu.Lock()
	c.lastAsk++
	id := fmt.Sprint(c.lastAsk)
	answered := make(chan struct{})
	c.asks[id] = answered
	c.mu.Unlock()
	if from, to, ok := (Path{{Name: "id"}}).find(payload); ok {
		edits = append(edits, edit{from, to, []byte(id)})
	}
	send(apply(payload, sorted(edits)))
	if row.Response == 0 {
		return
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-answered:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// own are the edits that put this client's progress token and subscription id
// in the place of the recorded ones. member is params or result.
func own(payload []byte, member string, recorded, r *wire.Message) []edit {
	var edits []edit
	put := func(at Path, with []byte) {
		if from, to, ok := at.find(payload); ok && with != nil {
			edits = append(edits, edit{from, to, with})
		}
	}
	put(Path{{Name: member}, {Name: "progressToken"}}, wire.Get(r.Params, "_meta", "progressToken"))
	at := Path{{Name: member}, {Name: "_meta"}, {Name: "io.modelcontextprotocol/subscriptionId"}}
	if string(at.get(payload)) == string(recorded.ID) {
		put(at, r.ID)
	}
	return edits
}

func sorted(edits []edit) []edit {
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	return edits
}

// refuse makes an error.
func refuse(id []byte, code int, text string) []byte {
	if len(id) == 0 {
		id = []byte("null")
	}
	return reply(id, append(append(fmt.Appendf(nil, `"error":{"code":%d,"message":`, code), quote(nil, text)...), '}'))
}

// heard takes what needs no answer: an answer to a request of ours, or a
// notification.
func (c *client) heard(m *wire.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case m.IsResponse():
		if answered := c.asks[string(m.ID)]; answered != nil {
			delete(c.asks, string(m.ID))
			close(answered)
		}
	case string(m.Method) == methodCancelled:
		if cancel := c.running[string(wire.Get(m.Params, "requestId"))]; cancel != nil {
			cancel()
		}
	}
}

// run notes a request as running until done is called.
func (c *client) run(ctx context.Context, id []byte) (inner context.Context, done func()) {
	inner, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	c.running[string(id)] = cancel
	c.mu.Unlock()
	return inner, func() {
		c.mu.Lock()
		delete(c.running, string(id))
		c.mu.Unlock()
		cancel()
	}
}

// afterwards says what the server said by itself behind a call.
func (c *client) afterwards(ctx context.Context, call int32, r *wire.Message) {
	for _, p := range c.mock.spare[call] {
		recorded, _ := c.mock.Script.request(call)
		c.say(ctx, p, &recorded, r, c.aside)
	}
}

// aside sends what belongs to no request, now or when there is a way.
func (c *client) aside(payload []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.out == nil {
		c.queue = append(c.queue, payload)
		return
	}
	c.out(payload)
}

// open gives a client a way for what belongs to no request; nil takes it.
func (c *client) open(out func([]byte)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = out
	if out == nil {
		return
	}
	for _, payload := range c.queue {
		out(payload)
	}
	c.queue = nil
}

// stateful says whether a recorded session had an id on the wire, or would
// have one over HTTP.
func (s *Session) stateful() bool {
	return !s.Modern && (s.Transport != session.TransportHTTP || s.ID != "")
}
