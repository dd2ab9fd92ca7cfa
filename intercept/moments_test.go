package intercept

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"midwire/session/wire"
)

// stepwise is a server whose connections the test plays.
type stepwise struct {
	*upstream
	conns chan net.Conn
}

func newStepwise(t testing.TB) *stepwise {
	t.Helper()
	u := rawUpstream(t, nil)
	s := &stepwise{u, make(chan net.Conn, 8)}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	u.addr = ln.Addr().String()
	u.url.Host = u.addr
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			s.conns <- c
		}
	}()
	return s
}

// moments is one connection, seen from both ends.
type moments struct {
	t      testing.TB
	client net.Conn
	server net.Conn
	sent   int // bytes that the server wrote
	got    strings.Builder
}

func (s *stepwise) connect(t testing.TB, addr string) *moments {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	m := &moments{t: t, client: c, server: <-s.conns}
	t.Cleanup(func() { m.client.Close(); m.server.Close() })
	for _, c := range []net.Conn{m.client, m.server} {
		_ = c.SetDeadline(time.Now().Add(20 * time.Second)) // against a hang
	}
	return m
}

// ask sends a request, and waits until the server has it.
func (m *moments) ask(request string) {
	m.t.Helper()
	if _, err := io.WriteString(m.client, request); err != nil {
		m.t.Fatal(err)
	}
	if _, err := io.ReadFull(m.server, make([]byte, len(request))); err != nil {
		m.t.Fatal(err)
	}
}

// say writes to the client.
func (m *moments) say(text string) {
	m.t.Helper()
	if _, err := io.WriteString(m.server, text); err != nil {
		m.t.Fatal(err)
	}
	m.sent += len(text)
}

// arrives reads until the client has as much as the server has written. False
// says that something is held back.
func (m *moments) arrives() bool {
	m.t.Helper()
	if m.t.Failed() {
		return false
	}
	buf := make([]byte, 4<<10)
	for m.got.Len() < m.sent {
		n, err := m.client.Read(buf)
		m.got.Write(buf[:n])
		if err != nil {
			m.t.Errorf("held back: the client has %q, then %v", m.got.String(), err)
			return false
		}
	}
	return true
}

// framings are the ways a body is delimited.
var framings = []string{"chunked", "chunked, end apart", "chunked, end with the last event", "trailers", "length", "until close"}

// script is a response in steps. Each step is one that may have its effect at
// the client before the next is written.
func script(framing string, pieces []string) []string {
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	var steps []string
	switch framing {
	case "length":
		steps = append(steps, fmt.Sprintf("%sContent-Length: %d\r\n\r\n", head, len(strings.Join(pieces, ""))))
		return append(steps, pieces...)
	case "until close":
		return append(append(steps, head+"Connection: close\r\n\r\n"), pieces...)
	}
	steps = append(steps, head+"Transfer-Encoding: chunked\r\n\r\n")
	for _, p := range pieces {
		steps = append(steps, fmt.Sprintf("%x\r\n%s\r\n", len(p), p))
	}
	switch framing {
	case "chunked, end apart":
		return append(steps, "0\r\n", "\r\n")
	case "chunked, end with the last event":
		steps[len(steps)-1] += "0\r\n\r\n"
		return steps
	case "trailers":
		return append(steps, "0\r\n", "X-Sum: 1\r\n", "\r\n")
	}
	return append(steps, "0\r\n\r\n")
}

