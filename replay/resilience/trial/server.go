package trial

import (
	"cmp"
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

// soon is when a client that does not wait for a response leaves.
const soon = 2 * time.Millisecond

// ask sends a message with what HTTP wants beside it.
func (s *prankster) ask(ctx context.Context, m resilience.Send) (peer.Response, error) {
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	h.Set(mcp.HeaderVersion, resilience.Version)
	if s.session != "" {
		h.Set(mcp.HeaderSessionID, s.session)
	}
	if h.Del(m.Field); m.Value != "" {
		h.Set(m.Field, m.Value)
	}
	patience := s.timeout
	if m.Leaves {
		patience = soon
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return s.Send(ctx, []byte(m.Payload), h)
}

// play plays a prank and looks whether the server is still there.
func (s *prankster) play(ctx context.Context, p *resilience.Prank) (reply resilience.Reply, err error) {
	version := cmp.Or(p.Version, resilience.Version)
	params := `{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"midwire resilience","version":"1"}}`
	initialize := resilience.Send{Payload: resilience.Request("1", mcp.Initialize, params), Field: mcp.HeaderVersion}
	r, err := s.ask(ctx, initialize)
	if err != nil {
		return reply, err
	}
	s.session = r.Header.Get(mcp.HeaderSessionID)
	began := time.Now()
	if p.Version == "" && r.Message.Kind != wire.MsgResult {
		return reply, fmt.Errorf("the server refuses a session: status %d, %s", r.Status, r.Message.Error)
	}
	if p.Version == "" && !p.Unready {
		if _, err := s.ask(ctx, resilience.Send{Payload: `{"jsonrpc":"2.0","method":"` + mcp.NotifyInitialized + `"}`}); err != nil {
			return reply, err
		}
	}
	for _, m := range p.Sends {
		if m.Field == mcp.HeaderSessionID && s.session == "" {
			return resilience.Reply{Skipped: "the server issues no session ids"}, nil
		}
		if r, err = s.ask(ctx, m); err != nil || !r.Came && !m.Leaves {
			break
		}
	}
	if err != nil {
		return reply, err
	}
	reply = replyOf(r, p.ID)
	reply.After, reply.Asked = time.Since(began), p.Version
	alive, err := s.ask(ctx, resilience.Send{Payload: resilience.Request(resilience.LastID, mcp.Ping, "")})
	reply.Alive = alive.Message.Kind == wire.MsgResult
	reply.Exited = s.Exited()
	return reply, err
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
