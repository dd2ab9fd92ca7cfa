package operation

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// Book holds the operations of what one tap saw. One goroutine at a time may use it and the
// tracker.
type Book struct {
	Inits   []Init   // of all sessions, in order; at most maxInits
	Program string   // what was started, "" for not known
	Command []string // how; at most maxArgv

	t        *session.Tracker
	accounts map[int]*Account // by index of the session, -1 for what belongs to none
	pending  map[int32]*Operation
	onX      map[uint32]*Operation // the only message of an exchange, while that is open
	events   map[uint32]int64      // when the latest event of a stream came
	errors   map[uint32]*Operation // by exchange without a message: the error that refused it
	free     []*Operation
	bad      int
	until    int64
	began    int64
	over     bool
}

// Init is an initialize.
type Init struct {
	N       uint64
	Session int
	Client  string
}

const maxInits = 256

// New returns a book that has seen nothing. Give it every event of t, by Watch.
func New(t *session.Tracker) *Book {
	return &Book{
		t: t, accounts: map[int]*Account{}, pending: map[int32]*Operation{},
		onX: map[uint32]*Operation{}, events: map[uint32]int64{}, errors: map[uint32]*Operation{},
	}
}

// Of is the account of a session by its index, -1 for what belongs to none; nil where nothing
// was seen of it.
func (b *Book) Of(index int) *Account { return b.accounts[index] }

// Until is when the latest event was.
func (b *Book) Until() int64 { return b.until }

func (b *Book) account(s *session.Session) *Account {
	i := -1
	if s != nil {
		i = s.Index
	}
	a := b.accounts[i]
	if a == nil {
		a = newAccount(b, s)
		b.accounts[i] = a
	}
	return a
}

// Watch takes an event of the tracker.
func (b *Book) Watch(e *session.Event) {
	b.until = max(b.until, e.T)
	a := b.account(e.Session)
	a.passes(e)
	switch e.Kind {
	case session.EventMessage:
		b.message(a, e)
	case session.EventSettled:
		if o := b.pending[e.Row]; o != nil {
			o.End = e.T
		}
	case session.EventNoise:
		a.noise(e)
	case session.EventSSE:
		if _, known := b.events[e.Exchange.X]; known || len(b.events) < maxPending {
			b.events[e.Exchange.X] = e.T
		}
	case session.EventBody:
		b.body(e)
	case session.EventEnd:
		b.ended(a, e)
	case session.EventProcess:
		b.process(a, e)
	case session.EventStderr:
		a.Stderr.take(e)
	}
}

// Finish says that there will be no further event.
func (b *Book) Finish() {
	b.over = true
	b.finish(slices.Sorted(maps.Keys(b.pending))) // the same frames, the same operations
	for _, a := range b.accounts {
		a.sort()
	}
}

// finish closes operations without a response.
func (b *Book) finish(rows []int32) {
	for _, row := range rows {
		o := b.pending[row]
		delete(b.pending, row)
		b.close(o)
	}
}

func (b *Book) message(a *Account, e *session.Event) {
	switch m := &e.Message; {
	case m.Kind == wire.MsgRequest:
		o := b.begin(e, Call, b.t.Name(b.t.Row(int(e.Row)).Name))
		if o.Method == mcp.Initialize || o.Method == mcp.Discover {
			o.Kind = Handshake
			a.asks(o, e)
		}
		b.pending[e.Row] = o
		if len(b.pending) > maxPending { // the older half is taken as it stands
			rows := slices.Sorted(maps.Keys(b.pending))
			b.finish(rows[:len(rows)/2])
		}
	case m.Kind == wire.MsgNotification:
		if e.Exchange != nil && e.Dir == wire.ToServer {
			b.begin(e, Notice, string(m.Method))
		}
		if e.Row >= 0 {
			b.sign(e, b.pending[b.t.Row(int(e.Row)).Parent])
		}
	default:
		b.response(a, e)
	}
}

// sign takes a notification that belongs to what is pending.
func (b *Book) sign(e *session.Event, o *Operation) {
	switch {
	case o == nil:
	case string(e.Message.Method) == mcp.NotifyProgress:
		o.Progress++
		total := e.Param("total")
		o.Done = total != nil && string(total) == string(e.Param("progress"))
	case string(e.Message.Method) == mcp.NotifyCancelled && e.Dir == o.Dir:
		o.Words = words.Clip(wire.Said(e.Param("reason")), maxPlain)
	}
}

