package stages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"midwire/intercept"
	"midwire/replay"
	"midwire/replay/peer"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/library"
	"midwire/session/mcp"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/session/wire"
	"midwire/session/words"
)

// Options say which server to test. A server and Record are needed.
type Options struct {
	Command []string // of a stdio server
	Dir     string
	URL     *url.URL // of an HTTP server
	HTTP    intercept.HTTPOptions
	Header  http.Header // of each HTTP request besides; credentials are given here
	Record  func(record.Header) *record.Writer
	Yes     bool          // tools that are not marked read-only may be called
	Timeout time.Duration // of one request; 10 s when zero
	Seen    func(c *Check)
}

// Verdict is what a check came to.
type Verdict string

// The verdicts. Only what breaks a MUST of the specification, or leaves a request
// unanswered, is failed.
const (
	Passed  Verdict = "passed"
	Failed  Verdict = "failed"
	Noted   Verdict = "noted" // legal, or against a SHOULD, and worth knowing
	Skipped Verdict = "skipped"
)

// Check is one thing that was tried. Its text may hold what the server said.
type Check struct {
	Stage   string  `json:"stage"`
	Name    string  `json:"name"`
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"text,omitempty"` // what happened, of what did not pass
	Spec    string  `json:"spec,omitempty"` // where it is written
}

// Result is what a test came to.
type Result struct {
	Server     string   `json:"server"`
	Name       string   `json:"name,omitempty"` // as the server calls itself
	Version    string   `json:"protocol_version,omitempty"`
	Checks     []*Check `json:"checks"`
	Recordings []string `json:"recordings"`
}

// Count is how many checks came to a verdict.
func (r *Result) Count(v Verdict) (n int) {
	for _, c := range r.Checks {
		if c.Verdict == v {
			n++
		}
	}
	return n
}

// tester is one Run.
type tester struct {
	opt   Options
	given peer.Secrets // of the user
	ctx   context.Context
	r     *Result
	// Of sessions that keep to the specification, and of odd ones, whose recordings are
	// not judged: what is refused there is refused by right.
	proxy [2]string // URLs, of an HTTP server
	files [2][]string
	able  map[string]json.RawMessage // capabilities of the server
	tools []tool
	stage string
}

// errEnds ends the test: what follows could say nothing.
var errEnds = errors.New("the test ends here")

// Run tests a server. The error is one of testing; the result then is what is known.
func Run(ctx context.Context, opt Options) (*Result, error) {
	if opt.Timeout <= 0 {
		opt.Timeout = 10 * time.Second
	}
	given := peer.SecretsIn(opt.Header)
	opt.Record = given.Record(opt.Record)
	t := &tester{opt: opt, given: given, ctx: ctx, r: &Result{Server: strings.Join(redact.Args(opt.Command), " ")}}
	if opt.URL != nil {
		t.r.Server = opt.URL.Redacted()
	}
	err := t.run()
	if errors.Is(err, errEnds) {
		err = nil
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return t.r, err
}

func (t *tester) run() (err error) {
	t.stage = "reach"
	if err := t.reach(); err != nil {
		return err
	}
	if t.opt.URL != nil {
		defer t.judge()
		for i := range t.proxy {
			tap, leave, err := peer.Proxy(t.ctx, t.opt.HTTP, t.opt.URL, nil, t.opt.Record, labels[i])
			if err != nil {
				return err
			}
			defer leave()
			t.files[i] = append(t.files[i], tap.Record.Path())
			t.proxy[i] = tap.Origin() + t.opt.URL.RequestURI()
		}
	} else {
		defer t.judge()
	}
	for _, one := range [...]struct {
		name string
		do   func() error
	}{
		{"handshake", t.handshake},
		{"transport", t.transport},
		{"lists", t.lists},
		{"calls", t.calls},
		{"sessions", t.sessions},
		{"sizes", t.sizes},
	} {
		t.stage = one.name
		if err := one.do(); err != nil {
			return err
		}
	}
	return nil
}

// labels are those of the recordings: of sessions as they should be, and of odd ones.
var labels = [2]string{"test", "test, odd"}

const (
	proper = iota
	odd
)

// check notes what a check came to; text is empty where it passed.
func (t *tester) check(name string, v Verdict, text, spec string) {
	if v == Passed || text == "" && v == Failed {
		v, text = Passed, ""
	}
	c := &Check{Stage: t.stage, Name: name, Verdict: v, Text: t.given.Text(text), Spec: spec}
	t.r.Checks = append(t.r.Checks, c)
	if t.opt.Seen != nil {
		t.opt.Seen(c)
	}
}

// must fails where text says what is wrong.
func (t *tester) must(name, text, spec string) { t.check(name, Failed, text, spec) }

// should notes where text says what is wrong.
func (t *tester) should(name, text, spec string) {
	v := Noted
	if text == "" {
		v = Passed
	}
	t.check(name, v, text, spec)
}

// judge adds what the rules find about the server in the recordings of the test.
func (t *tester) judge() {
	t.stage = "rules"
	for _, file := range append(t.files[odd], t.files[proper]...) {
		t.r.Recordings = append(t.r.Recordings, strings.TrimSuffix(filepath.Base(file), ".jsonl"))
	}
	seen := map[string]bool{}
	checked, err := library.Check(t.files[proper], rules.All())
	if err != nil {
		t.check("rules", Skipped, err.Error(), "")
		return
	}
	for _, one := range checked {
		for _, f := range one.Findings {
			// Why a request was refused, the test knows: it sent what had to be.
			formal := f.Side == diagnose.Server && f.Confidence == diagnose.Certain && f.Severity < diagnose.Note
			if !formal || f.Rule.Fallback > 0 || seen[f.Rule.ID] {
				continue
			}
			seen[f.Rule.ID] = true
			v := Noted
			if f.Severity == diagnose.Error {
				v = Failed
			}
			t.check(f.Rule.ID, v, f.Message, f.SpecURL())
		}
	}
	if len(seen) == 0 {
		t.check("no finding about the server", Passed, "", "")
	}
}

// conn is a session with the server.
type conn struct {
	peer.Peer
	t       *tester
	kind    int // proper or odd
	id      string
	version mcp.Version
	n       int
}

// open reaches the server.
func (t *tester) open(kind int) (*conn, error) {
	if t.opt.URL != nil {
		p := peer.HTTP(t.proxy[kind], answer, func() (string, error) { return "", nil })
		return &conn{Peer: p, t: t, kind: kind}, nil
	}
	tap := &intercept.Stdio{Command: t.opt.Command, Dir: t.opt.Dir, Own: true}
	p, err := peer.Stdio(tap, t.opt.Record, labels[kind], answer)
	return &conn{Peer: p, t: t, kind: kind}, err
}

// close ends a session and keeps its recording.
func (c *conn) close() {
	ctx, cancel := context.WithTimeout(c.t.ctx, c.t.opt.Timeout)
	defer cancel()
	if c.id != "" {
		c.Leave(ctx, c.header())
	}
	if file, _ := c.Close(); file != "" {
		c.t.files[c.kind] = append(c.t.files[c.kind], file)
	}
}

// answer answers what the server asks, as a client that can do little.
func answer(m *wire.Message) []byte {
	if string(m.Method) == mcp.Ping {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"not declared"}}`, m.ID, mcp.CodeMethodNotFound)
}

