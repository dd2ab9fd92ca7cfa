package resilience

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"midwire/replay/checks"
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Tape is what one recording of a trial shows.
type Tape struct {
	ID      string // of the recording
	Started int64  // nanoseconds of the clock: tapes of a trial are compared by it
	// As far as frames were applied:
	Came, Left   int  // connections of the client, or processes; and how many of them have ended
	Primed       bool // an event without data came first on a stream: from there it can be resumed
	Acknowledged bool // the server acknowledged a subscription

	tracker      *session.Tracker
	checker      *diagnose.Checker
	acts         []act
	targets      map[uint64]string    // of requests, by frame: what they ask for
	answers      map[string][]answer  // responses of the server, by id
	cancels      map[string]uint64    // cancellations of the client, by the id of the request
	questions    map[string]*question // of the server, by id
	paged, tasks bool                 // the client asked for a further page, or for a call as a task
	complete     bool
}

type act struct {
	wire.Gate
	n, t int64
	dir  wire.Dir
}

type answer struct {
	n uint64
	t int64
	x uint32
}

// NewTape returns the tape of a recording of that tap, on which the rules are
// asked.
func NewTape(id, tap string, started int64, rules []*diagnose.Rule) *Tape {
	t := &Tape{ID: id, Started: started, targets: map[uint64]string{}, answers: map[string][]answer{}}
	t.cancels, t.questions = map[string]uint64{}, map[string]*question{}
	t.tracker, t.checker = diagnose.New(session.Options{Tap: tap}, rules)
	return t
}

// Apply takes the next frame.
func (t *Tape) Apply(f *wire.Frame) {
	t.tracker.Apply(f)
	switch {
	case f.Kind == wire.KindStart, f.Kind == wire.KindOpen:
		t.Came++
	case f.Kind == wire.KindExit, f.Kind == wire.KindClose && f.Conn != 0 && f.X == 0:
		t.Left++
	case f.Kind == wire.KindGate:
		a := act{n: int64(f.N), t: f.T, dir: f.Dir}
		if json.Unmarshal(f.Data, &a.Gate) == nil {
			t.acts = append(t.acts, a)
		}
	case f.Kind == wire.KindResponse && bytes.Contains(f.Data, []byte(OfferField+":")):
		t.acts = append(t.acts, act{Gate: wire.Gate{What: "offer"}, n: int64(f.N), t: f.T, dir: f.Dir})
	case f.HoldsMessages():
		if f.Kind == wire.KindEvent {
			e := wire.ParseEvent(f.Data)
			t.Primed = t.Primed || e.ID != "" && len(e.Data) == 0
		}
		wire.ScanMessages(f.Payload(), func(_ int, m wire.Message) bool {
			t.message(f, &m)
			return true
		})
	}
}

func (t *Tape) message(f *wire.Frame, m *wire.Message) {
	t.offered(f, m)
	switch {
	case m.Kind == wire.MsgRequest && f.Dir == wire.ToServer:
		what := string(m.Method)
		if key := mcp.Target(what); key != "" {
			what += " " + wire.Text(wire.Get(m.Params, key))
		}
		t.targets[f.N] = what
	case (m.Kind == wire.MsgResult || m.Kind == wire.MsgError) && f.Dir == wire.ToClient:
		t.answers[string(m.ID)] = append(t.answers[string(m.ID)], answer{f.N, f.T, f.X})
	case string(m.Method) == mcp.NotifyCancelled && f.Dir == wire.ToServer:
		t.cancels[string(wire.Get(m.Params, "requestId"))] = f.N
	}
}

// Finish says that the recording is over.
func (t *Tape) Finish() {
	if !t.complete {
		t.complete = true
		t.checker.Finish()
	}
}

// did lists what the gate did to messages: to arm it is nothing, and neither is to
// let something pass.
func (t *Tape) did() (all []act) {
	for _, a := range t.acts {
		switch a.What {
		case wire.GateArm, wire.GateDisarm, wire.GatePass, wire.GateRelease, wire.GateGone:
		default:
			all = append(all, a)
		}
	}
	return all
}

// waits is how long the gate itself kept messages waiting, in nanoseconds.
func (t *Tape) waits() (sum int64) {
	for _, a := range t.acts {
		if a.What == wire.GateDelay {
			sum += a.MS * 1e6
		}
	}
	return sum
}

type call struct {
	*session.Row
	what string // method and target
	tape *Tape
}

// calls lists what the client asked for, in order: to begin a session, too.
func (t *Tape) calls() (all []call) {
	for i := range t.tracker.Rows() {
		r := t.tracker.Row(i)
		if r.Kind != session.RowCall || r.Dir != wire.ToServer {
			continue
		}
		switch method := t.tracker.Name(r.Name); method {
		case mcp.Ping, mcp.Discover, mcp.Listen, mcp.LogSetLevel:
		default:
			what := t.targets[uint64(r.Request)]
			if what == "" {
				what = method
			}
			all = append(all, call{r, what, t})
		}
	}
	return all
}

