package replay

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"midwire/session"
	"midwire/session/jsonpath"
	"midwire/session/mcp"
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
	// AllowHosts are other names than local ones by which clients may call it
	// over HTTP; see intercept.ForeignHost.
	AllowHosts []string
	// Say is told of requests that nobody recorded; nil for nobody. It may be
	// called by several goroutines.
	Say func(text string)

	once  sync.Once
	err   error
	calls [sameThing + 1]map[uint64][]int32
	parts map[int32][]part // what else came of a call
	spare map[int32][]part // and after it
	known map[string]bool  // methods
	asked map[int]string   // revision that the client of a session asked for

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
		m.asked = map[int]string{}
		for level := range m.calls {
			m.calls[level] = map[uint64][]int32{}
		}
		for i := range s.Calls {
			call := int32(i)
			if !slices.Contains(m.Sessions, m.sessionOf(call)) {
				continue
			}
			m.known[s.Method(call)] = true
			r, err := s.request(call)
			if i := m.sessionOf(call); m.asked[i] == "" {
				m.asked[i] = asksFor(&r)
			}
			for level := range m.calls {
				if err == nil {
					k := keyOf(&r, sameness(level))
					m.calls[level][k] = append(m.calls[level][k], call)
				}
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
	mock  *Mock
	id    string // its session id, "" for none
	stdio bool

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

// answer plays what was recorded of a call: send is given what the server said
// before its answer, and the answer is returned; nil when there was none.
func (c *client) answer(ctx context.Context, call int32, r *wire.Message, send func([]byte)) []byte {
	s, began := c.mock.Script, time.Now()
	row := s.row(s.Calls[call].Row)
	recorded, err := s.request(call)
	if err != nil {
		return refuse(r.ID, mcp.CodeInternalError, err.Error())
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
	if findMask(payload) != "" {
		c.mock.say(withheld(s.Label(call)))
		return refuse(r.ID, mcp.CodeInternalError, "midwire mock: "+withheld(string(r.Method)))
	}
	edits := own(payload, "result", &recorded, r)
	switch from, to, ok := (jsonpath.Path{{Name: "id"}}).Find(payload); {
	case ok && (c.stdio || string(payload[from:to]) != "null"):
		edits = append(edits, edit{from, to, r.ID})
	case !ok && c.stdio: // over HTTP the exchange says which request is meant
		from := bytes.IndexByte(payload, '{') + 1
		edits = append(edits, edit{from, from, fmt.Appendf(nil, `"id":%s,`, r.ID)})
	}
	return apply(payload, sorted(edits))
}

// withheld says why something recorded is not sent to a client.
func withheld(what string) string {
	return "the recording masks a credential in what came of " + what + ": a recording made with --keep-secrets holds it"
}

func (m *Mock) say(text string) {
	if m.Say != nil {
		m.Say(text)
	}
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
	payload, err := s.element(row.Request, row.Batch)
	if err != nil {
		return
	}
	if findMask(payload) != "" {
		c.mock.say(withheld(s.tracker.Name(row.Name)))
		return
	}
	edits := own(payload, "params", recorded, r)
	if p.ask < 0 {
		if s.tracker.Name(row.Name) == mcp.NotifyProgress && len(edits) == 0 {
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
	if from, to, ok := (jsonpath.Path{{Name: "id"}}).Find(payload); ok {
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
	put := func(at jsonpath.Path, with []byte) {
		if from, to, ok := at.Find(payload); ok && with != nil {
			edits = append(edits, edit{from, to, with})
		}
	}
	put(jsonpath.Path{{Name: member}, {Name: mcp.MetaProgressToken}}, wire.Get(r.Params, "_meta", mcp.MetaProgressToken))
	at := jsonpath.Path{{Name: member}, {Name: "_meta"}, {Name: mcp.MetaSubscriptionID}}
	if string(at.Get(payload)) == string(recorded.ID) {
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
	return reply(id, append(append(fmt.Appendf(nil, `"error":{"code":%d,"message":`, code), jsonpath.Quote(nil, text)...), '}'))
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
	case string(m.Method) == mcp.NotifyCancelled:
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

// issues says whether the server of a recorded session gave it an id, or would
// have over HTTP.
func (s *Session) issues() bool {
	return !s.Modern && (s.Transport != session.TransportHTTP || s.IDSource == session.IDServer || s.IDSource == session.IDReplaced)
}
