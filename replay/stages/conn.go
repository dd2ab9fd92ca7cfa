package stages

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"midwire/replay"
	"midwire/replay/peer"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

type response = peer.Response

// conn is a session with the server, or with one of 2026-07-28 a connection.
type conn struct {
	peer.Session
	t       *tester
	kind    int           // proper or odd
	patient time.Duration // in place of the usual time of a request, if it is not zero
}

func (t *tester) open(kind int) (*conn, error) {
	if t.opt.URL != nil {
		p := t.opt.Talk(t.proxy[kind], peer.Answer, func() (string, error) { return "", nil })
		return &conn{Session: t.session(p), t: t, kind: kind}, nil
	}
	p, err := t.opt.Start(t.ctx, labels[kind], peer.Answer)
	return &conn{Session: t.session(p), t: t, kind: kind}, err
}

func (t *tester) session(p peer.Peer) peer.Session {
	return peer.Session{Peer: p, Name: "midwire-test", Extra: t.opt.Header}
}

// begun opens a session and makes the handshake, where there is one.
func (t *tester) begun(kind int) (*conn, error) {
	c, err := t.open(kind)
	if err == nil {
		c.begin(mcp.LastHandshake)
	}
	return c, err
}

// close ends a session. It does not wait for it, as servers may take their time.
func (c *conn) close() {
	c.t.closing.Go(func() { _, _ = c.leave() })
}

// leave ends a session and keeps its recording. It returns how long that took.
func (c *conn) leave() (time.Duration, error) {
	// Also a test that was ended leaves no session behind.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.t.ctx), min(c.t.opt.Timeout, 2*time.Second))
	defer cancel()
	if c.ID != "" {
		c.Leave(ctx, c.Header("", ""))
	}
	began := time.Now()
	file, err := c.Close()
	if file != "" {
		c.t.mu.Lock()
		defer c.t.mu.Unlock()
		c.t.files[c.kind] = append(c.t.files[c.kind], file)
	}
	return time.Since(began), err
}

// send sends a message as it is. change, which may be nil, has other fields sent.
func (c *conn) send(payload string, change func(http.Header)) response {
	m, _ := wire.ScanMessage([]byte(payload))
	if c.t.last = ""; m.Kind == wire.MsgRequest {
		c.t.last = string(m.ID)
	}
	patience := c.t.opt.Timeout
	if c.patient > 0 {
		patience = c.patient
	}
	ctx, cancel := context.WithTimeout(c.t.ctx, patience)
	defer cancel()
	method := string(m.Method)
	h := c.Header(method, wire.Text(wire.Get(m.Params, mcp.NameParam(method))))
	if change != nil {
		change(h)
	}
	r, err := c.Send(ctx, []byte(payload), h)
	if err != nil {
		r.Text = "the connection ended without a response"
	}
	if r.Status == 0 && noResponse(&r) { // over HTTP something else came in its place
		c.t.silent[c.t.last] = true
	}
	return r
}

// request writes a request with a fresh id. members are those of params, as JSON
// without the braces around; what 2026-07-28 wants in _meta is added.
func (c *conn) request(method, members string) string {
	c.t.ids++
	return c.Request(fmt.Sprintf(`"test-%d"`, c.t.ids), method, members)
}

// ask sends a request; members are those of its params.
func (c *conn) ask(method, members string) response { return c.send(c.request(method, members), nil) }

// alive asks what every server answers.
func (c *conn) alive() response {
	if c.Version.IsModern() {
		return c.ask(mcp.Discover, "")
	}
	return c.ask(mcp.Ping, "")
}

// startFactor is how many times as long as others the first request to a program may take.
const startFactor = 3

// begin makes a handshake, or asks a server without one what it is.
func (c *conn) begin(version mcp.Version) response {
	if c.t.now {
		c.Version = mcp.FirstModern
		return c.ask(mcp.Discover, "")
	}
	if c.patient == 0 && c.t.opt.URL == nil { // the program starts
		c.patient = startFactor * c.t.opt.Timeout
		defer func() { c.patient = 0 }()
	}
	r := c.initialize(version)
	if r.Message.Kind == wire.MsgResult {
		id := c.t.last
		c.send(`{"jsonrpc":"2.0","method":"`+mcp.NotifyInitialized+`"}`, nil)
		c.t.last = id
	}
	return r
}

func (c *conn) initialize(version mcp.Version) response {
	r := c.ask(mcp.Initialize, c.Hello(version))
	c.Begun(&r)
	return r
}

func said(r *response) string {
	switch {
	case r.Message.Kind == wire.MsgError:
		return fmt.Sprintf("error %s %q", wire.Get(r.Message.Error, "code"), words.Line(wire.Text(wire.Get(r.Message.Error, "message")), 100))
	case r.Message.Kind == wire.MsgResult:
		return "a result"
	case r.Status > 0:
		return r.Said()
	case r.Text != "":
		return words.Line(r.Text, 100)
	}
	return "no response"
}

// unless is what was said where it is no result, "" where it is one.
func unless(r *response) string {
	if r.Message.Kind == wire.MsgResult {
		return ""
	}
	return said(r)
}

// code is that of an error, 0 for none.
func code(r *response) int64 {
	n, _ := wire.Int(wire.Get(r.Message.Error, "code"))
	return n
}

func failure(r *response) (why string, failed bool) {
	was := replay.NewResponse(&r.Message, r.Status, 0)
	return was.Failure(mcp.ToolsCall)
}

func noResponse(r *response) bool { return !r.Came && r.Status < 400 }

// answered says whether a JSON-RPC response with the id of the request came.
func answered(r *response) bool { return r.Message.IsResponse() }
