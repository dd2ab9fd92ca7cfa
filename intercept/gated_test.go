package intercept

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"midwire/intercept/gate"
	"midwire/session/record"
	"midwire/session/wire"
)

// through is both ends of one connection through a tap with a gate.
type through struct {
	t      *testing.T
	tap    *tapped
	gate   *gate.Gate
	client net.Conn
	server net.Conn
	toUs   *bufio.Reader // what the client reads
}

func gatedHTTP(t *testing.T, lines ...string) *through {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	g := gate.New("http")
	arm(t, g, "", lines...)
	target := &url.URL{Scheme: "http", Host: ln.Addr().String()}
	x := &through{t: t, gate: g, tap: startHTTP(t, &HTTP{Target: target, KeepHost: true, Gate: g})}
	if x.client, err = net.Dial("tcp", x.tap.addr); err != nil {
		t.Fatal(err)
	}
	if x.server, err = ln.Accept(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []net.Conn{x.client, x.server} {
		_ = c.SetDeadline(time.Now().Add(20 * time.Second))
		t.Cleanup(func() { c.Close() })
	}
	x.toUs = bufio.NewReader(x.client)
	return x
}

func arm(t *testing.T, g *gate.Gate, owner string, lines ...string) {
	t.Helper()
	var all []*gate.Rule
	for _, l := range lines {
		rules, bad := gate.Parse(l)
		if bad != nil {
			t.Fatal(bad)
		}
		all = append(all, rules...)
	}
	if len(all) > 0 {
		if err := g.Arm(all, owner); err != nil {
			t.Fatal(err)
		}
	}
}

func (x *through) ask(text string) {
	x.t.Helper()
	if _, err := io.WriteString(x.client, text); err != nil {
		x.t.Fatal(err)
	}
	x.reads(x.server, text)
}

func (x *through) say(text string) {
	x.t.Helper()
	if _, err := io.WriteString(x.server, text); err != nil {
		x.t.Fatal(err)
	}
}

// hears reads exactly this at the client.
func (x *through) hears(text string) { x.t.Helper(); x.reads(x.toUs, text) }

func (x *through) reads(r io.Reader, text string) {
	x.t.Helper()
	got := make([]byte, len(text))
	n, err := io.ReadFull(r, got)
	if err != nil || string(got) != text {
		x.t.Fatalf("came %q, %v\nwant %q", got[:n], err, text)
	}
}

const gatedHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

func gatedChunk(s string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(s), s) }

func gatedEvent(i int) string {
	return fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/n%d\"}\n\n", i)
}

// TestArmedInTheMiddle: on a stream that is under way, within a chunk and an event,
// the next event is the first that is looked at, and bytes are as they were. Disarmed
// the connection goes on as if nothing had been.
func TestArmedInTheMiddle(t *testing.T) {
	x := gatedHTTP(t)
	x.ask("GET /mcp HTTP/1.1\r\nHost: h\r\n\r\n")
	first := gatedChunk(gatedEvent(1))
	x.say(gatedHead + first[:20])
	x.hears(gatedHead + first[:20])
	arm(t, x.gate, "", "method:notifications/ => hold")
	x.say(first[20:] + gatedChunk(gatedEvent(2)) + gatedChunk(": ping\n\n"))
	x.hears(first[20:] + gatedChunk(": ping\n\n"))
	if s := x.gate.Snapshot(); len(s.Held) != 1 || s.Held[0].Method != "notifications/n2" {
		t.Fatalf("%+v", s.Held)
	}
	x.gate.Disarm("*")
	x.hears(gatedChunk(gatedEvent(2)))
	x.say(gatedChunk(gatedEvent(3)) + "0\r\n\r\n")
	x.hears(gatedChunk(gatedEvent(3)) + "0\r\n\r\n")
	// And again, on the next request of the connection.
	x.ask("GET /mcp HTTP/1.1\r\nHost: h\r\n\r\n")
	arm(t, x.gate, "", "method:n5 => drop")
	x.say(gatedHead + gatedChunk(gatedEvent(4)) + gatedChunk(gatedEvent(5)) + gatedChunk(gatedEvent(6)))
	x.hears(gatedHead + gatedChunk(gatedEvent(4)) + gatedChunk(gatedEvent(6)))
	x.client.Close()
	x.tap.stop()
	var whats []string
	for _, f := range frames(t, x.tap.path) {
		switch f.Kind {
		case wire.KindGate:
			whats = append(whats, wire.Text(wire.Get(f.Data, "what")))
		case wire.KindEvent:
			whats = append(whats, wire.Text(wire.Get(f.Payload(), "method")))
		}
	}
	want := "arm notifications/n1 notifications/n2 hold  release disarm notifications/n3 arm notifications/n4 notifications/n5 drop notifications/n6"
	if got := strings.Join(whats, " "); got != want {
		t.Errorf("recorded is\n%s\nwant\n%s", got, want)
	}
}

