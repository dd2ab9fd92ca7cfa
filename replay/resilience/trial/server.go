package trial

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"midwire/replay/peer"
	"midwire/replay/resilience"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Serve plays what clients do wrong to a server, a fresh session for each, and
// returns what came of it.
func Serve(ctx context.Context, o Options, pranks []resilience.Prank) (*resilience.Report, error) {
	r := &resilience.Report{Role: "server", Transport: o.tap()}
	for i := range pranks {
		p := &pranks[i]
		result, tape, err := o.prank(ctx, p)
		if err != nil {
			return r, fmt.Errorf("%s: %w", p.Name, err)
		}
		if r.Peer == "" && tape != nil {
			r.Opposite, r.Peer = tape.Peers()
		}
		r.Results = append(r.Results, result)
		if o.Seen != nil {
			o.Seen(&result)
		}
	}
	return r, nil
}

// prank plays one.
func (o *Options) prank(ctx context.Context, p *resilience.Prank) (resilience.Result, *resilience.Tape, error) {
	if p.HTTPOnly && o.URL == nil {
		reply := resilience.Reply{Skipped: "this is for http, and the server is on stdio"}
		return resilience.JudgeServer(p, &reply, nil), nil, nil
	}
	c, err := o.connect(ctx, p.Fault)
	if err != nil {
		return resilience.Result{}, nil, err
	}
	s := &prankster{Peer: c, timeout: o.Timeout}
	reply, err := s.play(ctx, p)
	file, closing := c.Close()
	if err == nil {
		err = closing
	}
	if err != nil {
		return resilience.Result{}, nil, err
	}
	tape, err := o.tape(file)
	if err != nil {
		return resilience.Result{}, nil, err
	}
	return resilience.JudgeServer(p, &reply, tape), tape, nil
}

// prankster is a client that misbehaves.
type prankster struct {
	peer.Peer
	timeout time.Duration
	session string // id, "" for none
}

const clientInfo = `"capabilities":{},"clientInfo":{"name":"midwire resilience","version":"1"}`

// ask sends a message with what HTTP wants beside it.
func (s *prankster) ask(ctx context.Context, payload string, change func(http.Header)) (peer.Response, error) {
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	h.Set(mcp.HeaderVersion, resilience.Version)
	if s.session != "" {
		h.Set(mcp.HeaderSessionID, s.session)
	}
	if change != nil {
		change(h)
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	return s.Send(ctx, []byte(payload), h)
}

func request(id, method, params string) string {
	if params != "" {
		params = `,"params":` + params
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"` + params + `}`
}

func notification(method, params string) string {
	return `{"jsonrpc":"2.0","method":"` + method + `","params":` + params + `}`
}

// begin opens a session.
func (s *prankster) begin(ctx context.Context, version string) (peer.Response, error) {
	r, err := s.ask(ctx, request("1", mcp.Initialize, `{"protocolVersion":"`+version+`",`+clientInfo+`}`),
		func(h http.Header) { h.Del(mcp.HeaderVersion) })
	if err == nil && r.Header != nil {
		s.session = r.Header.Get(mcp.HeaderSessionID)
	}
	return r, err
}

// play plays a prank and looks whether the server is still there.
func (s *prankster) play(ctx context.Context, p *resilience.Prank) (reply resilience.Reply, err error) {
	version := resilience.Version
	if p.Name == "wrong-version" {
		version = "1999-01-01"
	}
	r, err := s.begin(ctx, version)
	if err != nil {
		return reply, err
	}
	began := time.Now()
	if p.Name == "wrong-version" {
		reply = replyOf(r, "1")
		reply.Asked = version
	} else {
		if r.Message.Kind != wire.MsgResult {
			return reply, fmt.Errorf("the server refuses a session: status %d, %s", r.Status, r.Message.Error)
		}
		if p.Name != "no-initialized" {
			if _, err := s.ask(ctx, `{"jsonrpc":"2.0","method":"`+mcp.NotifyInitialized+`"}`, nil); err != nil {
				return reply, err
			}
		}
		if reply, err = s.misbehave(ctx, p.Name); err != nil {
			return reply, err
		}
	}
	reply.After = time.Since(began)
	alive, err := s.ask(ctx, request(resilience.LastID, mcp.Ping, ""), nil)
	reply.Alive = alive.Message.Kind == wire.MsgResult
	reply.Exited = s.Exited()
	return reply, err
}

// misbehave does what a prank is.
func (s *prankster) misbehave(ctx context.Context, name string) (resilience.Reply, error) {
	id, payload := "7", request("7", mcp.ToolsList, "")
	var change func(http.Header)
	switch name {
	case "text-id":
		id, payload = `"seven"`, request(`"seven"`, mcp.ToolsList, "")
	case "unknown-method":
		payload = request("7", "no/such/method", "{}")
	case "unknown-notification":
		id, payload = "", notification("notifications/no/such", "{}")
	case "unknown-cancelled":
		id, payload = "", notification(mcp.NotifyCancelled, `{"requestId":4711}`)
	case "garbage":
		id, payload = "", `{"jsonrpc":"2.0","id":7,"method":`
	case "version-header":
		change = func(h http.Header) { h.Set(mcp.HeaderVersion, "1999-01-01") }
	case "unknown-session", "no-session-header":
		if s.session == "" {
			return resilience.Reply{Skipped: "the server issues no session ids"}, nil
		}
		change = func(h http.Header) {
			if h.Del(mcp.HeaderSessionID); name == "unknown-session" {
				h.Set(mcp.HeaderSessionID, "made-up-by-midwire")
			}
		}
	case "repeated-id":
		if r, err := s.ask(ctx, payload, nil); err != nil || !r.Came {
			return replyOf(r, id), err
		}
	case "cancelled-call", "dropped-stream":
		return s.goAway(ctx, name)
	}
	r, err := s.ask(ctx, payload, change)
	return replyOf(r, id), err
}

// goAway begins a request and does not wait for its response.
func (s *prankster) goAway(ctx context.Context, name string) (resilience.Reply, error) {
	const soon = 2 * time.Millisecond
	gone, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	if _, err := s.ask(gone, request("7", mcp.ToolsList, ""), nil); err != nil {
		return resilience.Reply{}, err
	}
	if name == "cancelled-call" {
		_, err := s.ask(ctx, notification(mcp.NotifyCancelled, `{"requestId":7,"reason":"no longer wanted"}`), nil)
		return resilience.Reply{ID: "7"}, err
	}
	return resilience.Reply{ID: "7"}, nil
}

// replyOf is what a response says to the request with an id.
func replyOf(r peer.Response, id string) resilience.Reply {
	m := &r.Message
	reply := resilience.Reply{
		ID: id, Came: r.Came, Status: r.Status, Result: m.Kind == wire.MsgResult, Same: string(m.ID) == id,
		Version: wire.Text(wire.Get(m.Result, "protocolVersion")), Text: wire.Text(wire.Get(m.Error, "message")),
	}
	_ = json.Unmarshal(wire.Get(m.Error, "code"), &reply.Code) // 0 where there is none
	return reply
}
