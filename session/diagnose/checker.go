package diagnose

import (
	"bytes"
	"cmp"
	"strings"

	"midwire/session"
	"midwire/session/evidence"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/oauth"
	"midwire/session/operation"
	"midwire/session/wire"
	"midwire/session/words"
)

// Checker asks rules about what one tap saw. One goroutine at a time may use it,
// the tracker it watches, and those beside it.
type Checker struct {
	*findings
	tracker   *session.Tracker
	ledger    *ledger.Ledger
	logins    *oauth.Book // of this tap
	book      *operation.Book
	opt       oauth.Options
	streaks   streaks
	rules     []*Rule
	tables    map[scope]*table
	scope     scope
	table     *table // of scope, nil at the beginning
	facts     map[int]*Facts
	latest    *Facts          // that were asked for
	pending   map[int32]*Call // by row
	kept      int             // bytes of their parameters
	defined   definitions
	memory    []any              // by place in rules
	outlined  []any              // by place in rules: what they found in outlines
	slots     []int32            // by place in rules: where Facts keep the state, counted from 1
	held      int32              // slots in use
	shared    []any              // one of each type
	responded []*session.Session // with a result, once at least
	refused   map[uint32]bool    // exchanges whose refusal was reported
	news      []evidence.Again   // by asking the server again
	early     map[uint32][]byte  // bodies of refusals that came before what they refuse
	side      *View              // what Compare needs is kept here, nil for not
	ends      outcomes
	count     uint64 // events so far
	until     int64  // when the latest one was
	work      int
	blind     bool             // there was a gap
	dropped   map[dropped]bool // rules that panicked
	told      bool             // a rule that is Alike has found something in the message in hand
	defects   int              // of the tracker, that were reported
	c         Case
}

// New returns a tracker and the checker that watches it. Options.Watch is the
// checker's.
func New(opts session.Options, rules []*Rule) (*session.Tracker, *Checker) {
	c := newChecker(rules)
	opts.Watch = c.watch
	c.tracker = session.New(opts)
	c.ledger, c.logins, c.book = ledger.New(c.tracker), oauth.New(c.tracker), operation.New(c.tracker)
	return c.tracker, c
}

func newChecker(rules []*Rule) *Checker {
	return &Checker{
		findings: &findings{byKey: map[findingKey]*Finding{}}, rules: rules, tables: map[scope]*table{},
		facts: map[int]*Facts{}, pending: map[int32]*Call{}, refused: map[uint32]bool{}, early: map[uint32][]byte{},
		memory: make([]any, len(rules)), outlined: make([]any, len(rules)), slots: make([]int32, len(rules)),
		ends: newOutcomes(), dropped: map[dropped]bool{},
	}
}

// Work counts the sessions and rows that were looked at again: what one message costs
// besides itself.
func (c *Checker) Work() int { return c.work }

// watch gets the events of the tracker.
func (c *Checker) watch(e *session.Event) {
	c.count, c.until = c.count+1, max(c.until, e.T)
	c.ownDefects()
	c.ledger.Watch(e)
	c.logins.Watch(e)
	c.book.Watch(e)
	c.c = Case{Event: e, Ledger: c.ledger, checker: c}
	if e.Session != nil {
		c.c.Facts = c.factsOf(e.Session)
	}
	switch e.Kind {
	case session.EventMessage:
		c.message(e)
	case session.EventSettled:
		c.settled(e)
	case session.EventNoise:
		c.ask(Noise, "")
	case session.EventRequest:
		c.ask(HTTPRequests, "")
	case session.EventResponse:
		method := ""
		if e.Row >= 0 {
			method = c.tracker.Name(c.tracker.Row(int(e.Row)).Name)
		}
		c.ask(HTTPResponses, method)
	case session.EventBody:
		c.ask(Bodies, "")
		c.refusedBy(e, e.Data)
	case session.EventSSE:
		c.ask(SSE, "")
	case session.EventEnd:
		c.refusedBy(e, nil)
		c.keepHeads(e)
		delete(c.refused, e.Exchange.X)
		c.ask(Ends, "")
	case session.EventConn:
		c.ask(Conns, "")
	case session.EventProcess:
		c.ask(Processes, "")
	case session.EventStderr:
		c.ask(Stderr, "")
	case session.EventTap:
		c.blind = c.blind || e.Frame.Kind == wire.KindGap
		c.ask(Taps, "")
	}
}