// TestGateInjects: a connection on which nothing happens gets what was
// injected.
func TestGateInjects(t *testing.T) {
	x := gatedHTTP(t)
	x.ask("GET /mcp HTTP/1.1\r\nHost: h\r\n\r\n")
	x.say(gatedHead)
	x.hears(gatedHead)
	arm(t, x.gate, "", "method:none => drop")
	x.say(gatedChunk(": ping\n\n")) // it attaches when something comes
	x.hears(gatedChunk(": ping\n\n"))
	if err := x.gate.Obey(gate.Order{Do: "inject", Body: `{"jsonrpc":"2.0","method":"notifications/x"}`, Lease: "c1"}); err != nil {
		t.Fatal(err)
	}
	x.hears(gatedChunk("event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n"))
}

// TestHeldRequestAndItsClient: a client that breaks off takes with it what is held of
// it, and the server sees it leave.
func TestHeldRequestAndItsClient(t *testing.T) {
	x := gatedHTTP(t, "kind:request => hold")
	if _, err := io.WriteString(x.client, post("/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)); err != nil {
		t.Fatal(err)
	}
	for len(x.gate.Snapshot().Held) == 0 {
		runtime.Gosched()
	}
	Reset(x.client)
	if n, err := x.server.Read(make([]byte, 10)); n > 0 || err == nil {
		t.Errorf("the server got %d bytes", n)
	}
	for len(x.gate.Snapshot().Held) > 0 {
		runtime.Gosched()
	}
}

// TestEndWithAHeldRequest: a tap that ends does not wait for a decision.
func TestEndWithAHeldRequest(t *testing.T) {
	x := gatedHTTP(t, "kind:request => hold")
	if _, err := io.WriteString(x.client, post("/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)); err != nil {
		t.Fatal(err)
	}
	for len(x.gate.Snapshot().Held) == 0 {
		runtime.Gosched()
	}
	x.tap.stop()
	all := ofKind(frames(t, x.tap.path), wire.KindGate)
	if last := all[len(all)-1]; wire.Text(wire.Get(last.Data, "what")) != wire.GateGone {
		t.Errorf("recorded is %s", last.Data)
	}
}

// TestHoldEndsWithItsClient: what a client said that has left since goes on, as it
// would have without a hold, and is not kept for somebody who may never decide.
func TestHoldEndsWithItsClient(t *testing.T) {
	ask := post("/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	for _, rule := range []string{"kind:request => hold", "kind:response => hold"} {
		x := gatedHTTP(t, rule)
		if _, err := io.WriteString(x.client, ask); err != nil {
			t.Fatal(err)
		}
		if rule == "kind:response => hold" {
			x.reads(x.server, ask)
			x.say("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 36\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}")
		}
		for len(x.gate.Snapshot().Held) == 0 {
			runtime.Gosched()
		}
		CloseWrite(x.client) // all that a proxy sees of one that has left
		if rule == "kind:request => hold" {
			x.reads(x.server, ask)
		} else if line, err := x.toUs.ReadString('\n'); err != nil || line != "HTTP/1.1 200 OK\r\n" {
			t.Errorf("%s: the client got %q, %v", rule, line, err)
		}
		x.server.Close()
		x.tap.stop()
		if left := x.gate.Snapshot().Held; len(left) > 0 {
			t.Errorf("%s: held is still %v", rule, left)
		}
		all := ofKind(frames(t, x.tap.path), wire.KindGate)
		if last := string(all[len(all)-1].Data); !strings.Contains(last, `"release"`) || !strings.Contains(last, "its client has left") {
			t.Errorf("%s: recorded is %s", rule, last)
		}
	}
}

// TestHeldResponseOfABrokenConnection: nothing is kept of it, however much follows.
func TestHeldResponseOfABrokenConnection(t *testing.T) {
	x := gatedHTTP(t, "method:notifications/n1 => hold")
	x.ask("GET /mcp HTTP/1.1\r\nHost: h\r\n\r\n")
	x.say(gatedHead + gatedChunk(gatedEvent(1)))
	for len(x.gate.Snapshot().Held) == 0 {
		runtime.Gosched()
	}
	Reset(x.client)
	for len(x.gate.Snapshot().Held) > 0 {
		runtime.Gosched()
	}
	_, _ = io.Copy(io.Discard, x.server)
	x.tap.stop()
	all := ofKind(frames(t, x.tap.path), wire.KindGate)
	if last := string(all[len(all)-1].Data); !strings.Contains(last, `"gone"`) {
		t.Errorf("recorded is %s", last)
	}
}

// TestCutByTheGate: what both sides see of each way to end a response.
func TestCutByTheGate(t *testing.T) {
	for how, clean := range map[string]bool{"clean": true, "reset": false} {
		x := gatedHTTP(t, "kind:request => cut after 1 events "+how)
		x.ask(post("/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		x.say(gatedHead + gatedChunk(gatedEvent(1)))
		got, err := io.ReadAll(x.toUs)
		if clean != (err == nil) {
			t.Errorf("%s: the client read %q, %v", how, got, err)
		}
		if ended := strings.HasSuffix(string(got), "\r\n0\r\n\r\n"); ended != (how == "clean") {
			t.Errorf("%s: the client got %q", how, got)
		}
		x.client.Close()
	}
}

// TestGateOfStdio: a half line that is under way passes, the next one is held, and
// the end of the server releases it.
func TestGateOfStdio(t *testing.T) {
	t.Setenv("MIDWIRE_TEST_SERVER", "cat")
	rec, started := newRecording(t, "stdio")
	g := gate.New("stdio")
	inR, inW, _ := os.Pipe()
	outR, outW, _ := os.Pipe()
	errR, errW, _ := os.Pipe()
	defer errR.Close()
	tap := Stdio{
		Command: []string{os.Args[0]}, Stdin: inR, Stdout: outW, Stderr: errW, Gate: g,
		Record: func() *record.Writer { return rec }, Started: started,
	}
	done := make(chan Exit)
	go func() {
		exit, _ := tap.Run()
		done <- exit
	}()
	out := bufio.NewReader(outR)
	fmt.Fprint(inW, "half")
	if _, err := io.ReadFull(out, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	arm(t, g, "", "dir:s2c kind:line => hold")
	fmt.Fprint(inW, " a line\nheld\n")
	if line, err := out.ReadString('\n'); line != " a line\n" {
		t.Fatalf("%q, %v", line, err)
	}
	for len(g.Snapshot().Held) == 0 {
		runtime.Gosched()
	}
	inW.Close() // cat ends with it
	rest, err := io.ReadAll(out)
	if exit := <-done; string(rest) != "held\n" || err != nil || exit.Code != 0 {
		t.Errorf("%q, %v, %+v", rest, err, exit)
	}
}
