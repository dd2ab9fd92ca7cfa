package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"midwire/replay"
	"midwire/replay/peer"
	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// Options say whom to ask, and how often. A server and Record are needed.
type Options struct {
	peer.Server
	Yes     bool          // tools that are not marked read-only may be called
	Most    int           // sessions at most; 24 when zero
	Timeout time.Duration // of one session; 10 s when zero
	Seen    func(t *Try)  // is told of each try, when it has ended
}

// Outcome is what asking again comes to.
type Outcome string

// The outcomes.
const (
	Decided Outcome = "decided" // one or more deviations of the client make the difference
	Refused Outcome = "refused" // a conforming client is refused in the same way
	Flaky   Outcome = "flaky"   // the same request is served once and refused once
	Served  Outcome = "served"  // it is served now, also as it was recorded
	Other   Outcome = "other"   // a conforming client is refused, in another way
)

// Result is what came of it. Its texts may hold what a peer said.
type Result struct {
	Recording  string   `json:"recording"` // file that it is about
	Call       uint32   `json:"call"`      // frame of the request
	What       string   `json:"what"`      // its method and what it is about
	Server     string   `json:"server"`    // who was asked
	Was        string   `json:"was"`       // the recorded response
	Tries      []*Try   `json:"tries"`
	Outcome    Outcome  `json:"outcome"`
	Known      bool     `json:"known"`         // the request was answered both ways, three times each
	Side       string   `json:"side,omitzero"` // who has to change something: client, server; "" for not known
	Kept       bool     `json:"kept"`          // it is noted beside the recording
	Says       string   `json:"says"`          // the outcome in whole sentences
	Recordings []string `json:"recordings"`    // files of what was asked
}

// Try is one way to ask, and what came of it.
type Try struct {
	Name   string `json:"name"`
	Answer string `json:"answer"` // the last
	Served int    `json:"served"` // how often it was served
	Same   int    `json:"same"`   // how often it was refused as recorded
	Times  int    `json:"times"`

	answer answer
}

// times is how often what decides is seen before it is believed.
const times = 3

// errLogin says that asking needs a credential.
var errLogin = errors.New("the server refused the recorded credential, which the recording masks: " +
	"give one that is valid with --header 'Authorization: Bearer …'. midwire auth shows how the client logged in")

var errMasked = errors.New("the request holds a credential that the recording masks: it is not sent. " +
	"Give it with --header, or ask with a recording that keeps secrets")

// ErrConsent is wrapped where a tool would be called that is not known to be read-only.
var ErrConsent = errors.New("not marked read-only by this server: --yes calls it")

type prober struct {
	opt     Options
	script  *replay.Script
	session *replay.Session
	call    int32
	frame   uint32
	raw     []byte // the request
	method  string
	head    wire.Head // of its HTTP request
	modern  bool
	more    more        // what is sent besides, or left out
	version mcp.Version // that a conforming client asks for

	initialize map[string]any
	tool       []byte       // what is called, as the server lists it
	questions  []question   // that the server asked in the recorded session
	meant      string       // the tool that is called without a prefix, "" for as it is
	marks      replay.Marks // of the tools that the server lists
	end        uint32       // frame of the recorded response, 0 for none
	given      peer.Secrets // of the user
	proxy      string       // URL, of an HTTP target
	left       int          // sessions
	result     *Result
	base       attempt
	was        answer
}

// Check says why a call cannot be asked about, nil when it can.
func Check(s *replay.Script, call int32) error { return check(s, call, recorded(s, call)) }

func check(s *replay.Script, call int32, was answer) error {
	switch {
	case was.served:
		return fmt.Errorf("#%d %s was served: there is nothing to ask", s.CallRow(call).Request, s.Label(call))
	case challenged(s, call, was):
		return fmt.Errorf("#%d %s was refused as a login begins: midwire auth shows what came of it",
			s.CallRow(call).Request, s.Label(call))
	}
	return nil
}

// challenged says whether a server refused what came without any credential: that is no
// failure, but how a login begins.
func challenged(s *replay.Script, call int32, was answer) bool {
	head, _ := s.RequestHead(s.Calls[call].Step)
	return was.status == http.StatusUnauthorized && head.Get("Authorization") == ""
}