func (t *Trial) calls() (all []call) {
	for _, tape := range t.Tapes {
		all = append(all, tape.calls()...)
	}
	return all
}

// About lists the frames of the request with an id, raw JSON, and of what came of it.
func (t *Tape) About(id string) (all []checks.Evidence) {
	for i := range t.tracker.Rows() {
		r := t.tracker.Row(i)
		if r.Kind != session.RowCall || t.tracker.Name(r.ID) != id {
			continue
		}
		all = append(all, checks.Evidence{Recording: t.ID, Frame: uint64(r.Request), Shows: t.tracker.Name(r.Name)})
		if r.Response != 0 {
			all = append(all, checks.Evidence{Recording: t.ID, Frame: uint64(r.Response), Shows: "the response"})
		}
	}
	return all
}

// findings lists what the rules find, also what follows from something else.
func (t *Tape) findings() (all []*diagnose.Finding) {
	for _, root := range t.checker.Findings() {
		root.Each(func(f *diagnose.Finding, _ int) { all = append(all, f) })
	}
	return all
}

// reached says whether the client got a result of the call that it can use. spoilt
// says that what the gate edits cannot be used.
func (c *call) reached(spoilt bool) bool {
	if c.Ending != session.Served || c.Response == 0 {
		return false
	}
	for _, a := range c.tape.acts {
		request, response := a.Frame == uint64(c.Request), a.Frame == uint64(c.Response)
		lost := response && a.dir == wire.ToClient && (a.What == wire.GateDrop || a.What == wire.GateEdit && spoilt) ||
			response && a.What == wire.GateGone || (request || response) && a.What == wire.GateCut
		since := a.n
		if a.What == wire.GateGone { // it came once more while it was held
			since = int64(c.Response)
		}
		if lost && c.again(since).n == 0 {
			return false
		}
	}
	return true
}

func (c *call) touched() bool {
	return slices.ContainsFunc(c.tape.did(), func(a act) bool {
		return a.Frame == uint64(c.Request) || a.Frame == uint64(c.Response)
	})
}

// cancelled is the frame in which the client gave the call up, 0 for none: one whose
// response was spoilt on the way does so although the server responded.
func (c *call) cancelled() uint64 { return c.tape.cancels[c.tape.tracker.Name(c.ID)] }

// again is the response that came once more behind a frame, on another exchange, the
// zero answer for none: what the server sends on a response that was cut does not
// arrive.
func (c *call) again(n int64) answer {
	for _, b := range c.tape.answers[c.tape.tracker.Name(c.ID)] {
		if b.x != c.X && int64(b.n) > n {
			return b
		}
	}
	return answer{}
}

// resumed is the response that came once more because the one before was lost.
func (c *call) resumed() (last answer) {
	for _, a := range c.tape.acts {
		of := a.Frame == uint64(c.Request) || a.Frame == uint64(c.Response)
		if of && (a.What == wire.GateDrop || a.What == wire.GateCut) {
			last = c.again(a.n)
		}
	}
	return last
}

// arrived is when the response reached the client: behind what held it, or once more
// when it was lost.
func (c *call) arrived() int64 {
	at := max(c.End, c.resumed().t)
	for _, a := range c.tape.acts {
		if a.What == wire.GateRelease && (a.Frame == uint64(c.Request) || a.Frame == uint64(c.Response)) {
			at = max(at, a.t)
		}
	}
	return at
}

// Peers names the client and the server of a tape, "" for one that does not say.
func (t *Tape) Peers() (client, server string) {
	name := func(p session.Peer) string { return strings.TrimSpace(p.Name + " " + p.Version) }
	for _, s := range t.tracker.Sessions() {
		client, server = cmp.Or(client, name(s.Client)), cmp.Or(server, name(s.Server))
	}
	return client, server
}

// CallID is the id of the nth call of a tool, as JSON, "" when there is none.
func (t *Tape) CallID(nth int) string {
	for _, c := range t.calls() {
		if strings.HasPrefix(c.what, mcp.ToolsCall) {
			if nth--; nth == 0 {
				return t.tracker.Name(c.ID)
			}
		}
	}
	return ""
}

// Tools are those that the client called.
func (t *Tape) Tools() (all []string) {
	for _, c := range t.calls() {
		if name, ok := strings.CutPrefix(c.what, mcp.ToolsCall+" "); ok && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// Served counts the calls whose results reached the client, and of them those of
// tools. ready says whether a session began.
func (t *Tape) Served() (all, tools int, ready bool) {
	for _, c := range t.calls() {
		switch {
		case !c.reached(false):
		case c.what == mcp.Initialize:
			ready = true
		default:
			all++
			if strings.HasPrefix(c.what, mcp.ToolsCall) {
				tools++
			}
		}
	}
	return all, tools, ready || all > 0
}
