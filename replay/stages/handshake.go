package stages

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"time"

	"midwire/replay/checks"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

func (t *tester) reach() error {
	if t.opt.URL == nil {
		t.stage = "program"
		_, err := exec.LookPath(t.opt.Command[0])
		if err == nil || errors.Is(err, exec.ErrDot) {
			return nil // how long it takes to start is seen with the handshake
		}
		return t.ends("program", err)
	}
	ctx, cancel := context.WithTimeout(t.ctx, t.opt.Timeout)
	defer cancel()
	if file := words.SocketOf(t.opt.URL); file != "" {
		c, err := new(net.Dialer).DialContext(ctx, "unix", file)
		if err == nil {
			c.Close()
		}
		return t.ends("socket", err)
	}
	host, port := t.opt.URL.Hostname(), t.opt.URL.Port()
	if port == "" {
		port = map[string]string{"https": "443"}[t.opt.URL.Scheme]
	}
	if port == "" {
		port = "80"
	}
	addresses, err := net.DefaultResolver.LookupHost(ctx, host)
	if err := t.ends("DNS", err); err != nil {
		return err
	}
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(addresses[0], port))
	if err := t.ends("TCP", err); err != nil {
		return err
	}
	defer c.Close()
	if t.opt.URL.Scheme != "https" || t.opt.HTTP.Insecure || t.opt.HTTP.CACert != "" {
		return nil
	}
	return t.ends("TLS", tls.Client(c, &tls.Config{ServerName: host}).HandshakeContext(ctx))
}

// ends is a check whose failure ends the test.
func (t *tester) ends(name string, err error) error {
	if err != nil {
		t.must(name, err.Error(), "")
		return errEnds
	}
	t.must(name, "", "")
	return nil
}

const (
	specLifecycle = "2025-11-25 basic/lifecycle: Version Negotiation"
	specJSONRPC   = "JSON-RPC 2.0: Error object"
	specPing      = "2025-11-25 basic/utilities/ping: Behavior Requirements"
	specVersions  = "2026-07-28 basic/versioning"
)

// handshake finds out what the server speaks: initialize with versions that it knows and
// does not know, and server/discover.
func (t *tester) handshake(*conn) error {
	c, err := t.open(odd)
	if err != nil {
		return t.ends("start", err)
	}
	defer func() { c.close() }()
	began := time.Now()
	r := c.begin(mcp.LastHandshake)
	took := time.Since(began)
	at := t.last
	if r.Status == 401 || r.Status == 403 {
		t.must("initialize", said(&r)+": give the credential with --header; midwire auth says what is wrong with a login", "")
		return errEnds
	}
	t.legacy = r.Message.Kind == wire.MsgResult
	t.modern = t.speaksModern()
	t.last = at
	if t.opt.URL == nil && (t.legacy || t.modern) {
		t.stage = "program"
		t.fine("program", "starts in %s", took.Round(time.Millisecond))
		t.stage = "handshake"
	}
	if !t.legacy {
		if t.modern {
			t.refusal(&r)
			return nil
		}
		text := said(&r)
		if c.Exited() {
			text += "; the program ended"
		}
		t.must("initialize", text, specLifecycle)
		return errEnds
	}
	result := r.Message.Result
	t.r.Version = string(c.Version)
	t.named(wire.Get(result, "serverInfo"))
	t.able = objectOf(wire.Get(result, "capabilities"))
	wrong := ""
	if !c.Version.IsPublished() || c.Version.IsModern() {
		wrong = fmt.Sprintf("it chose the version %q", c.Version)
	}
	t.must("initialize "+string(mcp.LastHandshake), wrong, specLifecycle)
	for _, version := range [...]mcp.Version{"1999-01-01", mcp.V20241105} {
		t.version(version)
	}
	return nil
}

func (t *tester) named(info []byte) {
	if name := wire.Text(wire.Get(info, "name")); name != "" {
		t.info = name
		t.r.Name = words.Join(name, wire.Text(wire.Get(info, "version")))
	}
}

func (t *tester) version(version mcp.Version) {
	c, err := t.open(odd)
	if err != nil {
		return
	}
	defer c.close()
	r := c.begin(version)
	name := "initialize " + string(version)
	switch {
	case !answered(&r):
		t.must(name, said(&r), specLifecycle)
	case r.Message.Kind != wire.MsgResult:
		t.should(name, said(&r)+" instead of a version that it speaks", specLifecycle)
	case !c.Version.IsPublished():
		t.must(name, fmt.Sprintf("it chose the version %q", c.Version), specLifecycle)
	default:
		t.must(name, "", specLifecycle)
	}
}

// refusal checks how a server without a handshake refuses one: it should say what it
// speaks.
func (t *tester) refusal(r *response) {
	const name = "initialize is refused"
	switch {
	case !answered(r):
		t.must(name, said(r), specVersions)
	case wire.Get(r.Message.Error, "data", "supported") == nil && !strings.Contains(said(r), string(mcp.FirstModern)):
		t.should(name, said(r)+", which does not name the versions that it speaks", specVersions)
	default:
		t.must(name, "", specVersions)
	}
}