// TestEveryMomentOfAStream: whatever a server writes is at the client before
// the server writes the next thing, as on a direct connection, and the next
// request on the connection is answered as well.
func TestEveryMomentOfAStream(t *testing.T) {
	streams := map[string][]string{
		"nothing":               nil,
		"comments":              {": ping\n\n", ":\n", "\n", ": ping\n\n"},
		"retry":                 {"retry: 3000\n", "\n", "retry: 1\n\n"},
		"id first":              {"id: 1\ndata: {\"jsonrpc\":\"2.0\"}\n\n", "id: 2\ndata: {}\n\n"},
		"empty data":            {"id: 1\ndata: \n\n", "id: 2\ndata: {}\n\n"},
		"line by line":          {"id: 1\n", "event: message\n", "data: {\"a\":1,\n", "data: \"b\":2}\n", "\n"},
		"data, then event":      {"data: {}\n", "event: message\n", "\n"},
		"inside of a line":      {"ev", "ent: mes", "sage\nda", "ta: {", "}\n\n"},
		"no event, no data":     {"event: ping\n\n", "event: message\n", "\n", "data: {}\n\n"},
		"CRLF":                  {": a\r\n\r\n", "id: 1\r\n", "data: {}\r\n", "\r\n"},
		"CR":                    {": a\r\r", "id: 1\r", "data: {}\r", "\r"},
		"CR and LF apart":       {": a\r", "\n\r", "\n", "data: {}\r", "\n\r", "\n"},
		"byte order mark":       {"\xef\xbb\xbf: a\n", "\ndata: {}\n\n"},
		"relative endpoint":     {"event: endpoint\n", "data: /m?sessionId=1\n", "\n", "data: {}\n\n"},
		"endpoint of others":    {"event: endpoint\ndata: http://elsewhere.example/m\n", "\n"},
		"first without an end":  {"data: {}\n"},
		"comment without a end": {": a"},
		"no field at all":       {"hello\n", "world"},
		"datax":                 {"datax: http://UP/\n", "\n", "data\n", "\n"},
		"second is an endpoint": {"data: {}\n\n", "event: endpoint\ndata: http://UP/m\n\n"},
		"long":                  {"data: " + strings.Repeat("x", 100_000) + "\n\n", ": p\n\n"},
	}
	for _, method := range []string{"GET", "POST"} {
		for _, framing := range framings {
			t.Run(method+", "+framing, func(t *testing.T) {
				up := newStepwise(t)
				tap := startHTTP(t, &HTTP{Target: up.url, KeepHost: true})
				rewriting := startHTTP(t, &HTTP{Target: up.url})
				for name, pieces := range streams {
					t.Run(name, func(t *testing.T) {
						for _, addr := range []string{up.addr, tap.addr, rewriting.addr} {
							m := up.connect(t, addr)
							request := method + " /mcp HTTP/1.1\r\nHost: " + up.addr + "\r\n\r\n"
							m.ask(request)
							m.run(script(framing, pieces))
							if framing == "until close" {
								continue
							}
							m.ask(request) // on the same connection
							m.run(script("chunked", pieces))
						}
					})
				}
			})
		}
	}
}

// run plays a response; at a response that ends with the connection both ends
// see that.
func (m *moments) run(steps []string) {
	m.t.Helper()
	from := m.got.Len()
	for _, s := range steps {
		m.say(strings.ReplaceAll(s, "http://UP/", "http://127.0.0.1:1/")) // as long as it has to be
		if !m.arrives() {
			return
		}
	}
	all := strings.ReplaceAll(strings.Join(steps, ""), "http://UP/", "http://127.0.0.1:1/")
	if got := m.got.String()[from:]; got != all {
		m.t.Errorf("the client got %q\nof %q", got, all)
	}
	if strings.Contains(steps[0], "Connection: close") {
		m.server.Close()
		if n, err := m.client.Read(make([]byte, 1)); n > 0 || err != io.EOF {
			m.t.Errorf("at the end the client reads %d bytes, %v", n, err)
		}
	}
}

// A response without content ends at once, whatever its head says.
func TestStreamsWithoutContent(t *testing.T) {
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	up := newStepwise(t)
	tap := startHTTP(t, &HTTP{Target: up.url})
	for name, tc := range map[string]struct{ method, response string }{
		"HEAD, chunked":     {"HEAD", head + "Transfer-Encoding: chunked\r\n\r\n"},
		"HEAD, length":      {"HEAD", head + "Content-Length: 7\r\n\r\n"},
		"GET, no length":    {"GET", head + "Content-Length: 0\r\n\r\n"},
		"GET, 204":          {"GET", strings.Replace(head, "200 OK", "204 No Content", 1) + "\r\n"},
		"GET, 304":          {"GET", strings.Replace(head, "200 OK", "304 Not Modified", 1) + "\r\n"},
		"GET, 405, chunked": {"GET", strings.Replace(head, "200 OK", "405 Method Not Allowed", 1) + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
		"GET, interim":      {"GET", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + head + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, addr := range []string{up.addr, tap.addr} {
				m := up.connect(t, addr)
				for range 3 {
					m.ask(tc.method + " /mcp HTTP/1.1\r\nHost: " + up.addr + "\r\n\r\n")
					m.run([]string{tc.response})
				}
				m.ask("GET /mcp HTTP/1.1\r\nHost: " + up.addr + "\r\n\r\n")
				m.run(script("chunked", []string{"id: 1\n", ": p\n\n", "data: {}\n\n"}))
			}
		})
	}
}

