package gate

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"midwire/session/wire"
)

// fake is a carrier without a proxy: what goes out and what is recorded is text.
type fake struct {
	mu    sync.Mutex
	out   map[wire.Dir]*bytes.Buffer
	got   map[wire.Dir]*bytes.Buffer // as received
	told  []string
	frame uint64
	cuts  []How
	kills int
	off   int // times it was detached
	next  *Conn
	news  chan struct{}
}

func newFake() *fake {
	f := &fake{out: map[wire.Dir]*bytes.Buffer{}, got: map[wire.Dir]*bytes.Buffer{}, news: make(chan struct{}, 1)}
	for _, d := range []wire.Dir{wire.ToServer, wire.ToClient} {
		f.out[d], f.got[d] = &bytes.Buffer{}, &bytes.Buffer{}
	}
	return f
}

func (f *fake) Attach(*Conn) {}

func (f *fake) Detach(next *Conn) { f.off++; f.next = next }

func (f *fake) Plain(d wire.Dir, p []byte) error { return f.Write(d, p) }

func (f *fake) Received(d wire.Dir, p []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.got[d].Write(p)
	f.frame++
}

func (f *fake) Write(d wire.Dir, p []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.out[d].Write(p)
	f.say()
	return nil
}

func (f *fake) Tell(d wire.Dir, make func(uint64, uint32) (wire.Gate, uint32)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e, _ := make(f.frame, 1)
	f.told = append(f.told, string(e.JSON()))
}

func (f *fake) Made(d wire.Dir, k wire.Kind, p []byte) {}

func (f *fake) Cut(how How) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cuts = append(f.cuts, how)
	f.say()
}

func (f *fake) Kill() { f.kills++ }

func (f *fake) sent(d wire.Dir) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.out[d].String()
}

// eventually waits for text to go out: writers are goroutines of their own.
func (f *fake) eventually(t *testing.T, d wire.Dir, want string) {
	t.Helper()
	if !f.until(func() bool { return f.sent(d) == want }) {
		t.Fatalf("%c went out\n%q\nwant\n%q\ntold %s", d, f.sent(d), want, strings.Join(f.told, "\n"))
	}
}

// until waits for what happens when something goes out or is cut.
func (f *fake) until(ok func() bool) bool {
	late := time.After(5 * time.Second)
	for !ok() {
		select {
		case <-f.news:
		case <-late:
			return false
		}
	}
	return true
}

func (f *fake) say() {
	select {
	case f.news <- struct{}{}:
	default:
	}
}

// world is a gate with one connection.
type world struct {
	*fake
	t    *testing.T
	g    *Gate
	conn *Conn
}

func newWorld(t *testing.T, tap string, lines ...string) *world {
	t.Helper()
	w := &world{fake: newFake(), t: t, g: New(tap)}
	w.g.Bind(func(wire.Gate) {})
	w.arm(lines...)
	w.conn, _ = w.g.Open(1, w.fake)
	w.conn.Begin(State{Up: wire.NewRequestStream(), Down: wire.NewResponseStream()})
	t.Cleanup(func() { w.conn.Close() })
	return w
}

func (w *world) arm(lines ...string) {
	w.t.Helper()
	var all []*Rule
	for _, l := range lines {
		rules, err := Parse(l)
		if err != nil {
			w.t.Fatalf("%s: %v", l, err)
		}
		all = append(all, rules...)
	}
	if err := w.g.Arm(all, ""); err != nil {
		w.t.Fatal(err)
	}
}

// feed gives bytes to a direction in pieces of n.
func (w *world) feed(d wire.Dir, text string, n int) {
	w.t.Helper()
	for p := []byte(text); len(p) > 0; {
		k := min(n, len(p))
		if _, err := w.conn.Feed(d, p[:k]); err != nil {
			w.t.Fatal(err)
		}
		p = p[k:]
	}
}

func request(id int, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

func toolCall(id int, tool string) string {
	return request(id, "tools/call", fmt.Sprintf(`{"name":%q}`, tool))
}

func result(id int, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%q}]}}`, id, text)
}

func post(body string, fields ...string) string {
	var head strings.Builder
	head.WriteString("POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n")
	for _, f := range fields {
		head.WriteString(f + "\r\n")
	}
	return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head.String(), len(body), body)
}

func reply(body string, fields ...string) string {
	var head strings.Builder
	head.WriteString("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
	for _, f := range fields {
		head.WriteString(f + "\r\n")
	}
	return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head.String(), len(body), body)
}

const streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

func chunk(text string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(text), text) }

func event(data string) string { return "event: message\ndata: " + data + "\n\n" }