// Run asks about a call that failed. With an error the result is what there is of it,
// nil for nothing. When it returns the server has been left.
func Run(ctx context.Context, s *replay.Script, call int32, opt Options) (*Result, error) {
	was := recorded(s, call)
	if opt.Header.Get("Authorization") == "" || !challenged(s, call, was) {
		if err := check(s, call, was); err != nil {
			return nil, err
		}
	}
	opt.Most, opt.Timeout = cmp.Or(opt.Most, 24), cmp.Or(opt.Timeout, 10*time.Second)
	given := opt.Ask()
	p := &prober{opt: opt, script: s, call: call, left: opt.Most, was: was, given: given}
	if err := p.prepare(); err != nil {
		return nil, err
	}
	leave, err := p.start(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	err = p.consent(ctx)
	if err == nil {
		err = p.ask(ctx)
	}
	return p.result, cmp.Or(err, ctx.Err())
}

func (p *prober) prepare() error {
	s, row := p.script, p.script.CallRow(p.call)
	p.session = &s.Sessions[s.SessionOf(p.call)]
	p.frame, p.end, p.method = row.Request, row.Response, s.Method(p.call)
	p.modern = p.session.Modern
	p.head, _ = s.RequestHead(s.Calls[p.call].Step)
	if replay.HasMask(p.head.Get("Authorization")) && p.was.denied() && p.opt.Header.Get("Authorization") == "" {
		return errLogin
	}
	var err error
	if p.raw, err = s.Element(row.Request, row.Batch); err != nil {
		return err
	}
	p.initialize = p.handshake()
	p.questions = p.asksBetween()
	if p.version = p.session.ProtocolVersion; !p.modern {
		asked, _ := p.initialize["params"].(map[string]any)["protocolVersion"].(string)
		p.version = mcp.Version(asked)
	} else if !p.version.IsModern() {
		p.version = mcp.FirstModern
	}
	p.result = &Result{
		Recording: s.Path, Call: p.frame, What: s.Label(p.call), Was: p.was.words(120),
		Server: p.opt.String(),
	}
	return nil
}

// handshake is the recorded initialize of the session, made conforming.
func (p *prober) handshake() map[string]any {
	message := map[string]any{
		"jsonrpc": "2.0", "id": "midwire-probe", "method": mcp.Initialize, "params": map[string]any{},
	}
	for i := range p.script.Calls {
		call := int32(i)
		if int(p.script.SessionOf(call)) == p.session.Index && p.script.Method(call) == mcp.Initialize {
			if params, err := p.script.Params(call); err == nil && replay.Object(params) != nil {
				message["params"] = replay.Object(params)
			}
			break
		}
	}
	unnoted().initialize(message["params"].(map[string]any))
	return message
}

// start puts a proxy in front of an HTTP server.
func (p *prober) start(ctx context.Context) (leave func(), err error) {
	if p.opt.URL == nil {
		return func() {}, nil
	}
	tap, leave, err := p.opt.Proxy(ctx, nil, p.label())
	if err != nil {
		return nil, err
	}
	p.keep(tap.Record.Path())
	target, path := *p.opt.URL, p.head.Target
	if p.overSSE() {
		path = p.session.Endpoint
	}
	replay.Aim(&target, target.Path == "" || target.Path == "/", path)
	p.proxy = tap.Origin() + target.RequestURI()
	return leave, nil
}

func (p *prober) label() string {
	return "probe of " + cmp.Or(p.script.Header.ID, filepath.Base(p.script.Path))
}

func (p *prober) keep(file string) {
	if file != "" {
		p.result.Recordings = append(p.result.Recordings, file)
	}
}

func (p *prober) overSSE() bool {
	return p.opt.URL != nil && p.session.Transport == session.TransportSSE
}

// open reaches the server, which is ended when ctx is. asked answers what it asks in between.
func (p *prober) open(ctx context.Context, asked peer.Asked) (peer.Peer, error) {
	if p.left--; p.left < 0 {
		return nil, fmt.Errorf("it takes more than %s, which is the limit", words.Count(p.opt.Most, "session"))
	}
	none := func() (string, error) { return "", nil }
	switch {
	case p.overSSE():
		return p.opt.SSE(p.proxy, asked, none), nil
	case p.opt.URL != nil:
		return p.opt.Talk(p.proxy, asked, none), nil
	}
	return p.opt.Start(ctx, p.label(), asked)
}
