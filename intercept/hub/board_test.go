package hub_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"midwire/session/wire"
)

// echoServer is a server that returns the bytes of each request as the body of its
// response, with headers of its own.
func echoServer(t *testing.T, name string) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go echo(c, name)
		}
	}()
	return "http://" + ln.Addr().String() + "/the/path"
}

func echo(c net.Conn, name string) {
	defer c.Close()
	framer := wire.NewRequestStream()
	var got []byte
	for buf := make([]byte, 4096); ; {
		n, err := c.Read(buf)
		for in := buf[:n]; len(in) > 0 || framer.Ended(); {
			tok, used := framer.Next(in)
			got = append(got, in[:used]...)
			in = in[used:]
			if tok == wire.TokenEnd {
				fmt.Fprintf(c, "HTTP/1.1 200 Fine by me\r\nx-sErVer: %s\r\ncontent-length: %d\r\n\r\n%s", name, len(got), got)
				got = nil
			}
		}
		if err != nil {
			return
		}
	}
}

// TestBoardPassesBytes: to a remote server everything passes as it came but for the
// path, also when requests of one connection go to several servers and to the hub
// itself.
func TestBoardPassesBytes(t *testing.T) {
	headers := `,"headers":{"X-Key":"k"}}`
	r := start(t, []string{
		remote("a", echoServer(t, "A")), strings.TrimSuffix(remote("b", echoServer(t, "B")), "}") + headers, raw("one", ""),
	}, nil)
	c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	in := bufio.NewReader(c)
	body := "{ \"jsonrpc\" : \"2.0\",\r\n \"id\":1e0}"
	for i, path := range []string{"/a/mcp", "/b/mcp", "/healthz", "/a/messages?x=%20y", "/b/mcp", "/.well-known/oauth-protected-resource/a/mcp", "/a/mcp?q=1"} {
		head := fmt.Sprintf("\r\nhost: 127.0.0.1:1\r\nX-oDD:  v \r\nContent-Length: %d\r\n\r\n", len(body))
		method := "POST "
		if path == "/healthz" {
			method, head, body = "GET ", "\r\nhost: 127.0.0.1\r\n\r\n", ""
		}
		fmt.Fprintf(c, "%s%s HTTP/1.1%s%s", method, path, head, body)
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(resp.Body)
		there := []string{"/the/path", "/the/path", "", "/messages?x=%20y", "/the/path", "/.well-known/oauth-protected-resource/the/path", "/the/path?q=1"}[i]
		add := ""
		if strings.HasPrefix(path, "/b/") {
			add = "\r\nX-Key: k"
		}
		if expect := "POST " + there + " HTTP/1.1" + add + head + body; there != "" && string(got) != expect {
			t.Errorf("%s arrives as\n%q\nwant\n%q", path, got, expect)
		} else if there == "" {
			want(t, string(got), `"status":"ok"`)
		} else if resp.Status != "200 Fine by me" {
			t.Errorf("%q", resp.Status)
		}
		body = "{ \"jsonrpc\" : \"2.0\",\r\n \"id\":1e0}"
	}
	fmt.Fprintf(c, "GET /nothing HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
	if resp, err := http.ReadResponse(in, nil); err != nil || resp.StatusCode != 404 {
		t.Errorf("%v %v", resp, err)
	}
}
