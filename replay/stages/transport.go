package stages

import (
	"context"
	"fmt"
	"net/http"

	"midwire/replay/checks"
	"midwire/session/mcp"
	"midwire/session/wire"
)

const specTransport = "2025-11-25 basic/transports: Streamable HTTP"

// transport is what only HTTP has: other methods, and headers that are left out or wrong.
func (t *tester) transport(c *conn) error {
	sessions := "2025-11-25 basic/transports: Session Management"
	ping := func() string {
		if t.now {
			return c.request(mcp.Discover, "")
		}
		return c.request(mcp.Ping, "")
	}
	if !t.now { // a server of both eras has a GET for the older one
		t.get(c)
	}
	if c.ID != "" {
		r := c.send(ping(), func(h http.Header) { h.Set(mcp.HeaderSessionID, "00000000-0000-4000-8000-000000000000") })
		t.status("an unknown session id", &r, 404, checks.Noted, sessions)
		r = c.send(ping(), func(h http.Header) { h.Del(mcp.HeaderSessionID) })
		t.status("no session id", &r, 400, checks.Noted, sessions)
	}
	if !t.now {
		t.ended(ping)
	}
	if c.Version >= mcp.V20250618 && !t.now {
		r := c.send(ping(), func(h http.Header) { h.Set(mcp.HeaderVersion, "1999-01-01") })
		t.status("an unknown version in the header", &r, 400, checks.Failed, "2025-11-25 basic/transports: Protocol Version Header")
	}
	r := c.send(ping(), func(h http.Header) { h.Set("Origin", "http://evil.example") })
	t.status("a foreign Origin", &r, 403, checks.Noted, "2025-11-25 basic/transports: Security Warning")
	r = c.send(`{"jsonrpc":"2.0",`, nil)
	switch {
	case noResponse(&r):
		t.must("half a message", "no response", specTransport)
	case r.Status == 200 && r.Message.Kind != wire.MsgError || r.Status >= 500:
		t.should("half a message", said(&r), specTransport)
	default:
		t.must("half a message", "", specTransport)
	}
	return nil
}

// status checks a request that has to be refused.
func (t *tester) status(name string, r *response, want int, wrong checks.Verdict, spec string) {
	switch {
	case r.Status == want:
		t.must(name, "", spec)
	case noResponse(r):
		t.must(name, "no response", spec)
	default:
		t.check(name, wrong, fmt.Sprintf("%s instead of %d", said(r), want), spec)
	}
}

// get opens the stream for what the server says by itself.
func (t *tester) get(c *conn) {
	status, media, err := c.plain(http.MethodGet)
	wrong := ""
	switch stream := status == http.StatusOK && wire.IsMediaType(media, "text/event-stream"); {
	case err != nil:
		wrong = err.Error()
	case !stream && status != http.StatusMethodNotAllowed:
		wrong = fmt.Sprintf("HTTP %d %s instead of an event stream or 405", status, media)
	}
	t.must("GET", wrong, specTransport)
}

// ended uses a session that its client has ended, where the server lets it.
func (t *tester) ended(ping func() string) {
	const name, spec = "a session that was ended", "2025-11-25 basic/transports: Session Management"
	c, err := t.begun(odd)
	if err != nil {
		return
	}
	defer c.close()
	if c.ID == "" {
		return
	}
	status, _, err := c.plain(http.MethodDelete)
	switch {
	case err != nil:
		t.must(name, err.Error(), spec)
	case status == http.StatusMethodNotAllowed:
		t.must("DELETE", "", spec)
	case status >= 300:
		t.must("DELETE", fmt.Sprintf("HTTP %d instead of 2xx or 405", status), spec)
	default:
		r := c.send(ping(), nil)
		t.status(name, &r, 404, checks.Failed, spec)
		c.ID = ""
	}
}

// plain sends a request without a message, and returns status and media type.
func (c *conn) plain(method string) (status int, media string, err error) {
	ctx, cancel := context.WithTimeout(c.t.ctx, c.t.opt.Timeout)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, method, c.t.proxy[c.kind], nil)
	if err != nil {
		return 0, "", err
	}
	q.Header = c.Header("", "")
	q.Header.Del("Content-Type")
	q.Header.Set("Accept", "text/event-stream")
	r, err := http.DefaultTransport.RoundTrip(q)
	if err != nil {
		return 0, "", err
	}
	defer r.Body.Close()
	return r.StatusCode, r.Header.Get("Content-Type"), nil
}
