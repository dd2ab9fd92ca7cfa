package gate

import (
	"fmt"
	"strings"
	"testing"

	"midwire/session/wire"
)

const up, down = wire.ToServer, wire.ToClient

// TestNothingMatches: what no rule is for goes on as it came, however it is cut,
// and is recorded so.
func TestNothingMatches(t *testing.T) {
	gz := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
	for name, tc := range map[string]struct{ tap, up, down string }{
		"lines":       {"stdio", toolCall(1, "a") + "\r\n\n" + toolCall(2, "b") + "\nhalf", result(1, "x") + "\nnoise\n"},
		"bodies":      {"http", post(toolCall(1, "a")) + "\r\n" + post("[]") + "GET /mcp HTTP/1.1\r\nHost: h\r\n\r\n", reply(result(1, "x")) + "HTTP/1.1 100 Continue\r\n\r\n" + reply("[]") + streamHead + chunk(event("{}")+event("[]")) + chunk("data: ha") + chunk("lf\r\n\r\n: ping\n\n") + "0\r\nX-T: 1\r\n\r\n"},
		"until close": {"http", post(toolCall(1, "a")), "HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + event("{}") + event(result(1, "x")) + "data: rest"},
		"compressed":  {"http", post(toolCall(1, "a")), gz + chunk("\x1f\x8b\x00") + "0\r\n\r\n"},
		"chunked":     {"http", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk("{}") + "0\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk("{") + chunk("}") + "0\r\n\r\n"},
		"expect":      {"http", "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.1 100 Continue\r\n\r\n" + reply("{}")},
		"download":    {"http", "GET /x HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk("a") + chunk("b") + "0\r\n\r\n"},
		"upgrade":     {"http", "GET / HTTP/1.1\r\nUpgrade: x\r\n\r\n\x00\x01raw", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n\x00\x02raw"},
		"no http":     {"http", "\x16\x03\x01\x00\n\n\nfoo\n", "SSH-2.0\n\n"},
		"head":        {"http", "HEAD / HTTP/1.1\r\n\r\n" + post("{}"), "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n" + reply("{}")},
	} {
		for _, n := range []int{1, 2, 7, 1 << 20} {
			w := newWorld(t, tc.tap, "tool:zzz => drop", "kind:response text:zzz => hold")
			w.feed(up, tc.up, n)
			w.feed(down, tc.down, n)
			w.conn.End(up, nil)
			w.conn.End(down, nil)
			if w.sent(up) != tc.up || w.sent(down) != tc.down {
				t.Errorf("%s, in pieces of %d:\n%q\n%q\nwant\n%q\n%q", name, n, w.sent(up), w.sent(down), tc.up, tc.down)
			}
			if w.got[up].String() != tc.up || w.got[down].String() != tc.down {
				t.Errorf("%s, in pieces of %d: not all is recorded", name, n)
			}
			w.conn.Close()
		}
	}
}

// TestLiveStream: an event goes on when it is there, not when the next one is.
func TestLiveStream(t *testing.T) {
	w := newWorld(t, "http", "tool:zzz => drop")
	w.feed(up, "GET /mcp HTTP/1.1\r\n\r\n", 100)
	var want strings.Builder
	for _, part := range []string{streamHead, chunk(event("{}")), chunk(": ping\r\n\r\n"), chunk(event("[]") + event("1"))} {
		w.feed(down, part, 1000)
		if want.WriteString(part); w.sent(down) != want.String() {
			t.Errorf("%q is kept", part)
		}
	}
}

// TestHeldLine: what follows a held line passes it; it goes on when it is released.
func TestHeldLine(t *testing.T) {
	w := newWorld(t, "stdio", "tool:slow => hold")
	w.feed(up, toolCall(1, "slow")+"\n"+toolCall(2, "fast")+"\n"+"half a", 3)
	if got := w.sent(up); got != toolCall(2, "fast")+"\n" {
		t.Fatalf("%q", got)
	}
	w.g.Disarm("*")
	w.eventually(t, up, toolCall(2, "fast")+"\n"+toolCall(1, "slow")+"\n")
	w.feed(up, " line\n", 2)
	w.eventually(t, up, toolCall(2, "fast")+"\n"+toolCall(1, "slow")+"\nhalf a line\n")
	if w.off != 1 {
		t.Errorf("it is not back on the fast path: %d", w.off)
	}
}

// TestHeldEvent: likewise on a stream, whose chunks are ours from then on.
func TestHeldEvent(t *testing.T) {
	w := newWorld(t, "http", "method:notifications/message => hold")
	w.feed(up, post(toolCall(1, "a")), 1000)
	first, note, last := event("{}"), event(`{"jsonrpc":"2.0","method":"notifications/message"}`), event(result(1, "x"))
	w.feed(down, streamHead+chunk(first)+chunk(note+last)+"0\r\n\r\n", 10)
	want := streamHead + chunk(first) + chunk(last)
	if got := w.sent(down); got != want {
		t.Fatalf("%q\nwant\n%q", got, want)
	}
	w.g.Disarm("*")
	w.eventually(t, down, want+chunk(note)+"0\r\n\r\n")
}

// TestHeldBody: what follows a held message of a connection waits.
func TestHeldBody(t *testing.T) {
	w := newWorld(t, "http", "tool:slow => hold")
	w.feed(up, post(toolCall(1, "slow"))+post(toolCall(2, "fast")), 50)
	if got := w.sent(up); got != "" {
		t.Fatalf("%q", got)
	}
	w.g.Disarm("*")
	w.eventually(t, up, post(toolCall(1, "slow"))+post(toolCall(2, "fast")))
}

func TestAnswers(t *testing.T) {
	for rule, want := range map[string]string{
		`tool:b => error -32603 "boom"`:       "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 65\r\n\r\n" + `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"boom"}}`,
		"tool:b => status 429 Retry-After: 2": "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 2\r\nContent-Length: 0\r\n\r\n",
		`tool:b => answer {"content":[]}`:     "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n" + `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`,
		`tool:b => status 503 body "no"`:      "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 2\r\n\r\nno",
	} {
		w := newWorld(t, "http", rule)
		// Pipelined: the answer must wait for its turn.
		w.feed(up, post(toolCall(1, "a"))+post(toolCall(2, "b"))+post(toolCall(3, "c")), 1000)
		if got := w.sent(up); got != post(toolCall(1, "a"))+post(toolCall(3, "c")) {
			t.Errorf("the server got %q", got)
		}
		if w.sent(down) != "" {
			t.Error("the answer did not wait for its turn")
		}
		w.feed(down, reply(result(1, "x")), 13)
		want = strings.Replace(want, "Content-Length: 50", fmt.Sprintf("Content-Length: %d", len(`{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)), 1)
		w.eventually(t, down, reply(result(1, "x"))+want)
		w.feed(down, reply(result(3, "z")), 13)
		w.eventually(t, down, reply(result(1, "x"))+want+reply(result(3, "z")))
	}
}

// TestExpiredSession: a session that was made to expire is gone for ever, on every
// connection; another one is not.
func TestExpiredSession(t *testing.T) {
	w := newWorld(t, "http", "expire-session")
	call := func(id int, session string) string { return post(toolCall(id, "a"), "Mcp-Session-Id: "+session) }
	w.feed(up, call(1, "S"), 1000)
	w.feed(down, reply(result(1, "x")), 1000)
	w.feed(up, call(2, "S"), 1000)
	w.feed(up, "GET /mcp HTTP/1.1\r\nMcp-Session-Id: S\r\n\r\n", 1000)
	w.feed(up, call(3, "T"), 1000)
	if got := w.sent(up); got != call(1, "S")+call(3, "T") {
		t.Errorf("the server got %q", got)
	}
	refused := func() int { return strings.Count(w.sent(down), "HTTP/1.1 404 Not Found\r\n") }
	if !w.until(func() bool { return refused() == 2 }) {
		n := refused()
		t.Errorf("%d refusals: %q", n, w.sent(down))
	}
}

// TestEdits: length and chunks fit what goes out, and the coding stays.
func TestEdits(t *testing.T) {
	w := newWorld(t, "http", `tool:a => set params.arguments {"x":1}`, `kind:response => set result.content []`, "kind:head dir:c2s => set-header X-Y: z")
	w.feed(up, post(toolCall(1, "a")), 9)
	want := post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":1}}}`)
	want = strings.Replace(want, "\r\n\r\n", "\r\nX-Y: z\r\n\r\n", 1)
	w.eventually(t, up, want)
	w.feed(down, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"+chunk(result(1, "x"))+"0\r\n\r\n", 9)
	w.eventually(t, down, reply(`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`))
}

func TestCut(t *testing.T) {
	for rule, want := range map[string]struct {
		out string
		how How
	}{
		"cut after 1 events":       {streamHead + chunk(event("{}")) + "0\r\n\r\n", Clean},
		"cut after 1 events reset": {streamHead + chunk(event("{}")), Reset},
		"cut after 0 events reset": {streamHead, Reset},
	} {
		w := newWorld(t, "http", "tool:a => "+rule)
		w.feed(up, post(toolCall(1, "a")), 1000)
		w.feed(down, streamHead, 1000)
		w.feed(down, chunk(event("{}")), 1000)
		w.feed(down, chunk(event(result(1, "x")))+"0\r\n\r\n", 1000)
		w.eventually(t, down, want.out)
		cut := func() bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			return len(w.cuts) == 1 && w.cuts[0] == want.how
		}
		if !w.until(cut) {
			t.Errorf("%s: %v", rule, w.cuts)
		}
	}
}

// FuzzPath: with rules that are for nothing every byte goes on, in both directions,
// whatever it is and however it is cut.
func FuzzPath(f *testing.F) {
	f.Add(true, []byte(post(toolCall(1, "a"))), []byte(streamHead+chunk(event("{}"))+"0\r\n\r\n"), uint8(3))
	f.Add(false, []byte(toolCall(1, "a")+"\n"), []byte("\r\n\n"), uint8(1))
	f.Fuzz(func(t *testing.T, http bool, a, b []byte, n uint8) {
		tap := "stdio"
		if http {
			tap = "http"
		}
		w := newWorld(t, tap, "session:zzz text:zzzyyy => drop")
		w.feed(up, string(a), int(n)+1)
		w.feed(down, string(b), int(n)+1)
		w.conn.End(up, nil)
		w.conn.End(down, nil)
		if w.sent(up) != string(a) || w.sent(down) != string(b) {
			t.Errorf("%q\n%q\nwant\n%q\n%q", w.sent(up), w.sent(down), a, b)
		}
	})
}

// TestTextsAreMatchedHoweverSpelled: a rule about a text or an id is about what JSON stands for.
func TestTextsAreMatchedHoweverSpelled(t *testing.T) {
	for _, rule := range []string{"text:café => drop", `text:"<b>" => drop`, "id:req/1 => drop", "~'caf. <' => drop"} {
		w := newWorld(t, "stdio", rule)
		w.feed(up, `{"jsonrpc":"2.0","id":"req\/1","method":"tools/call","params":{"name":"caf\u00e9 \u003cb\u003e"}}`+"\n"+
			toolCall(2, "b")+"\n", 9)
		w.eventually(t, up, toolCall(2, "b")+"\n")
	}
}