// header are the fields of a request of this session.
func (c *conn) header() http.Header {
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if c.id != "" {
		h.Set(mcp.HeaderSessionID, c.id)
	}
	if c.version >= mcp.V20250618 {
		h.Set(mcp.HeaderVersion, string(c.version))
	}
	for name, values := range c.t.opt.Header {
		h[http.CanonicalHeaderKey(name)] = values
	}
	return h
}

// send sends a message as it is. change, which may be nil, has other fields sent.
func (c *conn) send(payload string, change func(http.Header)) peer.Response {
	ctx, cancel := context.WithTimeout(c.t.ctx, c.t.opt.Timeout)
	defer cancel()
	h := c.header()
	if change != nil {
		change(h)
	}
	r, err := c.Send(ctx, []byte(payload), h)
	if err != nil {
		r.Text = err.Error()
	}
	return r
}

// ask sends a request; params is JSON.
func (c *conn) ask(method, params string) peer.Response {
	c.n++
	return c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"test-%d","method":%q,"params":%s}`, c.n, method, params), nil)
}

// begin makes a handshake.
func (c *conn) begin(version mcp.Version) peer.Response {
	r := c.ask(mcp.Initialize, fmt.Sprintf(
		`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"midwire-test","version":"1.0.0"}}`, version))
	if r.Message.Kind == wire.MsgResult {
		c.id = r.Header.Get(mcp.HeaderSessionID)
		c.version = mcp.Version(wire.Text(wire.Get(r.Message.Result, "protocolVersion")))
		c.send(`{"jsonrpc":"2.0","method":"`+mcp.NotifyInitialized+`"}`, nil)
	}
	return r
}

// said is a response in a few words.
func said(r *peer.Response) string {
	switch {
	case r.Message.Kind == wire.MsgError:
		return fmt.Sprintf("error %s %q", wire.Get(r.Message.Error, "code"), words.Line(wire.Text(wire.Get(r.Message.Error, "message")), 100))
	case r.Message.Kind == wire.MsgResult:
		return "a result"
	case r.Status > 0 && r.Status < 400:
		return fmt.Sprintf("HTTP %d, and no response", r.Status)
	case r.Status > 0:
		return strings.TrimSpace(fmt.Sprintf("HTTP %d %s", r.Status, words.Line(r.Text, 100)))
	case r.Text != "":
		return words.Line(r.Text, 100)
	}
	return "no response"
}

// failure says whether a tool or the server refused a call, and in which words.
func failure(r *peer.Response) (why string, failed bool) {
	was := replay.NewResponse(&r.Message, r.Status, 0)
	return was.Failure(mcp.ToolsCall)
}

// none says whether nothing came.
func none(r *peer.Response) bool { return !r.Came && r.Status < 400 }