func (c *Checker) factsOf(s *session.Session) *Facts {
	if c.latest != nil && c.latest.Session == s {
		return c.latest
	}
	f := c.facts[s.Index]
	if f == nil {
		f = &Facts{Session: s, definition: c.definition}
		c.facts[s.Index] = f
	}
	c.latest = f
	return f
}

// message asks about a JSON-RPC message.
func (c *Checker) message(e *session.Event) {
	f := c.c.Facts
	switch e.Message.Kind {
	case wire.MsgRequest:
		method := c.tracker.Name(c.tracker.Row(int(e.Row)).Name)
		c.c.Call = f.request(e, method, c.most())
		c.remember(c.c.Call)
		if c.side != nil {
			c.side.ask(e, c.c.Call)
		}
		c.ask(Requests, method)
	case wire.MsgNotification:
		method := string(e.Message.Method)
		c.c.Parent = c.pending[c.tracker.Row(int(e.Row)).Parent]
		f.notification(e, method, c.c.Parent)
		c.ask(Notifications, method)
	default:
		c.response(e, f)
	}
}

func (c *Checker) response(e *session.Event, f *Facts) {
	if c.side != nil {
		c.side.response(e)
	}
	if call := c.pending[e.Row]; call != nil {
		c.c.Call = call
		before := f.LastOK
		if f.response(e, call); before == 0 && f.LastOK != 0 {
			c.responded = append(c.responded, f.Session)
		}
	}
	if e.Message.Kind == wire.MsgResult {
		if e.Row >= 0 && c.tracker.Row(int(e.Row)).Ending.IsError() && len(c.ends.said) < maxHeads {
			c.ends.said[e.Row] = words.Line(toolText(e.Message.Result), 320)
			if c.c.Call != nil {
				c.ends.tool[e.Row] = c.c.Call.Target
			}
		}
		c.regain(e.Row)
		c.ask(Results, c.c.Method())
	} else {
		c.ask(Errors, c.c.Method())
		if e.Dir == wire.ToServer { // a client's response to a request of the server refuses nothing
			c.forget(e.Row)
			return
		}
		code, _ := wire.Int(wire.Get(e.Message.Error, "code"))
		r := Refusal{Code: code, Text: wire.Said(wire.Get(e.Message.Error, "message")), RPC: true}
		if data := wire.Get(e.Message.Error, "data"); len(data) > 0 {
			r.Data = cmp.Or(wire.Said(data), string(data))
			r.Data = words.Clip(r.Data, maxRefusalData)
		}
		if e.Exchange != nil {
			r.Status = int(e.Exchange.Status)
			c.refuses(e.Exchange.X)
		}
		c.refusal(&r)
	}
	c.forget(e.Row)
}

// regain notes that a result made good what equal calls before it were refused.
func (c *Checker) regain(row int32) {
	if c.c.Call == nil || len(c.ends.turned) == 0 || c.tracker.Row(int(row)).Ending.IsError() {
		return
	}
	same := c.c.Call.Same()
	for _, refused := range c.ends.turned[same] {
		c.ends.regained[refused] = true
	}
	delete(c.ends.turned, same)
}

// toolText is the first text in the content of a tool's result.
func toolText(result []byte) (text string) {
	wire.Items(wire.Get(result, "content"), func(_ int, block []byte) bool {
		text = wire.Said(wire.Get(block, "text"))
		return text == ""
	})
	return text
}