// begin makes an operation of a message, in the room of one that is over.
func (b *Book) begin(e *session.Event, kind Kind, method string) *Operation {
	o := &Operation{}
	if n := len(b.free); n > 0 {
		o, b.free = b.free[n-1], b.free[:n-1]
	}
	*o = Operation{
		Kind: kind, Session: -1, Row: int(e.Row), Dir: e.Dir, Method: method, N: e.N, T: e.T,
		Len: uint32(len(e.Message.Raw)), Count: 1, Args: o.Args[:0], Head: o.Head[:0],
	}
	if e.Session != nil {
		o.Session = e.Session.Index
	}
	if key := mcp.Target(method); key != "" {
		o.Target = words.Clip(wire.Said(e.Param(key)), maxArgs)
	}
	args := e.Message.Params
	if inner := e.Param("arguments"); inner != nil {
		args = inner
	}
	o.Args = append(o.Args, words.Clip(args, maxArgs)...)
	if x := e.Exchange; x != nil {
		o.X, o.Head = x.X, append(o.Head, words.Clip(x.RequestHead, maxHead)...)
		if len(b.onX) < maxPending && e.Dir == wire.ToServer { // what the server asks comes in the exchange of a call
			b.onX[x.X] = o
		}
	}
	return o
}

// response takes a result or an error.
func (b *Book) response(a *Account, e *session.Event) {
	o := b.pending[e.Row]
	if o == nil {
		if x := e.Exchange; x != nil && x.Status >= 400 && b.onX[x.X] != nil {
			o = b.onX[x.X] // it says why a notification was refused
			o.says(e, b.t)
			return
		}
		if e.Row < 0 || b.t.Row(int(e.Row)).Kind == session.RowResponse {
			a.stray(b, e)
		} else if x := e.Exchange; x != nil && x.Messages == 0 && len(b.errors) < maxPending {
			b.errors[x.X] = &Operation{}
			b.errors[x.X].says(e, b.t)
		}
		return
	}
	o.says(e, b.t)
	delete(b.pending, e.Row)
	if o.Kind == Handshake {
		a.chosen(o, e)
	}
	a.lists(o, e)
	b.close(o)
}

// says notes what a response says.
func (o *Operation) says(e *session.Event, t *session.Tracker) {
	o.Event = true
	if x := e.Exchange; x != nil {
		o.Status = int(x.Status)
		if x.Status >= 400 {
			o.Got = string(words.Clip(x.ResponseHead, maxHead))
		}
	}
	o.Response = e.N
	if e.Message.Kind == wire.MsgResult {
		failed := e.Row >= 0 && t.Row(int(e.Row)).Ending == session.ToolError
		switch {
		case failed:
			o.Words = words.Clip(e.ContentText(), maxWords)
		case o.Method == mcp.ToolsCall:
			o.Words = words.Clip(e.ContentStart(), maxPlain)
		}
		return
	}
	o.Code, _ = wire.Int(wire.Get(e.Message.Error, "code"))
	o.Words = words.Clip(wire.Said(wire.Get(e.Message.Error, "message")), maxWords)
	if data := wire.Get(e.Message.Error, "data"); len(data) > 0 && string(data) != "null" {
		if o.Data = wire.Said(data); o.Data == "" {
			o.Data = string(data)
		}
		o.Data = words.Clip(o.Data, maxArgs)
	}
	if o.Words == "" && o.Data == "" {
		o.Words = string(words.Clip(e.Message.Error, maxWords))
	}
}

// body takes the body of an HTTP response that serves nothing.
func (b *Book) body(e *session.Event) {
	o := b.onX[e.Exchange.X]
	if o == nil || o.Event && o.Words != "" || e.Exchange.Status < 400 && o.Kind != Notice && b.answered(o) {
		return
	}
	o.Words = strings.TrimSpace(string(words.Clip(e.Data, maxWords)))
}

// answered reports whether the row of an operation has ended with a result.
func (b *Book) answered(o *Operation) bool { return b.t.Row(o.Row).Ending.Result() }

