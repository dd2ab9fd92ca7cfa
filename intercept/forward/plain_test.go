package forward

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"midwire/session/wire"
)

// exchange sends raw bytes and returns all that comes back.
func exchange(t *testing.T, addr, send string, answers int) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(c, send); err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	in := bufio.NewReader(io.TeeReader(c, &all))
	for i := range answers {
		method := "POST"
		if i == 0 {
			method, _, _ = strings.Cut(send, " ")
		}
		resp, err := http.ReadResponse(in, &http.Request{Method: method})
		if err != nil {
			t.Fatalf("after %q: %v", all.String(), err)
		}
		if method != http.MethodConnect {
			_, _ = io.Copy(io.Discard, resp.Body)
		}
	}
	return all.String()
}

// raw is a server that keeps the bytes it gets and answers oddly.
func raw(t *testing.T) (addr string, got func() string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	var mu sync.Mutex
	var all bytes.Buffer
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				in := bufio.NewReader(io.TeeReader(c, writer(func(p []byte) { mu.Lock(); all.Write(p); mu.Unlock() })))
				for {
					req, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, req.Body)
					_, _ = io.WriteString(c, "HTTP/1.1 200 Fine\r\nx-ODD:  1\r\ncontent-LENGTH: 2\r\n\r\n{}")
				}
			}()
		}
	}()
	return ln.Addr().String(), func() string { mu.Lock(); defer mu.Unlock(); s := all.String(); all.Reset(); return s }
}

type writer func(p []byte)

func (w writer) Write(p []byte) (int, error) { w(p); return len(p), nil }

// What server and client see is what they would see without a proxy.
func TestBytesAreThoseOfADirectConnection(t *testing.T) {
	a, gotA := raw(t)
	b, gotB := raw(t)
	r := start(t, nil, a, "127.0.0.1:1")
	auth := "Proxy-Authorization: Basic " + basic(r.url) + "\r\n"
	addr := r.Listen.Addr().String()
	request := func(target, host, more string) string {
		return "POST " + target + " HTTP/1.1\r\nhOST: " + host + "\r\nMcp-session-ID:  7\r\n" + more + "CONTENT-length: 2\r\n\r\n{}"
	}
	direct := exchange(t, a, request("/m%63p?a=b;c", a, ""), 1)
	sent := gotA()
	// Node's way: CONNECT, and plain HTTP inside.
	connect := "CONNECT " + a + " HTTP/1.1\r\n" + auth + "\r\n"
	if got := exchange(t, addr, connect+request("/m%63p?a=b;c", a, ""), 2); got != established+direct {
		t.Errorf("CONNECT: the client saw %q, want %q", got, direct)
	}
	if got := gotA(); got != sent {
		t.Errorf("CONNECT: the server saw %q, want %q", got, sent)
	}
	// The others' way; then the same connection to another server, which is a
	// tunnel, and back.
	absolute := request("http://"+a+"/m%63p?a=b;c", a, auth+"Proxy-Connection: keep-alive\r\n")
	other := request("http://"+b+"/m%63p?a=b;c", b, auth)
	if got := exchange(t, addr, absolute+absolute+other+absolute, 4); got != direct+direct+direct+direct {
		t.Errorf("absolute form: the client saw %q", got)
	}
	if got := gotA(); got != sent+sent+sent {
		t.Errorf("absolute form: the server saw %q, want %q thrice", got, sent)
	}
	if got := gotB(); got != strings.ReplaceAll(sent, a, b) {
		t.Errorf("absolute form: the other server saw %q", got)
	}
	all := r.frames(t)
	if !has(all, wire.KindEdit, `"request-target"`, `"now":"/m%63p?a=b;c"`) || !has(all, wire.KindEdit, "proxy-field", "Proxy-Connection") {
		t.Errorf("edits are not recorded: %v", all)
	}
	for _, f := range all {
		if bytes.Contains(f.Data, []byte(basic(r.url))) {
			t.Errorf("the secret is in a recording: %s %q", f.Kind, f.Data)
		}
	}
}

func basic(u *url.URL) string {
	r := http.Request{Header: http.Header{}}
	pass, _ := u.User.Password()
	r.SetBasicAuth(u.User.Username(), pass)
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Basic ")
}

// Some clients send the password of the proxy to servers too, within TLS. It goes
// no further; what is somebody else's does.
func TestPasswordWithinTLS(t *testing.T) {
	for _, mine := range []bool{true, false} {
		var asked []string
		s := httptest.NewTLSServer(ping(&asked))
		defer s.Close()
		r := start(t, s, "127.0.0.1")
		given := "Basic b3RoZXI6b3RoZXI="
		if mine {
			given = "Basic " + base64.StdEncoding.EncodeToString([]byte(r.url.User.String()))
		}
		c := r.client(t)
		for range 2 {
			req, _ := http.NewRequest(http.MethodPost, "https://127.0.0.1:"+port(s)+"/mcp?to=http://x/y", strings.NewReader("text"))
			req.Header.Set("Proxy-Authorization", given)
			resp, err := c.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if string(text) != "pong text" {
				t.Errorf("%q", text)
			}
		}
		for _, a := range asked {
			if !strings.HasPrefix(a, "POST /mcp?to=http://x/y ") || strings.Contains(a, "Proxy-Authorization") == mine {
				t.Errorf("mine %t: the server was asked %s", mine, a)
			}
		}
		if has(r.frames(t), wire.KindEdit, "proxy-field", "Proxy-Authorization") != mine {
			t.Errorf("mine %t: the edit", mine)
		}
	}
}
