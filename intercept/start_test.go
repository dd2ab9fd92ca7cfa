package intercept

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// A tap opens no connection of its own to the server: the first one that comes
// is a client's.
func TestServerForOneConnection(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	first := make(chan string, 1)
	go func() {
		c, err := ln.Accept()
		ln.Close() // no other one is taken
		if err != nil {
			first <- err.Error()
			return
		}
		defer c.Close()
		req, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			first <- err.Error()
			return
		}
		_, _ = io.Copy(io.Discard, req.Body)
		first <- req.Method
		_, _ = c.Write([]byte("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
	}()
	opt := HTTPOptions{Listen: "127.0.0.1:0"}
	tap, err := opt.New(&url.URL{Scheme: "http", Host: ln.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	if w := tap.Warnings(); len(w) > 0 {
		t.Errorf("warned of %q", w)
	}
	tap.Listen.Close()
	running := startHTTP(t, tap)
	if got := talk(t, running.addr, post("/mcp", "{}")); !strings.HasPrefix(got, "HTTP/1.1 202") {
		t.Errorf("the client got %q", got)
	}
	if got := <-first; got != "POST" {
		t.Errorf("the server's first connection began with %q", got)
	}
}

// That a server cannot be reached is said when a client notices, once, and
// without the credentials in its URL.
func TestUnreachableServerIsSaidOnce(t *testing.T) {
	said := make(chan error, 9)
	tap := startHTTP(t, &HTTP{
		Target:    &url.URL{Scheme: "http", Host: "127.0.0.1:1", User: url.UserPassword("me", "pass-word"), RawQuery: "api_key=sec-ret"},
		OnTrouble: func(err error) { said <- err },
	})
	for range 3 {
		if got := talk(t, tap.addr, post("/mcp", "{}")); !strings.HasPrefix(got, "HTTP/1.1 502") {
			t.Errorf("the client got %q", got)
		}
	}
	err := <-said
	if op := new(net.OpError); !errors.As(err, &op) || !strings.Contains(err.Error(), "Start the server") ||
		strings.Contains(err.Error(), "pass-word") || strings.Contains(err.Error(), "sec-ret") {
		t.Errorf("said: %v", err)
	}
	tap.stop()
	if len(said) > 0 {
		t.Errorf("said again: %v", <-said)
	}
}