// ended takes the end of an HTTP exchange.
func (b *Book) ended(a *Account, e *session.Event) {
	x := e.Exchange
	if x.Verb == "GET" && x.IsStream && e.By == wire.ByClient {
		a.Left = Moment{N: e.N, T: e.T}
	}
	last := b.events[x.X]
	delete(b.events, x.X)
	if x.IsStream && x.Events > 2 && last-x.FirstEventT < 5e6 && x.FirstEventT-x.RequestT > 1e9 {
		a.Bursts = append(a.Bursts[:min(len(a.Bursts), maxMembers-1)], Burst{
			N: uint64(x.ResponseN), Events: x.Events, After: x.FirstEventT - x.RequestT, Length: x.ResponseHeader("Content-Length"),
		})
	}
	o := b.onX[x.X]
	delete(b.onX, x.X)
	switch {
	case o != nil:
		o.http(x)
		if o.By = e.By; e.Left != 0 {
			o.By = wire.ByClient
		}
		if o.Kind == Notice {
			b.close(o)
		} else if !b.t.Row(o.Row).Ending.Open() && b.pending[int32(o.Row)] == o {
			delete(b.pending, int32(o.Row))
			b.close(o)
		}
	case x.Messages == 0:
		b.exchange(a, e)
	case e.Row >= 0 && b.t.Row(int(e.Row)).Ending == session.Late:
		a.late(b, int(e.Row))
	}
}

// http notes what the heads of its exchange say.
func (o *Operation) http(x *session.Exchange) {
	o.Status = int(x.Status)
	if x.Status >= 300 || x.Status == 0 || o.Response == 0 || o.Kind == Notice && x.Status != 202 {
		o.Got = string(words.Clip(x.ResponseHead, maxHead))
	}
	if o.Response == 0 {
		o.Response = uint64(x.ResponseN)
	}
}

// exchange takes one that carried no message. What was served has no operation.
func (b *Book) exchange(a *Account, e *session.Event) {
	x := e.Exchange
	denied := words.Contains(x.ResponseHeader("Location"), "error=")
	if x.Status > 0 && x.Status < 400 && !denied || x.Verb == "" {
		return
	}
	o := &Operation{
		Kind: Exchange, Came: Refused, Session: -1, Row: int(e.Row), Dir: wire.ToServer,
		Method: x.Verb + " " + x.Path,
		Args:   []byte(words.Clip(x.Query, maxArgs)), N: uint64(x.RequestN),
		Response: uint64(x.ResponseN), T: x.RequestT, End: x.ResponseT,
		Head: bytes.Clone(words.Clip(x.RequestHead, maxHead)), X: x.X, Count: 1,
	}
	if x.Verb == "GET" && words.Contains(x.Header("Accept"), "text/event-stream") {
		o.Kind = Stream
	}
	if x.Status == 0 {
		o.Came = Silent
	}
	o.Words = strings.TrimSpace(string(words.Clip(e.Data, maxWords)))
	if said := b.errors[x.X]; said != nil {
		o.Words, o.Data, o.Code, o.Event = said.Words, said.Data, said.Code, true
		delete(b.errors, x.X)
	}
	o.http(x)
	a.add(b, o)
}

// close says what came of an operation, and gives its room to the next one.
func (b *Book) close(o *Operation) {
	delete(b.onX, o.X)
	a := b.accounts[o.Session]
	if o.Row >= 0 {
		r := b.t.Row(o.Row)
		if r.Session >= 0 && int(r.Session) != o.Session { // it turned out to belong there
			o.Session = int(r.Session)
			a = b.account(b.t.Session(o.Session))
		}
		o.Ending, o.RLen = r.Ending, r.RLen
		if r.End != 0 {
			o.End = r.End
		}
		if r.Response != 0 {
			o.Response = uint64(r.Response)
		}
		if o.Code == 0 && r.Kind == session.RowCall {
			o.Code = int64(r.Code)
		}
		if o.Status == 0 {
			o.Status = int(r.Status)
		}
	}
	if o.Came = b.came(o); a == nil {
		a = b.account(nil)
	}
	a.take(b, o)
}

// patient is how long one waited that gave up a request, in nanoseconds.
const patient = 3e9

// came says what came of an operation that is over.
func (b *Book) came(o *Operation) Came {
	switch e := o.Ending; {
	case o.Kind == Notice && (o.Status >= 400 || o.Status == 0):
		return Refused
	case o.Kind == Notice:
		return Served
	case e == session.ToolError:
		return Failed
	case e.Result():
		if o.Method == mcp.ToolsCall && ReadsFailed(o.Words) {
			return Odd
		}
		return Served
	case e.Denied():
		return Refused
	case e == session.Withdrawn && !words.Contains(o.Words, "timed out") && (&Member{T: o.T, End: o.End}).Took(b.until) < patient:
		return Cancelled
	}
	return Silent
}
