package gate

import (
	"strings"
	"testing"

	"midwire/session/wire"
)

// TestAnswersOverHTTPAndSSE: in the transport of 2024-11-05 a request that the gate
// answers is accepted, and the response comes on the stream of its session.
func TestAnswersOverHTTPAndSSE(t *testing.T) {
	w := newWorld(t, "http", `tool:a => answer {"ok":true}`)
	w.feed(wire.ToServer, "GET /sse HTTP/1.1\r\nHost: h\r\n\r\n", 1000)
	endpoint := chunk("event: endpoint\ndata: /messages?sessionId=s1\n\n")
	w.feed(wire.ToClient, streamHead+endpoint, 1000)

	posts := newFake()
	conn, _ := w.g.Open(2, posts)
	conn.Begin(State{Up: wire.NewRequestStream(), Down: wire.NewResponseStream()})
	t.Cleanup(conn.Close)
	call := strings.Replace(post(toolCall(5, "a")), "/mcp", "/messages?sessionId=s1", 1)
	if _, err := conn.Feed(wire.ToServer, []byte(call)); err != nil {
		t.Fatal(err)
	}
	posts.eventually(t, wire.ToClient, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
	w.eventually(t, wire.ToClient, streamHead+endpoint+
		chunk("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"ok\":true}}\n\n"))
	if got := posts.sent(wire.ToServer); got != "" {
		t.Errorf("the server got %q", got)
	}
}