// refusedBy asks about an HTTP refusal without JSON-RPC, once.
func (c *Checker) refusedBy(e *session.Event, body []byte) {
	x := e.Exchange
	switch {
	case x.Status < 400 || c.refused[x.X]:
		return
	case e.Row < 0 && e.Kind == session.EventBody: // at the end it is known whose it is
		if len(c.early) < maxHeads {
			c.early[x.X] = bytes.Clone(words.Clip(body, 2048))
		}
		return
	case body == nil:
		body = c.early[x.X]
	}
	delete(c.early, x.X)
	c.refuses(x.X)
	c.c.Call = c.pending[e.Row]
	c.refusal(&Refusal{Status: int(x.Status), Text: string(words.Clip(body, 2048))})
	c.c.Call = nil
	c.forget(e.Row)
}

func (c *Checker) refusal(r *Refusal) {
	if c.c.Row >= 0 && len(c.ends.said) < maxHeads {
		c.ends.said[c.c.Row] = words.Line(strings.TrimSpace(r.Text+" "+r.Data), 320)
	}
	if f := c.c.Facts; f != nil && c.c.Call != nil && f.Init != nil && f.Init.Row == c.c.Call.Row {
		f.Init.Refused = true
	}
	if call := c.c.Call; call != nil && call.Dir == wire.ToServer && mcp.Target(call.Method) != "" &&
		len(c.ends.turned) < maxHeads {
		c.ends.turned[call.Same()] = append(c.ends.turned[call.Same()], call.Row)
	}
	c.c.Refusal = r
	c.ask(Refusals, c.c.Method())
	c.c.Refusal = nil
}

const maxRefusalData = 512

// settled asks about a call that ended without a response.
func (c *Checker) settled(e *session.Event) {
	call := c.pending[e.Row]
	if call == nil {
		return
	}
	c.c.Call = call
	c.ask(Settled, call.Method)
	switch how := c.tracker.Row(int(e.Row)).Ending; {
	case how.GaveUp(): // its response may be on the way
		if call.CancelT == 0 {
			call.Cancel, call.CancelT = e.N, e.T
		}
	case how.Lost():
		c.forget(e.Row)
		if f := c.c.Facts; f.Init != nil && f.Init.Row == e.Row {
			f.Init.Refused = true
		}
	}
}

// ownDefects reports what failed in midwire itself while it read, once.
func (c *Checker) ownDefects() {
	all := c.tracker.Defects()
	for ; c.defects < len(all); c.defects++ {
		c.c = Case{Event: &session.Event{Row: -1}, Ledger: c.ledger, checker: c}
		c.report(all[c.defects])
	}
}

// Finish asks the rules that can only say at the end of a recording what never
// came. Call it once, when there will be no further frame of its tap.
func (c *Checker) Finish() {
	c.ends.over = true
	c.logins.Finish()
	c.book.Finish()
	for _, s := range c.sessions() {
		e := session.Event{Session: s, T: s.Last, Row: -1}
		c.c = Case{Event: &e, Facts: c.factsOf(s), Ledger: c.ledger, checker: c}
		c.ask(Finish, "")
	}
	c.c = Case{Event: &session.Event{Row: -1}, Ledger: c.ledger, checker: c}
	c.ask(Overall, "")
	c.overcome()
	c.fail()
	c.fillAttempts()
	c.changes++ // what explains one attempt explains the others
	c.ownDefects()
}

// Pending is the request of a row as long as it waits for its response, nil for
// any other row. It belongs to the checker and changes with the next frame.
func (c *Checker) Pending(row int) *Call { return c.pending[int32(row)] }

// Began says of the recording what its frames do not, before the first of them.
func (c *Checker) Began(opt oauth.Options) {
	c.opt = opt
	c.logins.Set(opt)
}

// Logins is what is known of the logins in the recording.
func (c *Checker) Logins() *oauth.Book { return c.logins }

// Operations is what either side wanted in what the checker's tap saw, and what came of it.
func (c *Checker) Operations() *operation.Book { return c.book }

// Ledger says who owes what in what the checker's tap saw.
func (c *Checker) Ledger() *ledger.Ledger { return c.ledger }