// speaksModern asks a fresh session whether the server speaks 2026-07-28. One that does
// not may say nothing at all, which is its right.
func (t *tester) speaksModern() bool {
	c, err := t.open(odd)
	if err != nil {
		return false
	}
	defer c.close()
	c.Version, c.patient = mcp.FirstModern, min(t.opt.Timeout, 3*time.Second)
	if !t.legacy {
		c.patient = t.opt.Timeout
	}
	r := c.ask(mcp.Discover, "")
	found := false
	wire.Items(wire.Get(r.Message.Result, "supportedVersions"), func(_ int, v []byte) bool {
		found = found || wire.Text(v) == string(mcp.FirstModern)
		return true
	})
	return found
}

// messages are odd ones that a server must bear.
func (t *tester) messages(c *conn) error {
	if !t.now {
		r := c.alive()
		t.must("ping", unless(&r), specPing)
		t.askEarly()
	}
	r := c.ask("midwire/no-such-method", "")
	t.unknown("unknown method", &r)
	list := c.Request("7", t.anyList(), "")
	r = c.send(list, nil)
	wrong := ""
	if string(r.Message.ID) != "7" {
		if wrong = "the response has the id " + string(r.Message.ID); r.Message.Kind != wire.MsgResult {
			wrong = said(&r)
		}
	}
	t.must("a number as id", wrong, "2025-11-25 basic: Requests")
	c.send(`{"jsonrpc":"2.0","method":"notifications/midwire-unknown"}`, nil)
	c.send(`{"jsonrpc":"2.0","method":"`+mcp.NotifyCancelled+`","params":{"requestId":"never-sent"}}`, nil)
	r = c.alive()
	t.checkNext("unknown notification, and a cancellation of nothing", &r, "2025-11-25 basic/utilities/cancellation: Error Handling")
	t.cancelRequest(c)
	if t.opt.URL != nil || t.now && t.legacy {
		return nil // there it is a body, of which transport has more to say; or it is known
	}
	c.send(`{"jsonrpc":"2.0","id":"test-half","method":`, nil)
	c.patient = min(t.opt.Timeout, 2*time.Second)
	r = c.alive()
	wrong = ""
	if r.Message.Kind != wire.MsgResult { // it was the client that broke the rules first
		wrong = "the request that follows gets " + said(&r)
	}
	t.should("half a message", wrong, "2025-11-25 basic/transports: stdio")
	return nil
}

// anyList is a list that the server has, or what every server answers.
func (t *tester) anyList() string {
	switch {
	case t.able["tools"] != nil:
		return mcp.ToolsList
	case t.now:
		return mcp.Discover
	}
	return mcp.Ping
}

func (t *tester) checkNext(name string, r *response, spec string) {
	wrong := unless(r)
	if wrong != "" {
		wrong = "a request that follows gets " + wrong
	}
	t.must(name, wrong, spec)
}

// askEarly asks before the client has said that it is ready.
func (t *tester) askEarly() {
	c, err := t.open(odd)
	if err != nil {
		return
	}
	defer c.close()
	c.initialize(mcp.LastHandshake)
	wrong := ""
	if r := c.ask(t.anyList(), ""); !answered(&r) {
		wrong = said(&r)
	}
	t.should("a request before initialized", wrong, "2025-11-25 basic/lifecycle: Initialization")
}

// cancelRequest leaves a request before its response comes, and cancels it.
func (t *tester) cancelRequest(c *conn) {
	const soon = 2 * time.Millisecond
	c.patient = soon
	c.ask(t.anyList(), "")
	c.patient = 0
	if t.opt.URL == nil || !t.now {
		c.send(`{"jsonrpc":"2.0","method":"`+mcp.NotifyCancelled+`","params":{"requestId":`+c.t.last+`}}`, nil)
	}
	r := c.alive()
	t.checkNext("a request that is cancelled at once", &r, "2025-11-25 basic/utilities/cancellation")
}

// unanswered fails a request that got no JSON-RPC response, where an error is due. A status of
// HTTP that refuses is one to most clients.
func (t *tester) unanswered(name string, r *response, spec string) {
	if r.Status >= 400 {
		t.should(name, said(r)+", without a JSON-RPC error", spec)
		return
	}
	t.must(name, said(r), spec)
}

// unknown checks the response to a method that does not exist.
func (t *tester) unknown(name string, r *response) {
	switch {
	case !answered(r):
		t.unanswered(name, r, specJSONRPC)
	case r.Message.Kind == wire.MsgResult:
		t.must(name, "a result", specJSONRPC)
	case r.Message.Kind == wire.MsgError && code(r) != mcp.CodeMethodNotFound:
		t.should(name, said(r)+" instead of -32601", specJSONRPC)
	case t.now && r.Status != 0 && r.Status != 404:
		t.check(name, checks.Noted, fmt.Sprintf("HTTP %d instead of 404", r.Status), "2026-07-28 basic/transports/streamable-http")
	default:
		t.must(name, "", specJSONRPC)
	}
}