// The bytes of requests arrive moment for moment too, once their head has, and
// once each: also those that cannot be framed.
func TestEveryMomentOfARequest(t *testing.T) {
	up := newStepwise(t)
	for name, steps := range map[string][]string{
		"chunked":             {"2\r\n{}\r\n", "0\r\n", "\r\n"},
		"chunk by byte":       {"2", "\r", "\n", "{", "}", "\r", "\n", "0", "\r", "\n", "X: y\r", "\n", "\r", "\n"},
		"size that is none":   {"z", "z", "\r\n", "x"},
		"chunk beyond a size": {"1\r\n{", "}}", "x"},
		"size without an end": {strings.Repeat("0", 40<<10), strings.Repeat("0", 40<<10), "x"},
	} {
		for _, keep := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, %v", name, keep), func(t *testing.T) {
				tap := startHTTP(t, &HTTP{Target: up.url, KeepHost: keep})
				m := up.connect(t, tap.addr)
				m.ask("POST /mcp HTTP/1.1\r\nHost: " + up.addr + "\r\nTransfer-Encoding: chunked\r\n\r\n")
				for _, s := range steps {
					m.ask(s)
				}
				m.client.(*net.TCPConn).CloseWrite()
				if more, err := io.ReadAll(m.server); len(more) > 0 || err != nil {
					t.Errorf("beyond what the client sent: %d bytes, %v", len(more), err)
				}
			})
		}
	}
}

// An absolute endpoint of the server is replaced wherever it stands in the
// first event, and what stands before its line has passed already.
func TestEndpointBehindOtherLines(t *testing.T) {
	for name, tc := range map[string]struct{ before, event string }{
		"id":                 {"", "id: 1\nevent: endpoint\ndata: URL\n\n"},
		"comment":            {": hello\n", "event: endpoint\ndata: URL\n\n"},
		"comment blocks":     {": hello\n\n: more\n\n", "event: endpoint\ndata: URL\n\n"},
		"retry":              {"retry: 10\n\n", "retry: 5\nevent: endpoint\ndata:URL\n\n"},
		"data first":         {"id: 7\n", "data: URL\nevent: endpoint\n\n"},
		"CR":                 {": a\r\r", "id: 1\revent: endpoint\rdata: URL\r\r"},
		"CRLF":               {": a\r\n\r\n", "event:endpoint\r\nid: 1\r\ndata:URL\r\n\r\n"},
		"byte order mark":    {"", "\xef\xbb\xbfevent: endpoint\ndata: URL\n\n"},
		"mark, data first":   {"", "\xef\xbb\xbfdata: URL\nevent: endpoint\n\n"},
		"space":              {"", "event: endpoint\ndata:  \tURL \n\n"},
		"event without data": {"event: ping\n\n", "event: endpoint\ndata: URL\n\n"},
		"named twice":        {"event: message\n", "event: endpoint\ndata: URL\n\n"},
		"comment inside":     {"", "event: endpoint\ndata: URL\n: c\nid: 1\n\n"},
	} {
		for _, framing := range []string{"chunked", "until close"} {
			for _, cut := range []int{1 << 20, 1, 7} {
				t.Run(fmt.Sprintf("%s, %s, %d", name, framing, cut), func(t *testing.T) {
					up := newStepwise(t)
					tap := startHTTP(t, &HTTP{Target: up.url, KeepHost: true})
					m := up.connect(t, tap.addr)
					m.ask("GET /sse HTTP/1.1\r\nHost: localhost:7000\r\n\r\n")
					rest := "data: {}\n\n"
					url := "http://me@" + up.addr + "/m?sessionId=1#x"
					var pieces []string
					for p := tc.before + strings.Replace(tc.event, "URL", url, 1); p != ""; p = p[min(cut, len(p)):] {
						pieces = append(pieces, p[:min(cut, len(p))])
					}
					steps := script(framing, append(pieces, rest))
					for i, s := range steps {
						m.say(s)
						if said := strings.Join(pieces[:min(i, len(pieces))], ""); len(said) <= len(tc.before) && i < len(pieces) && !strings.HasSuffix("data", said[strings.LastIndexAny(said, "\r\n")+1:]) && cut == 1 {
							m.arrives() // what stands before is not held back
						}
					}
					m.server.Close()
					raw, err := io.ReadAll(m.client)
					if err != nil {
						t.Fatal(err)
					}
					want := tc.before + strings.Replace(tc.event, "URL", "http://localhost:7000/m?sessionId=1#x", 1) + rest
					if got := contentOf(t, m.got.String()+string(raw)); got != want {
						t.Errorf("the client got %q\nwant %q", got, want)
					}
					tap.stop()
					if n := len(ofKind(frames(t, tap.path), wire.KindEdit)); n != 1 {
						t.Errorf("%d edits are recorded", n)
					}
				})
			}
		}
	}
}

// The last event of a stream is recorded as whole, also when only a carriage
// return ends it.
func TestLastEventIsWhole(t *testing.T) {
	for _, end := range []string{"\n\n", "\r\n\r\n", "\r\r"} {
		up := rawUpstream(t, func(int, int) string { return sseAnswer("data: {}"+end, "one chunk") })
		tap := startHTTP(t, &HTTP{Target: up.url})
		talk(t, tap.addr, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		tap.stop()
		if all := ofKind(frames(t, tap.path), wire.KindEvent); len(all) != 1 || all[0].Part != wire.Whole {
			t.Errorf("%q: %+v", end, all)
		}
	}
}
