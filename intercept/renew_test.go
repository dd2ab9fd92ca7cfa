package intercept

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"midwire/intercept/gate"
	"midwire/session/wire"
)

const (
	heldCall = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}}`
	answered = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 36\r\n\r\n" +
		`{"jsonrpc":"2.0","id":2,"result":{}}`
)

// held is a client whose call is held behind one that was served, and the connection of the
// server.
func held(t *testing.T, ln net.Listener, g *gate.Gate, tap *tapped) (client, server net.Conn, hears *bufio.Reader) {
	t.Helper()
	client, err := net.Dial("tcp", tap.addr)
	if err != nil {
		t.Fatal(err)
	}
	if server, err = ln.Accept(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []net.Conn{client, server} {
		_ = c.SetDeadline(time.Now().Add(20 * time.Second))
		t.Cleanup(func() { c.Close() })
	}
	hears = bufio.NewReader(client)
	ping := post("/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	_, _ = io.WriteString(client, ping)
	if _, err := io.ReadFull(server, make([]byte, len(ping))); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(server, answered)
	if resp, err := http.ReadResponse(hears, nil); err != nil || resp.StatusCode != 200 {
		t.Fatal(resp, err)
	} else if _, err := io.ReadAll(resp.Body); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(client, post("/mcp", heldCall))
	for len(g.Snapshot().Held) == 0 {
		runtime.Gosched()
	}
	return client, server, hears
}

// TestHeldBehindAServerThatClosesIdleConnections: as Node's do after 5 s. The held call is
// served over another connection, and the recording says who closed.
func TestHeldBehindAServerThatClosesIdleConnections(t *testing.T) {
	for said, closes := range map[string]func(net.Conn){
		"closed": func(c net.Conn) { c.Close() },
		"broke":  Reset,
		"said HTTP/1.1 408 Request": func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n")
		},
	} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		g := gate.New("http")
		arm(t, g, "", "method:tools/call => hold")
		tap := startHTTP(t, &HTTP{Target: &url.URL{Scheme: "http", Host: ln.Addr().String()}, KeepHost: true, Gate: g})
		client, server, hears := held(t, ln, g, tap)
		closes(server)
		if _, err := io.Copy(io.Discard, server); err != nil && said == "said" { // the proxy has let it go
			t.Fatal(err)
		}
		waitForNote(t, tap.path, said)
		g.Disarm("*")
		again, err := ln.Accept()
		if err != nil {
			t.Fatal(err)
		}
		_ = again.SetDeadline(time.Now().Add(20 * time.Second))
		want := post("/mcp", heldCall)
		got := make([]byte, len(want))
		if _, err := io.ReadFull(again, got); err != nil || string(got) != want {
			t.Errorf("%s: the server got %q, %v", said, got, err)
		}
		_, _ = io.WriteString(again, answered)
		if resp, err := http.ReadResponse(hears, nil); err != nil || resp.StatusCode != 200 {
			t.Errorf("%s: the client got %v, %v", said, resp, err)
		}
		client.Close()
		if n, err := again.Read(got); n > 0 || err == nil {
			t.Errorf("%s: the server does not see the client leave: %d bytes", said, n)
		}
		again.Close()
		ln.Close()
		tap.stop()
		var text strings.Builder
		for _, f := range frames(t, tap.path) {
			text.WriteString(string(f.Data) + "\n")
		}
		if !strings.Contains(text.String(), `{"what":"connection","was":"closed by the server"`) || strings.Contains(text.String(), "client has left") {
			t.Errorf("%s: recorded is\n%s", said, text.String())
		}
	}
}

func waitForNote(t *testing.T, path, part string) {
	t.Helper()
	for began := time.Now(); time.Since(began) < 20*time.Second; runtime.Gosched() {
		for _, f := range ofKind(frames(t, path), wire.KindNote) {
			if strings.Contains(string(f.Data), "the server "+part) {
				return
			}
		}
	}
	t.Fatalf("no note of %q", part)
}

// TestHeldBehindAServerThatIsGone: the client is told so, and the tap is over with it.
func TestHeldBehindAServerThatIsGone(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := gate.New("http")
	arm(t, g, "", "method:tools/call => hold")
	tap := startHTTP(t, &HTTP{Target: &url.URL{Scheme: "http", Host: ln.Addr().String()}, KeepHost: true, Gate: g})
	client, server, hears := held(t, ln, g, tap)
	ln.Close()
	server.Close()
	waitForNote(t, tap.path, "closed")
	g.Disarm("*")
	resp, err := http.ReadResponse(hears, nil)
	if err != nil || resp.StatusCode != 502 {
		t.Fatalf("%v, %v", resp, err)
	}
	if text, _ := io.ReadAll(resp.Body); !strings.Contains(string(text), "midwire: cannot reach") {
		t.Errorf("%s", text)
	}
	client.Close()
	tap.stop()
}

// TestClosedWithNothingHeld: the end of an idle connection is the client's business.
func TestClosedWithNothingHeld(t *testing.T) {
	x := gatedHTTP(t, "method:tools/call => hold")
	x.ask(post("/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	x.say(answered)
	x.hears(answered)
	x.server.Close()
	if n, err := x.client.Read(make([]byte, 1)); n > 0 || err != io.EOF {
		t.Errorf("%d, %v", n, err)
	}
}
