// Package call uses a server as a client: it lists what the server offers and calls a tool,
// through a proxy, so that it is a recording.
package call

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"midwire/replay/peer"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// Options say which server is used. A server and Record are needed.
type Options struct {
	peer.Server
	Hide    []string // beside what is given in fields and the URL
	Label   string
	Timeout time.Duration // of one request; a minute when zero
	Paging  time.Duration // of all pages of a list; five times Timeout when zero
}

// Client is a session with a server.
type Client struct {
	peer.Session
	opt   Options
	ctx   context.Context
	ids   int
	given peer.Secrets

	able []byte // the capabilities of the server
}

// startFactor is how many times as long as others the first request to a program may take.
const startFactor = 3

// most bounds the pages that are read of one list, and what is read of them.
const (
	mostPages = 200
	mostItems = 10_000
)

// Open begins a session: with a handshake, or without one with a server that has none.
func Open(ctx context.Context, opt Options) (*Client, error) {
	if opt.Timeout <= 0 {
		opt.Timeout = time.Minute
	}
	opt.Paging = cmp.Or(opt.Paging, 5*opt.Timeout)
	given := opt.Ask(opt.Hide...)
	c := &Client{opt: opt, ctx: ctx, given: given}
	c.Name, c.Extra = "midwire-"+opt.Label, opt.Header
	var err error
	if opt.URL != nil {
		tap, stop, err := opt.Proxy(ctx, nil, opt.Label)
		if err != nil {
			return nil, err
		}
		file := tap.Record.Path()
		end := func() (string, error) { stop(); return file, nil }
		c.Peer = opt.Talk(tap.Origin()+opt.URL.RequestURI(), peer.Answer, end)
	} else if c.Peer, err = opt.Start(ctx, opt.Label, peer.Answer); err != nil {
		return nil, err
	}
	if err := c.begin(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Given are the credentials that the user gave: they are not printed.
func (c *Client) Given() peer.Secrets { return c.given }

// Close ends the session and returns the file of its recording.
func (c *Client) Close() string {
	if c.ID != "" {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), 2*time.Second)
		defer cancel()
		c.Leave(ctx, c.Header("", ""))
	}
	file, _ := c.Peer.Close() // that it does not end is in the recording
	return file
}

func (c *Client) begin() error {
	patience := c.opt.Timeout
	if c.opt.URL == nil { // the program starts
		c.opt.Timeout *= startFactor
		defer func() { c.opt.Timeout = patience }()
	}
	r, err := c.send(c.ctx, mcp.Initialize, c.Hello(mcp.LastHandshake))
	if err == nil {
		c.Begun(&r)
		c.able = bytes.Clone(wire.Get(r.Message.Result, "capabilities"))
		_, err = c.Send(c.ctx, []byte(`{"jsonrpc":"2.0","method":"`+mcp.NotifyInitialized+`"}`), c.Header("", ""))
		return err
	}
	if !errors.As(err, new(*Refused)) || c.Exited() {
		return err
	}
	c.Version = mcp.FirstModern
	r, modern := c.send(c.ctx, mcp.Discover, "")
	if modern != nil {
		return err // of the handshake, which most servers have
	}
	c.able = bytes.Clone(wire.Get(r.Message.Result, "capabilities"))
	return nil
}

// Refused is an error that a server responded with.
type Refused struct {
	Code int64
	Text string
}

func (r *Refused) Error() string {
	if r.Code == 0 {
		return r.Text
	}
	return fmt.Sprintf("error %d: %s", r.Code, r.Text)
}

// send sends a request and waits for its response, which is a result if there is no error.
func (c *Client) send(ctx context.Context, method, members string) (peer.Response, error) {
	c.ids++
	payload := []byte(c.Request(fmt.Sprint(c.ids), method, members))
	ctx, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	m, _ := wire.ScanMessage(payload)
	r, err := c.Send(ctx, payload, c.Header(method, wire.Text(wire.Get(m.Params, mcp.NameParam(method)))))
	switch {
	case err != nil:
		return r, fmt.Errorf("%s: %w", method, err)
	case r.Message.Kind == wire.MsgResult:
		return r, nil
	case r.Message.Kind == wire.MsgError:
		code, _ := wire.Int(wire.Get(r.Message.Error, "code"))
		return r, &Refused{code, wire.Text(wire.Get(r.Message.Error, "message"))}
	case r.Status >= 400:
		return r, &Refused{0, strings.TrimSpace(fmt.Sprintf("HTTP %d %s", r.Status, words.Line(r.Text, 200)))}
	case c.ctx.Err() != nil:
		return r, c.ctx.Err()
	case r.Status != 0:
		return r, fmt.Errorf("the server answered %s with %s", method, r.Said())
	case c.Exited():
		return r, errors.New("the server ended without a response to " + method)
	}
	return r, fmt.Errorf("the server did not respond to %s in %s", method, c.opt.Timeout)
}

// List returns the items of all pages of a list; member is where a page has them.
func (c *Client) List(method, member string) (all []json.RawMessage, err error) {
	cursor := ""
	whole, cancel := context.WithTimeout(c.ctx, c.opt.Paging)
	defer cancel()
	for range mostPages {
		r, err := c.send(whole, method, cursor)
		if whole.Err() != nil && c.ctx.Err() == nil {
			return nil, fmt.Errorf("the pages of %s take more than %s", method, c.opt.Paging)
		}
		if err != nil {
			return nil, err
		}
		wire.Items(wire.Get(r.Message.Result, member), func(_ int, raw []byte) bool {
			all = append(all, bytes.Clone(raw))
			return len(all) < mostItems
		})
		next := wire.Get(r.Message.Result, "nextCursor")
		if len(next) <= 2 || next[0] != '"' || len(all) >= mostItems {
			return all, nil
		}
		cursor = `"cursor":` + string(next)
	}
	return all, fmt.Errorf("%s has more than %d pages", method, mostPages)
}

// Call calls a tool; arguments are a JSON object.
func (c *Client) Call(tool string, arguments []byte) (json.RawMessage, error) {
	name, _ := json.Marshal(tool) // a string
	r, err := c.send(c.ctx, mcp.ToolsCall, `"name":`+string(name)+`,"arguments":`+string(arguments))
	return bytes.Clone(r.Message.Result), err
}

// ListAll lists what the server declares that it has, so that its recording does.
func (c *Client) ListAll() error {
	for _, l := range [...][3]string{
		{"tools", mcp.ToolsList, "tools"},
		{"prompts", mcp.PromptsList, "prompts"},
		{"resources", mcp.ResourceTemplatesList, "resourceTemplates"},
	} {
		if wire.Get(c.able, l[0]) == nil {
			continue
		}
		_, err := c.List(l[1], l[2])
		if refused, is := errors.AsType[*Refused](err); is && refused.Code == mcp.CodeMethodNotFound {
			continue // some declare resources and have no templates
		}
		if err != nil {
			return err
		}
	}
	return nil
}
