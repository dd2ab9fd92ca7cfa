package intercept

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"midwire/session/record"
	"midwire/session/wire"
)

// TestMain lets the test binary play a server: MIDWIRE_TEST_SERVER names which.
func TestMain(m *testing.M) {
	switch mode := os.Getenv("MIDWIRE_TEST_SERVER"); mode {
	case "":
		os.Exit(m.Run())
	case "cat":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "half":
		fmt.Print("{\"whole\":1}\n{\"cut")
		fmt.Fprint(os.Stderr, "last words")
		os.Exit(7)
	case "chatty": // blocks in the middle while no one reads its stderr
		_, _ = os.Stderr.Write(bytes.Repeat([]byte("INFO: still here\n"), 60_000))
		fmt.Println(`{"done":1}`)
	case "burst":
		w := bufio.NewWriterSize(os.Stdout, 1<<20)
		for i := range 300_000 {
			fmt.Fprintf(w, "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{\"i\":%d}}\n", i)
		}
		w.Flush()
	default:
		playOrphans(mode)
	}
	os.Exit(0)
}

// newRecording makes a recording in a folder of its own.
func newRecording(t testing.TB, tap string) (*record.Writer, time.Time) {
	t.Helper()
	started := time.Now()
	w, err := record.Create(t.TempDir(), record.Header{Started: started, Tap: tap}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w, started
}

// frames reads a whole recording.
func frames(t testing.TB, path string) []wire.Frame {
	t.Helper()
	r, err := record.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var all []wire.Frame
	var f wire.Frame
	for {
		err := r.Next(&f)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		c := f
		c.Data = append([]byte(nil), f.Data...)
		all = append(all, c)
	}
}

func ofKind(all []wire.Frame, k wire.Kind) []wire.Frame {
	var some []wire.Frame
	for _, f := range all {
		if f.Kind == k {
			some = append(some, f)
		}
	}
	return some
}

// tapped is an HTTP tap that runs.
type tapped struct {
	addr string
	path string
	stop func() // ends the tap; returns when its recording is complete
}

func startHTTP(t testing.TB, tap *HTTP) *tapped {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	tap.Listen = ln
	tap.Record, tap.Started = newRecording(t, "http")
	path := tap.Record.Path()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- tap.Run(ctx) }()
	stopped := false
	stop := func() {
		if !stopped {
			stopped = true
			cancel()
			if err := <-done; err != nil {
				t.Errorf("tap: %v", err)
			}
		}
	}
	t.Cleanup(stop)
	return &tapped{ln.Addr().String(), path, stop}
}

// upstream is a server that answers every connection with a script of raw
// bytes, and keeps what it was sent.
type upstream struct {
	addr string
	url  *url.URL
	got  chan []byte // everything one connection received, when it ends
}

// rawUpstream answers each request with answer(n), n from 0. An empty answer
// closes the connection.
func rawUpstream(t testing.TB, answer func(conn, n int) string) *upstream {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	u := &upstream{addr: ln.Addr().String(), got: make(chan []byte, 100)}
	u.url = &url.URL{Scheme: "http", Host: u.addr, Path: "/mcp"}
	go func() {
		for conn := 0; ; conn++ {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go u.serve(c, conn, answer)
		}
	}()
	return u
}

func (u *upstream) serve(c net.Conn, conn int, answer func(conn, n int) string) {
	defer c.Close()
	var all []byte
	defer func() { u.got <- all }()
	s := wire.NewRequestStream()
	buf := make([]byte, 64<<10)
	for n := 0; ; {
		k, err := c.Read(buf)
		all = append(all, buf[:k]...)
		for p := buf[:k]; len(p) > 0 || s.Ended(); {
			tok, used := s.Next(p)
			p = p[used:]
			if tok == wire.TokenEnd {
				out := answer(conn, n)
				n++
				if out == "" {
					return
				}
				_, _ = io.WriteString(c, out)
			}
		}
		if err != nil {
			return
		}
	}
}

// talk sends raw bytes over one connection and returns everything that comes
// back until the other side closes.
func talk(t testing.TB, addr, send string) string {
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
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(c)
	if err != nil {
		t.Fatalf("after %q: %v", all, err)
	}
	return string(all)
}

// responses reads HTTP responses to as many POSTs from raw bytes.
func responses(t testing.TB, raw io.Reader, n int) []*http.Response {
	t.Helper()
	r := bufio.NewReader(raw)
	var all []*http.Response
	for range n {
		resp, err := http.ReadResponse(r, &http.Request{Method: "POST"})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, resp)
	}
	return all
}

func post(path, body string, headers ...string) string {
	var req strings.Builder
	req.WriteString("POST " + path + " HTTP/1.1\r\nhOst: tap.example\r\n")
	for _, h := range headers {
		req.WriteString(h + "\r\n")
	}
	return req.String() + "content-LENGTH: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}
