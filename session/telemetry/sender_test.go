package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"midwire/session/record"
)

// sender is impatient.
func (c *collector) sender() *Sender {
	return &Sender{
		Endpoint: c.endpoint(), Version: "v1", Follow: true, first: time.Millisecond, period: time.Millisecond,
		Say: func(err error) { c.t.Logf("said: %v", err) },
	}
}

// sending runs Send in the background; what it returns waits for it.
func sending(t *testing.T, s *Sender, path string) (wait func() error, stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	done := make(chan error, 1)
	go func() { done <- s.Send(ctx, nil, path) }()
	return func() error { return <-done }, cancel
}

// until waits until the collector has a span of that name.
func (c *collector) until(name string) {
	c.t.Helper()
	for late := time.After(20 * time.Second); c.names()[name] == 0; {
		select {
		case <-c.came:
		case <-late:
			c.t.Fatalf("no span %q came: %v", name, c.names())
		}
	}
}

func TestSpansComeWhileTheRecordingGrows(t *testing.T) {
	t.Parallel()
	c, p := newCollector(t), newProxied(t, private(t), record.Header{Label: "notes"})
	p.handshake()
	wait, _ := sending(t, c.sender(), p.Path())
	c.until("initialize")
	p.line('>', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","_meta":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}}`)
	p.line('<', `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no; token ghp_abcdefghijklmnopqrstuvwxyz0123456789"}}`)
	c.until("tools/call add")
	if c.names()["mcp.session"] != 0 {
		t.Error("the session came before its end")
	}
	p.line('>', `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	p.Close()
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"initialize": 1, "notifications/initialized": 1, "tools/call add": 1, "ping": 1, "mcp.session": 1}
	if got := c.names(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	var root, call, ping span
	for _, s := range c.got() {
		switch s.Name {
		case "mcp.session":
			root = s
		case "tools/call add":
			call = s
		case "ping":
			ping = s
		}
	}
	if call.TraceID != "4bf92f3577b34da6a3ce929d0e0e4736" || call.ParentSpanID != "00f067aa0ba902b7" || len(call.Links) != 0 {
		t.Errorf("the caller's span is not the parent: %+v", call)
	}
	if call.attribute("error.type") != "-32602" || call.Status.Code != 2 || strings.Contains(call.Status.Message, "ghp_") {
		t.Errorf("%+v", call)
	}
	if ping.ParentSpanID != root.SpanID || ping.TraceID != root.TraceID || ping.attribute("error.type") != "no_answer" {
		t.Errorf("%+v is not in %+v", ping, root)
	}
	if err := c.sender().Send(t.Context(), nil, p.Path()); !errors.Is(err, ErrSentBefore) {
		t.Errorf("it would be sent again: %v", err)
	}
	if !strings.Contains(c.bodies[0], `"service.instance.id","value":{"stringValue":"`+p.ID()+`"`) {
		t.Errorf("%s", c.bodies[0])
	}
}

// TestTroubleOfTheCollector: whatever it answers, each span arrives once, but for those that
// it refuses.
func TestTroubleOfTheCollector(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string][]func(http.ResponseWriter){
		"down":      {status(503), status(502), status(504), status(503, "Retry-After", "0"), status(429, "Retry-After", "Thu, 01 Jan 1970 00:00:00 GMT")},
		"odd":       {status(503, "Retry-After", "-1"), status(429, "Retry-After", strings.Repeat("9", 60)+"x")},
		"hanging":   nil,
		"breaking":  {func(w http.ResponseWriter) { panic(http.ErrAbortHandler) }},
		"bad heads": {func(w http.ResponseWriter) { w.Header().Set("X", strings.Repeat("x", 1<<20)); w.WriteHeader(503) }},
	} {
		t.Run(name, func(t *testing.T) {
			c, p := newCollector(t), newProxied(t, private(t), record.Header{})
			s := c.sender()
			if name == "hanging" { // it holds the lock of the test's collector: one more stands in front
				c = blackHoleFirst(t)
				s = c.sender()
				s.Endpoint.Timeout = 300 * time.Millisecond
			} else {
				c.will(answers...)
			}
			p.handshake()
			wait, _ := sending(t, s, p.Path())
			c.until("initialize")
			for i := range 20 {
				p.call(fmt.Sprint(i+1), "add")
			}
			p.Close()
			if err := wait(); err != nil {
				t.Fatal(err)
			}
			if got := c.names(); got["tools/call add"] != 20 || got["mcp.session"] != 1 || got["initialize"] != 1 {
				t.Errorf("%v", got)
			}
			if s.Retried.Load() == 0 {
				t.Error("nothing was tried again")
			}
		})
	}
}

// blackHoleFirst is a collector that answers its first request never.
func blackHoleFirst(t *testing.T) *collector {
	c := newCollector(t)
	var once sync.Once
	inner := c.Config.Handler
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	c.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		first := false
		once.Do(func() { first = true })
		if first {
			<-over
			return
		}
		inner.ServeHTTP(w, r)
	})
	return c
}

func TestRefusedSpansAreNotSentAgain(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(http.ResponseWriter){
		"400": status(400), "401": status(401, "WWW-Authenticate", "Bearer"), "413": status(413), "500": status(500), "redirect": status(307, "Location", "http://other.example/"),
	} {
		c, p := newCollector(t), newProxied(t, private(t), record.Header{})
		c.will(answer)
		p.handshake()
		s := c.sender()
		wait, _ := sending(t, s, p.Path())
		for range 1000 {
			if <-c.came; s.Refused.Load() > 0 {
				break
			}
			p.call("1", "add") // the answer of the first may still be on its way
		}
		p.call("2", "later")
		p.Close()
		if err := wait(); err != nil {
			t.Fatal(name, err)
		}
		if c.names()["tools/call later"] != 1 || s.Refused.Load() == 0 || s.Retried.Load() != 0 {
			t.Errorf("%s: %v, dropped %d, again %d", name, c.names(), s.Refused.Load(), s.Retried.Load())
		}
	}
}

func TestPartialSuccessAndGarbage(t *testing.T) {
	c, p := newCollector(t), newProxied(t, private(t), record.Header{})
	c.will(func(w http.ResponseWriter) {
		fmt.Fprint(w, `{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too \u001b[31mold"}}`)
	})
	p.handshake()
	p.Close()
	s := c.sender()
	var said []error
	s.Say = func(err error) { said = append(said, err) }
	if err := s.Send(t.Context(), nil, p.Path()); err != nil || s.Refused.Load() != 2 || s.Sent.Load() != 1 {
		t.Errorf("%v, rejected %d, taken %d", err, s.Refused.Load(), s.Sent.Load())
	}
	if len(said) != 1 || strings.Contains(said[0].Error(), "\x1b") || !strings.Contains(said[0].Error(), "refused 2") {
		t.Errorf("%q", said)
	}
	for _, body := range []string{"<html>", "", `{"partialSuccess":{"rejectedSpans":-5}}`, strings.Repeat("x", 1<<22), `{"partialSuccess":7}`} {
		c.will(func(w http.ResponseWriter) { fmt.Fprint(w, body) })
		s := c.sender()
		s.Again = true
		if err := s.Send(t.Context(), nil, p.Path()); err != nil || s.Sent.Load() != 3 {
			t.Errorf("%.20q: %v, taken %d", body, err, s.Sent.Load())
		}
	}
}

// TestCollectorThatIsNotThere: it comes back, and the spans of that time too.
func TestCollectorThatIsNotThere(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := ln.Addr().String()
	ln.Close()
	c, p := newCollector(t), newProxied(t, private(t), record.Header{})
	s := c.sender()
	s.Endpoint.URL = "http://" + at + "/v1/traces"
	said := make(chan error, 100)
	s.Say = func(err error) { said <- err }
	p.handshake()
	wait, _ := sending(t, s, p.Path())
	if err := <-said; !strings.Contains(err.Error(), "tried again") {
		t.Errorf("%v", err)
	}
	p.call("1", "add")
	if ln, err = net.Listen("tcp", at); err != nil {
		t.Skip(err) // someone else has the port
	}
	back := &http.Server{Handler: c}
	defer back.Close()
	go func() { _ = back.Serve(ln) }()
	c.until("tools/call add")
	p.Close()
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	if got := c.names(); got["initialize"] != 1 || got["mcp.session"] != 1 {
		t.Errorf("%v", got)
	}
}

// TestKilledProxy: the next one sends what is left, and nothing twice.
func TestKilledProxy(t *testing.T) {
	c, dir := newCollector(t), private(t)
	p := newProxied(t, dir, record.Header{})
	p.handshake()
	for i := range 3 {
		p.call(fmt.Sprint(i+1), "add")
	}
	s := c.sender()
	wait, stop := sending(t, s, p.Path())
	for s.Sent.Load() < 5 { // what arrived without an answer would be sent again
		runtime.Gosched()
	}
	stop()
	if err := wait(); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	before := len(c.got())
	for i := range 3 {
		p.call(fmt.Sprint(i+4), "later")
	}
	live := newProxied(t, dir, record.Header{}) // a proxy that still runs is not sent by others
	live.handshake()
	if held, err := openPosition(live.Path(), c.endpoint().URL); err != nil {
		t.Fatal(err)
	} else {
		held.close()
	}
	p.Close()
	now := time.Now()
	if err := os.Chtimes(p.Path(), now, now); err != nil {
		t.Fatal(err)
	}
	other := c.sender()
	other.Endpoint.URL += "/other"
	other.Leftovers(t.Context(), nil, dir)
	if len(c.got()) != before {
		t.Error("the spans for one collector went to another")
	}
	c.sender().Leftovers(t.Context(), nil, dir)
	if got := c.names(); got["tools/call later"] != 3 || got["tools/call add"] != 3 || got["mcp.session"] != 1 || got["initialize"] != 1 {
		t.Errorf("%v", got)
	}
	live.Close()
}

// TestParts: a recording of more rows than are kept in memory is sent in parts.
func TestParts(t *testing.T) {
	c, p := newCollector(t), newProxied(t, private(t), record.Header{})
	p.handshake()
	for i := range 200 {
		p.call(fmt.Sprint(i+1), "add")
	}
	p.Close()
	s := c.sender()
	s.maxRows = 50
	if err := s.Send(t.Context(), nil, p.Path()); err != nil {
		t.Fatal(err)
	}
	if got := c.names(); got["tools/call add"] != 200 || got["mcp.session"] < 4 {
		t.Errorf("%v", got)
	}
}

// TestProxyThatEnds: it waits for its last spans, but not for a collector that never
// answers.
func TestProxyThatEnds(t *testing.T) {
	t.Parallel()
	c, p := newCollector(t), newProxied(t, private(t), record.Header{})
	s := c.sender()
	s.period = time.Hour
	proxy := &Proxy{Sender: s, Metrics: &Metrics{}}
	proxy.Follow(p.Path())
	p.handshake()
	proxy.Begin()
	p.Close()
	proxy.Stop()
	if got := c.names(); got["mcp.session"] != 1 {
		t.Errorf("%v", got)
	}
	proxy.Follow(p.Path()) // it is over
	proxy.Stop()

	hole, q := blackHoleFirst(t), newProxied(t, private(t), record.Header{})
	dead := hole.sender()
	said := make(chan error, 10)
	proxy = &Proxy{Sender: dead, Say: func(err error) { said <- err }}
	proxy.Begin()
	proxy.Follow(q.Path())
	q.handshake()
	q.Close()
	began := time.Now()
	proxy.Stop()
	if took := time.Since(began); took > flushTime+5*time.Second {
		t.Errorf("it waited %v", took)
	}
	if err := <-said; !strings.Contains(err.Error(), "The next proxy") {
		t.Errorf("%v", err)
	}
	(*Proxy)(nil).Begin()
	new(Proxy).Stop()
}
