package hub_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"midwire/session/mcp"
)

// events reads a stream: the ids of its events and their data, until more of them are
// not wanted or it ends.
func (c *client) events(ctx context.Context, method, body, last string) (*http.Response, *bufio.Scanner) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, c.url+c.path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header = c.header.Clone()
	if last != "" {
		req.Header.Set(mcp.HeaderLastEventID, last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { resp.Body.Close() })
	return resp, bufio.NewScanner(resp.Body)
}

// next is the next event: its id and its data.
func next(lines *bufio.Scanner) (id, data string) {
	for lines.Scan() {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "id: "):
			id = line[4:]
		case strings.HasPrefix(line, "data: "):
			data = line[6:]
		case line == "" && (id != "" || data != ""):
			return id, data
		}
	}
	return id, data
}

// latest is initialize for the latest version that has a session.
func (c *client) latest() {
	c.t.Helper()
	resp, _ := c.send("POST", c.path, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}},"clientInfo":{"name":"test","version":"1"}}}`)
	c.header.Set(mcp.HeaderSessionID, resp.Header.Get(mcp.HeaderSessionID))
	c.header.Set(mcp.HeaderVersion, "2025-11-25")
	c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// TestResume: a client whose connection breaks while a call runs gets the rest of the
// stream, and its response once, with the id of the last event that it has seen.
func TestResume(t *testing.T) {
	r := start(t, []string{raw("one", "")}, nil)
	for path, prefix := range map[string]string{"/mcp": "one_", "/one/mcp": ""} {
		c := r.client(path)
		c.latest()
		ctx, leave := context.WithCancel(t.Context())
		_, lines := c.events(ctx, "POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"%sask","arguments":{"method":"sampling/createMessage"}}}`, prefix), "")
		first, data := next(lines)
		if first == "" || data != "" {
			t.Fatalf("%s: the first event is %q %q, not an id alone", path, first, data)
		}
		_, data = next(lines)
		want(t, data, "sampling/createMessage")
		leave() // the call goes on
		asked := get(data, "id")
		_, lines = c.events(t.Context(), "GET", "", first)
		if _, again := next(lines); again != data {
			t.Errorf("%s: the event after %s is %q, it was %q", path, first, again, data)
		}
		c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"text":"mine"}}`, asked))
		last, data := next(lines)
		want(t, data, `"id":7`, `"text":"mine"`)
		if id, more := next(lines); more != "" {
			t.Errorf("%s: after the response there is %s %q", path, id, more)
		}
		resp, lines := c.events(t.Context(), "GET", "", first) // what has ended can be read again
		next(lines)
		if id, again := next(lines); resp.StatusCode != 200 || id != last || again != data {
			t.Errorf("%s: %s, response %s again: %q", path, resp.Status, id, again)
		}
		if resp, _ := c.events(t.Context(), "GET", "", last); resp.StatusCode != 400 {
			t.Errorf("%s: after the last event: %s", path, resp.Status)
		}
		other := r.client(path)
		other.latest()
		if resp, _ := other.events(t.Context(), "GET", "", first); resp.StatusCode != 400 {
			t.Errorf("%s: another session asks for this one's events: %s", path, resp.Status)
		}
	}
}

// TestMissed: what a server says while nobody listens, or on a connection that breaks, is
// there for who comes back.
func TestMissed(t *testing.T) {
	r := start(t, []string{raw("one", "")}, nil)
	c := r.client("/one/mcp")
	c.latest()
	ctx, leave := context.WithCancel(t.Context())
	_, lines := c.events(ctx, "GET", "", "")
	c.call("change", "{}")
	first, data := next(lines)
	want(t, data, "prompts/list_changed")
	leave()
	_, lines = c.events(t.Context(), "GET", "", first)
	if id, data := next(lines); !strings.Contains(data, "tools/list_changed") || id == first {
		t.Errorf("after %s: %s %s", first, id, data)
	}
}

// TestCancelled: a request that its client cancels is no notification: its stream ends
// without a response, and a client that takes no stream gets an error.
func TestCancelled(t *testing.T) {
	r := start(t, []string{raw("one", "")}, nil)
	const hang = `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"hang"}}`
	const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}`
	c := r.client("/one/mcp")
	c.latest()
	resp, lines := c.events(t.Context(), "POST", hang, "")
	next(lines)
	_, data := next(lines)
	want(t, data, "hanging")
	c.post(cancel)
	if id, more := next(lines); resp.StatusCode != 200 || strings.Contains(more, `"id":"x"`) {
		t.Errorf("%s: %s %q", resp.Status, id, more)
	}

	listen := c.listen(t.Context())
	c.header.Set("Accept", "application/json")
	answer := make(chan string)
	go func() {
		resp, body := c.send("POST", c.path, hang)
		answer <- resp.Status + " " + string(body)
	}()
	for message := range listen {
		if strings.Contains(message, "hanging") {
			break
		}
	}
	c.post(cancel)
	want(t, <-answer, "200 OK", `"id":"x"`, `"error"`)
}
