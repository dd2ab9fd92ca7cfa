package intercept

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"midwire/session/wire"
)

// The same conversation, whatever carries the answers: what the client sent is
// what the server got and back, byte for byte, and what is recorded is both.
func TestHTTPIsTransparent(t *testing.T) {
	const ask = `{"jsonrpc":"2.0", "id":9007199254740993,"method":"tools/call","params":{"_meta":{"z":1,"a":1.0}}}`
	const reply = `{"result" : {},"id":9007199254740993,"jsonrpc":"2.0"}`
	for name, answer := range map[string]string{
		"json":       "HTTP/1.1 200 Fine, really\r\nmcp-session-ID: s1\r\nX-A: 1\r\nX-A: 2\r\nContent-Length: 53\r\nContent-Type: application/json\r\n\r\n" + reply,
		"chunked":    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n1\r\n{\r\n34;x=1\r\n" + reply[1:] + "\r\n0\r\nX-Sum: 7\r\n\r\n",
		"sse":        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n: ping\n\r\n47\r\n\nid: 1\r\ndata: " + reply + "\r\n\r\n\r\n0\r\n\r\n",
		"interim":    "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n",
		"not found":  "HTTP/1.1 404 Not Found\r\nContent-Length: 17\r\n\r\nSession not found",
		"compressed": "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\xff",
	} {
		t.Run(name, func(t *testing.T) {
			up := rawUpstream(t, func(int, int) string { return answer })
			tap := startHTTP(t, &HTTP{Target: up.url, KeepHost: true})
			sent := post("/mcp?q=%zz;a&&b", ask, "MCP-session-id: s1", "x-empty:", "X-Dup: 1", "x-dup:  2 ") + post("/other", "")
			if got, want := talk(t, tap.addr, sent), answer+answer; got != want {
				t.Errorf("the client got\n%q\nwant\n%q", got, want)
			}
			if got := string(<-up.got); got != sent {
				t.Errorf("the server got\n%q\nwant\n%q", got, sent)
			}
			tap.stop()
			checkHeads(t, frames(t, tap.path), sent, answer)
		})
	}
}

// checkHeads compares the recorded heads and contents with the raw bytes.
func checkHeads(t *testing.T, all []wire.Frame, sent, answer string) {
	t.Helper()
	for _, f := range all {
		raw := sent
		if f.Dir == wire.ToClient {
			raw = answer
		}
		switch f.Kind {
		case wire.KindRequest, wire.KindResponse, wire.KindTrailer:
			if !strings.Contains(raw, string(f.Data)) {
				t.Errorf("frame %d is no part of what was sent: %q", f.N, f.Data)
			}
		case wire.KindClose:
			var c wire.Close
			if err := json.Unmarshal(f.Data, &c); err != nil || !c.Clean {
				t.Errorf("frame %d: %s", f.N, f.Data)
			}
		}
		if f.Len != len(f.Data) {
			t.Errorf("frame %d has length %d of %d", f.N, f.Len, len(f.Data))
		}
	}
	if n := len(ofKind(all, wire.KindRequest)); n != 2 {
		t.Errorf("%d requests recorded", n)
	}
	bodies := ofKind(all, wire.KindBody)
	if len(bodies) == 0 || !bytes.Contains(bodies[0].Data, []byte("9007199254740993")) {
		t.Errorf("the request's body is not recorded: %d bodies", len(bodies))
	}
}

func TestEventsAreRecordedOneByOne(t *testing.T) {
	up := rawUpstream(t, func(int, int) string {
		return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nid: 1\ndata: {\"a\":1}\n\n: ping\n\ndata: cut"
	})
	tap := startHTTP(t, &HTTP{Target: up.url, KeepHost: true})
	talk(t, tap.addr, "GET /mcp HTTP/1.1\r\nHost: x\r\n\r\n")
	tap.stop()
	var got []string
	for _, f := range ofKind(frames(t, tap.path), wire.KindEvent) {
		got = append(got, fmt.Sprintf("%d %q", f.Part, f.Data))
	}
	want := []string{`0 "id: 1\ndata: {\"a\":1}\n\n"`, `0 ": ping\n\n"`, `2 "data: cut"`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A server that is not there is our own failure: 5xx with a reason, never 4xx,
// and it recovers as soon as the server is there.
func TestUnreachableServer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	target := &url.URL{Scheme: "http", Host: ln.Addr().String(), Path: "/mcp"}
	ln.Close()
	tap := startHTTP(t, &HTTP{Target: target, KeepHost: true})
	got := talk(t, tap.addr, post("/mcp", "{}"))
	resp := responses(t, strings.NewReader(got), 1)[0]
	if resp.StatusCode != http.StatusBadGateway || !strings.Contains(got, "Is the server running?") {
		t.Errorf("got %q", got)
	}
	tap.stop()
	all := frames(t, tap.path)
	if len(ofKind(all, wire.KindEdit)) != 1 || len(ofKind(all, wire.KindResponse)) != 1 || len(ofKind(all, wire.KindBody)) != 2 {
		t.Errorf("the refusal is not recorded: %d frames", len(all))
	}
}

// A server that breaks off is a broken connection for the client too, and the
// recording says so.
func TestCutOffAnswer(t *testing.T) {
	up := rawUpstream(t, func(_, n int) string {
		if n == 0 {
			return "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"
		}
		return ""
	})
	tap := startHTTP(t, &HTTP{Target: up.url, KeepHost: true})
	if got := talk(t, tap.addr, post("/mcp", "{}")+post("/mcp", "{}")); !strings.HasSuffix(got, "only this") {
		t.Errorf("got %q", got)
	}
	tap.stop()
	all := frames(t, tap.path)
	var cut []string
	for _, f := range all {
		if f.Part == wire.Cut {
			cut = append(cut, string(f.Data))
		}
	}
	if len(cut) != 1 || cut[0] != "only this" {
		t.Errorf("cut frames: %q", cut)
	}
	closes := ofKind(all, wire.KindClose)
	if len(closes) != 3 || strings.Contains(string(closes[0].Data), `"clean":true`) {
		t.Errorf("%d closes, first %s", len(closes), closes[0].Data)
	}
}

// The end of what a server says is recorded when it ends, also while the client keeps
// its side of the connection open.
func TestCutIsRecordedAtOnce(t *testing.T) {
	up := rawUpstream(t, func(_, n int) string {
		if n == 0 {
			return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nonly this"
		}
		return ""
	})
	tap := startHTTP(t, &HTTP{Target: up.url, KeepHost: true})
	c, err := net.Dial("tcp", tap.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, post("/mcp", "{}")+post("/mcp", "{}"))
	if got, err := io.ReadAll(c); err != nil || !strings.HasSuffix(string(got), "only this") {
		t.Errorf("got %q, %v", got, err)
	}
	late := time.After(20 * time.Second)
	for { // the client still has not closed
		n := len(ofKind(frames(t, tap.path), wire.KindClose))
		if n == 2 {
			return
		}
		select {
		case <-late:
			t.Fatalf("%d of 2 exchanges have ended", n)
		case <-time.After(time.Millisecond):
		}
	}
}

// Two clients at once never see each other's bytes.
func TestClientsDoNotMix(t *testing.T) {
	up := rawUpstream(t, func(conn, n int) string {
		body := fmt.Sprintf("conn %d answer %d", conn, n)
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	})
	tap := startHTTP(t, &HTTP{Target: up.url, KeepHost: true})
	seen := make(chan string, 20)
	for range 20 {
		go func() { seen <- talk(t, tap.addr, strings.Repeat(post("/mcp", "{}"), 30)) }()
	}
	for range 20 {
		got := <-seen
		conn := got[strings.Index(got, "conn "):][:len("conn 1")]
		if n := strings.Count(got, "conn "); n != 30 || strings.Count(got, conn) != n {
			t.Errorf("one client got %d answers, %d of them from %s", n, strings.Count(got, conn), conn)
		}
	}
	tap.stop()
	all := frames(t, tap.path)
	if n := len(ofKind(all, wire.KindRequest)); n != 600 {
		t.Errorf("%d requests recorded of 600", n)
	}
	for i, f := range all {
		if f.N != uint64(i)+1 {
			t.Fatalf("frame %d has number %d", i+1, f.N)
		}
	}
}

func TestTLSServer(t *testing.T) {
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Host", r.Host)
		w.Header().Set("X-Proto", r.Proto)
		_ = r.Write(w)
	})
	for _, onlyH2 := range []bool{false, true} {
		srv := httptest.NewUnstartedServer(echo)
		var p http.Protocols
		p.SetHTTP1(!onlyH2)
		p.SetHTTP2(onlyH2)
		srv.Config.Protocols = &p
		srv.EnableHTTP2 = onlyH2
		srv.StartTLS()
		t.Cleanup(srv.Close)
		u, _ := url.Parse(srv.URL)
		roots := srv.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		tap := startHTTP(t, &HTTP{Target: u, KeepHost: true, Dial: &Dialer{Roots: roots}})
		resp, err := http.Post("http://"+tap.addr+"/mcp?x=%20", "application/json", strings.NewReader(`{"id":1}`))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if want := map[bool]string{false: "HTTP/1.1", true: "HTTP/2.0"}[onlyH2]; resp.StatusCode != 200 || resp.Header.Get("X-Proto") != want {
			t.Errorf("status %d over %q, want %s", resp.StatusCode, resp.Header.Get("X-Proto"), want)
		}
		http.DefaultClient.CloseIdleConnections()
		tap.stop()
		edits := ofKind(frames(t, tap.path), wire.KindEdit)
		if onlyH2 != (len(edits) == 1) {
			t.Errorf("edits for a server with only HTTP/2 = %v: %d", onlyH2, len(edits))
		}
	}
	untrusted := httptest.NewUnstartedServer(echo)
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	t.Cleanup(untrusted.Close)
	u, _ := url.Parse(untrusted.URL)
	tap := startHTTP(t, &HTTP{Target: u, KeepHost: true})
	if got := talk(t, tap.addr, post("/mcp", "{}")); !strings.HasPrefix(got, "HTTP/1.1 502") || !strings.Contains(got, "--cacert") {
		t.Errorf("an unknown certificate gave %q", got)
	}
}

// The server notices within a moment that a client which waits for an answer
// has left.
func TestClientLeaves(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	gone := make(chan error, 1)
	go func() {
		c, err := ln.Accept()
		if err != nil {
			gone <- err
			return
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(10 * time.Second))
		_, err = c.Read(make([]byte, 1000))
		if err == nil {
			_, err = c.Read(make([]byte, 1))
		}
		gone <- err
	}()
	tap := startHTTP(t, &HTTP{Target: &url.URL{Scheme: "http", Host: ln.Addr().String()}, KeepHost: true})
	c, err := net.Dial("tcp", tap.addr)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(c, post("/mcp", "{}"))
	c.Close()
	if err := <-gone; err == nil || strings.Contains(err.Error(), "timeout") {
		t.Errorf("the server saw %v", err)
	}
}
