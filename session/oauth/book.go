package oauth

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/wire"
	"midwire/session/words"
)

// Options say what frames do not.
type Options struct {
	Started int64               // when the recording started, nanoseconds since 1970; 0 when that is not known
	Mask    func(string) string // masks texts that may quote credentials, nil for none
}

// Book is what is known of the authorization in one recording. One goroutine at
// a time may use it.
type Book struct {
	opt       Options
	t         *session.Tracker
	pending   map[uint32]*exchange // that wait for their response, by Exchange.X
	endpoints map[uint64]bool      // that got JSON-RPC, by hash
	flows     []*flow
	left      int
	kept      map[uint64]int // credentials that are not masked, by hash
	over      bool           // there will be no further event
	until     int64          // when the latest one was
	step      int64          // when the latest step of a login was responded to
	changes   int
}

const (
	maxFlows    = 100
	maxPending  = 10_000
	maxURLs     = 1000
	maxKept     = 10_000
	maxAttempts = 16  // of a step, and refusals, and tokens
	maxText     = 512 // bytes of a value
	maxList     = 32  // elements of a list in metadata
)

// New returns a book that has seen nothing. Give it every event of t, and of those beside
// t, by Watch.
func New(t *session.Tracker) *Book {
	return &Book{t: t, pending: map[uint32]*exchange{}, endpoints: map[uint64]bool{}, kept: map[uint64]int{}}
}

// Set says what frames do not say, before the first of them.
func (b *Book) Set(opt Options) { b.opt = opt }

// Finish says that there will be no further event: what never came is certain then.
func (b *Book) Finish() {
	b.over = true
	b.changes++
}

// Changes counts what was learnt: as long as it stays the same, so does Account.
func (b *Book) Changes() int { return b.changes }

// Account is what is known so far. Later frames do not change it.
func (b *Book) Account() Account {
	a := Account{Flows: []Flow{}, LeftOut: b.left}
	for i, f := range b.flows {
		a.Flows = append(a.Flows, f.report(b, i+1))
	}
	return a
}

// Problems are the checks that fail, of all flows: those that nothing can change any
// more, and at the end all.
func (b *Book) Problems() (all []Check) {
	for i, f := range b.flows {
		if f.judged == nil || f.judgedAt != f.changes || b.over {
			out := f.report(b, i+1)
			f.judged, f.judgedAt = out.Checks, f.changes
		}
		for _, c := range f.judged {
			if c.Now || b.over {
				all = append(all, c)
			}
		}
	}
	return all
}

// Grant is a token that was issued: when, what was requested, and what was granted.
type Grant struct {
	Request, Response        uint64 // frames
	T                        int64
	Scope, Resource, Granted string
	Refresh                  bool // for a refresh token
}

// Granted is the latest token that was issued, of all flows.
func (b *Book) Granted() (g Grant, ok bool) {
	for _, f := range b.flows {
		for _, r := range f.requests {
			if r.issued != nil && r.issued.n > g.Response {
				g, ok = Grant{r.n, r.issued.n, r.issued.t, r.scope, r.resource, r.issued.scope, r.kind == Refresh}, true
			}
		}
	}
	return g, ok
}

// Why is what the model knows of why the credential of a request was refused, by the
// frame of the refusal; nil for nothing that says more than that.
func (b *Book) Why(n uint64) *Check {
	for i, f := range b.flows {
		if !slices.ContainsFunc(f.refusals, func(r *exchange) bool { return r.respN == n }) &&
			(f.empty == nil || f.empty.respN != n) && (f.dropped == nil || f.dropped.respN != n) {
			continue
		}
		out := f.report(b, i+1)
		for k := range out.Checks {
			if c := &out.Checks[k]; c.Step == Use && c.ID != "token-not-accepted" || c.Step == Token && c.Rule == "" || c.ID == "authorization-empty" || c.ID == "refresh-token-reused" {
				return c
			}
		}
	}
	return nil
}

// Watch takes an event of the tracker.
func (b *Book) Watch(e *session.Event) {
	x := e.Exchange
	b.until = max(b.until, e.T)
	if x == nil {
		return
	}
	switch e.Kind {
	case session.EventRequest:
		b.request(e)
	case session.EventResponse:
		p := b.pending[x.X]
		if p == nil && x.Messages > 0 && (x.Status == 401 || x.Status == 403) {
			p = b.read(e)
		}
		if p != nil {
			b.response(p, e)
		} else if x.Messages > 0 && x.Status < 300 {
			b.served(x)
		}
	case session.EventBody, session.EventEnd:
		if p := b.pending[x.X]; p != nil && p.status != 0 {
			delete(b.pending, x.X)
			b.settle(p, e.Data)
		} else if e.Kind == session.EventEnd {
			delete(b.pending, x.X)
		}
	}
}

// served notes that a request was served without a credential.
func (b *Book) served(x *session.Exchange) {
	if n := len(b.flows); n > 0 {
		if f := b.flows[n-1]; !f.served && f.host == x.Header("Host") && f.agent == x.Header("User-Agent") {
			f.served = true
			f.changes++
		}
	}
}

func (b *Book) request(e *session.Event) {
	if x := e.Exchange; x.Messages > 0 && x.Query == "" && x.Header("Authorization") == "" {
		if key := endpoint(x); !b.endpoints[key] && len(b.endpoints) < maxURLs {
			b.endpoints[key] = true
		}
		return // only a refusal makes it matter
	}
	p := b.read(e)
	if p == nil || len(b.pending) >= maxPending {
		return
	}
	b.pending[e.Exchange.X] = p
	if e.Exchange.Status != 0 { // the server did not wait for the body
		b.response(p, e)
	}
}

// response takes the head of a response. Of a request to the MCP server it is all
// that matters, and its body may be a stream without end.
func (b *Book) response(p *exchange, e *session.Event) {
	x := e.Exchange
	p.status, p.respN, p.respT = int(x.Status), uint64(x.ResponseN), x.ResponseT
	p.page = wire.IsMediaType(x.ResponseHeader("Content-Type"), "text/html")
	switch location := start(x.ResponseHeader("Location")); {
	case p.kind == Authorize:
		p.location = location
	case p.status/100 == 3: // its query may hold a credential
		location, _, _ = strings.Cut(location, "?")
		p.location = b.text(location)
	}
	if p.status == 401 || p.status == 403 {
		p.challenge = wire.HeadValues(x.ResponseHead, "WWW-Authenticate")
	}
	if p.kind != Use {
		if guessed := p.kind == Authorize && (p.status == 404 || p.status == 405); !guessed {
			b.step = e.T
		}
		return
	}
	delete(b.pending, x.X)
	b.settle(p, nil)
}

// LatestStep is when a step of a login before the use of its token was responded to,
// also with a refusal; 0 for never.
func (b *Book) LatestStep() int64 { return b.step }

// settle takes an exchange that is complete to its flow.
func (b *Book) settle(p *exchange, body []byte) {
	f := b.flowOf(p)
	if f == nil {
		return
	}
	b.changes++
	f.changes++
	if f.client == "" && p.agent != "" {
		f.client = p.agent
	}
	switch p.kind {
	case Use:
		f.used(b, p)
	case Resource:
		f.resourceMetadata(b, p, body)
	case Server:
		f.serverMetadata(b, p, body)
	case Registration:
		f.registered(b, p, body)
	case Authorize:
		f.authorized(b, p, body)
	case Redirect:
		f.cameBack(p)
	default:
		f.token(b, p, body)
	}
}

// flowOf finds the flow of an exchange, and begins one where there is none.
func (b *Book) flowOf(p *exchange) *flow {
	f := b.find(p)
	switch {
	case f == nil:
		return b.begin(p, nil)
	case p.kind == Use && p.status == 401 && p.token == "" && f.isOver():
		if len(f.grants) > 0 && f.lastUse == nil {
			f.unsent = p // the token that it has just got
			return f
		}
		return b.begin(p, f)
	case p.kind == Registration, p.kind == Authorize, p.kind == Token && p.grant != grantClient:
		if f.isStepUp() {
			return f
		}
		if len(f.grants) > 0 || f.accepted > 0 || f.has(Token) && p.kind != Token {
			return b.begin(p, f)
		}
	}
	return f
}

// find is the flow that an exchange fits best, the latest of several.
func (b *Book) find(p *exchange) *flow {
	var best *flow
	most := 0
	for _, f := range slices.Backward(b.flows) {
		if score := f.fits(p); score > most {
			best, most = f, score
		}
	}
	if best == nil && p.kind != Use && p.kind != Resource && len(b.flows) > 0 {
		return b.flows[len(b.flows)-1]
	}
	return best
}

// fits says how well an exchange fits a flow, 0 for not at all.
func (f *flow) fits(p *exchange) int {
	if f.grantOf(p.token) != nil {
		return 16
	}
	if p.kind == Use {
		if f.agent == p.agent && (f.url == p.url || f.url == "" && f.host == p.host) || f.leads(p) {
			return 8
		}
		return 0
	}
	score := 0
	add := func(yes bool, n int) {
		if yes {
			score += n
		}
	}
	add(p.clientID != "" && p.clientID == f.clientID(), 8)
	add(f.grantOf(p.refresh) != nil, 16)
	add(f.names(p.url), 4)
	add(p.agent == f.agent, 3)
	add(p.host == f.host, 2)
	if p.kind == Resource && p.host != f.host && !f.names(p.url) {
		return 0
	}
	return score
}

// names reports whether a URL is one of the flow's known URLs.
func (f *flow) names(url string) bool {
	isServer := func(s string) bool { return origin(s) == origin(url) }
	return slices.ContainsFunc(f.prm.servers, isServer) ||
		slices.Contains([]string{f.challenge.metadata, f.asm.authorize, f.asm.token, f.asm.register}, url)
}

// begin makes a flow: the first, or the next try after another. What the client
// has learnt in the one before it may make use of.
func (b *Book) begin(p *exchange, before *flow) *flow {
	if p.kind == Use && p.status != 401 && p.status != 403 && p.token == "" {
		return nil // no authorization at all
	}
	if len(b.flows) >= maxFlows {
		b.left++
		return nil
	}
	f := &flow{agent: p.agent, host: p.host, session: p.session, try: 1}
	if before != nil {
		f.follow(before, p)
	} else if p.kind == Use {
		f.url = p.url
	}
	b.flows = append(b.flows, f)
	return f
}

// text makes a value from the wire one that can be kept.
func (b *Book) text(s string) string {
	s = clip(s)
	if b.opt.Mask != nil && s != "" {
		s = clip(b.opt.Mask(s))
	}
	return s
}

func clip(s string) string {
	return strings.Clone(strings.ToValidUTF8(words.Clip(s, maxText), "�"))
}
