package ledger

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/wire"
)

// watched is a tracker and its ledger.
func watched(tap string) (*session.Tracker, *Ledger) {
	var l *Ledger
	t := session.New(session.Options{Tap: tap, Watch: func(e *session.Event) { l.Watch(e) }})
	l = New(t)
	return t, l
}

// read is the ledger of a transcript.
func read(t testing.TB, text string) (*session.Tracker, *Ledger) {
	t.Helper()
	s, err := transcript.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	tr, l := watched(s.Tap)
	for _, f := range s.Frames {
		tr.Apply(f)
	}
	for _, d := range tr.Defects() {
		t.Errorf("it panicked: %+v", d)
	}
	return tr, l
}

const begin = `tap stdio
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"book"}}
`

const beginHTTP = `tap http
1.1 > POST /mcp | Accept: application/json, text/event-stream || {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
1.1 < 200 application/json | Mcp-Session-Id: abc || {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
1.2 > POST /mcp | Mcp-Session-Id: abc || {"jsonrpc":"2.0","method":"notifications/initialized"}
1.2 < 202 ||
`

const (
	askHTTP = `1.3 > POST /mcp | Accept: application/json, text/event-stream | Mcp-Session-Id: abc || {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"book"}}
1.3 < 200 text/event-stream
`
	ask      = `< {"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"sure?","requestedSchema":{"type":"object","properties":{}}}}` + "\n"
	envelope = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
)

// TestWords: what the latest call of a client waits for.
func TestWords(t *testing.T) {
	for name, one := range map[string]struct{ text, want string }{
		"nothing else":       {begin, "tools/call (#4) waits for the response of the server"},
		"progress":           {strings.Replace(begin, `"book"`, `"book","_meta":{"progressToken":1}`, 1) + `< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`, "tools/call (#4) waits for the response of the server, of which #5 was the latest sign"},
		"question":           {begin + ask, "tools/call (#4) waits for the server, which seems to wait for elicitation/create (#5): the client received it and did not respond to it"},
		"question, answered": {begin + ask + `> {"jsonrpc":"2.0","id":7,"result":{"action":"accept","content":{}}}`, "tools/call (#4) waits for the server, which got the response to its elicitation/create (#5) in #6 and did not continue"},
		"two calls, question": {
			begin + `> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"other"}}` + "\n" + ask,
			"tools/call (#5) waits for the server, which seems to wait for elicitation/create (#6): the client received it and did not respond to it",
		},
		"ping is no question": {begin + `< {"jsonrpc":"2.0","id":7,"method":"ping"}`, "tools/call (#4) waits for the response of the server"},
		"question on its stream": {
			beginHTTP + askHTTP + `1.3 event data: {"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"sure?"}}`,
			"tools/call (#11) waits for elicitation/create (#13), which the client received and did not respond to",
		},
		"its response refused": {
			beginHTTP + askHTTP + `1.3 event data: {"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"sure?"}}` + "\n" +
				`1.4 > POST /mcp | Mcp-Session-Id: abc || {"jsonrpc":"2.0","id":7,"result":{"action":"accept"}}` + "\n1.4 < 400 text/plain || no\n",
			"tools/call (#11) waits for the server, which refused the response to its elicitation/create (#13) in #16",
		},
		"stream to resume": {beginHTTP + askHTTP + "1.3 event id: e1 | retry: 500 | data:\n1.3 close server", "tools/call (#11) waits for the rest of its stream, which ended in #14: the client has not requested it with Last-Event-ID"},
		"stream resumed": {
			beginHTTP + askHTTP + "1.3 event id: e1 | data:\n1.3 close server\n1.4 > GET /mcp | Accept: text/event-stream | Mcp-Session-Id: abc | Last-Event-ID: e1\n",
			"tools/call (#11) waits for the response of the server",
		},
		"stream resumed, ended again": {
			beginHTTP + askHTTP + "1.3 event id: e1 | data:\n1.3 close server\n1.4 > GET /mcp | Accept: text/event-stream | Mcp-Session-Id: abc | Last-Event-ID: e1\n" +
				"1.4 < 200 text/event-stream\n1.4 event id: e2 | data:\n1.4 close server\n",
			"tools/call (#11) waits for the rest of its stream, which ended in #18: the client has not requested it with Last-Event-ID",
		},
		"handshake": {strings.Join(strings.SplitAfter(begin, "\n")[:3], ""), "initialize (#1) got its response in #2, and the client has not sent notifications/initialized"},
		"page":      {begin + `> {"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n" + `< {"jsonrpc":"2.0","id":2,"result":{"tools":[],"nextCursor":"p2"}}`, "tools/list (#5) has a further page since #6, which the client has not requested"},
		"task": {
			begin + `< {"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t1","status":"working","createdAt":"","lastUpdatedAt":"","ttl":1,"pollInterval":5}}}`,
			"tools/call (#4) became a task in #5, which has not ended; the client has not asked for it",
		},
		"input": {
			"tap stdio\n" + `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a",` + envelope + `}}` + "\n" +
				`< {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"s"}}`,
			"tools/call (#1) needs input since #2, and the client has not sent the next round",
		},
		"responded": {begin + `< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, "tools/call (#4) got its response in #5"},
		"cancelled": {begin + ask + `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, "tools/call (#4) waits for the server, which seems to wait for elicitation/create (#5): the client received it and did not respond to it"},
	} {
		t.Run(name, func(t *testing.T) {
			tr, l := read(t, one.text)
			last := -1
			for i := range tr.Rows() {
				if r := tr.Row(i); r.Kind == session.RowCall && r.Dir == wire.ToServer {
					last = i
				}
			}
			if got := Words(l.Chain(last)); got != one.want {
				t.Errorf("got  %s\nwant %s\n%s", got, one.want, dump(tr, l))
			}
		})
	}
}

// TestOpen: what is open in a session, and that it closes.
func TestOpen(t *testing.T) {
	for name, one := range map[string]struct{ text, want string }{
		"call":      {begin + ask, "4 server, 5 client"},
		"page":      {begin + `> {"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n" + `< {"jsonrpc":"2.0","id":2,"result":{"tools":[],"nextCursor":"p2"}}` + "\n" + `> {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"p2"}}`, "4 server, 7 server"},
		"exit":      {begin + ask + `exit {"code":0}`, ""},
		"cancelled": {begin + `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, ""},
		"refused":   {beginHTTP + strings.Replace(askHTTP, "1.3 < 200 text/event-stream", "1.3 < 503 text/plain || busy", 1), ""},
		"task done": {begin + `< {"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t1","status":"working"}}}` + "\n" + `< {"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t1","status":"failed"}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tr, l := read(t, one.text)
			var got []string
			for _, s := range tr.Sessions() {
				for _, d := range l.Open(s.Index) {
					got = append(got, fmt.Sprintf("%d %s", d.N, d.Debtor()))
				}
			}
			if strings.Join(got, ", ") != one.want {
				t.Errorf("got %q want %q", got, one.want)
			}
		})
	}
}

// TestBounded: hostile traffic makes no more debts than are kept.
func TestBounded(t *testing.T) {
	tr, l := watched("stdio")
	for i := range 3 * maxOpen / 2 {
		line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"x%d","method":"tools/call"}`, i)
		tr.Apply(&wire.Frame{N: uint64(i + 1), X: 1, Kind: wire.KindLine, Dir: wire.ToServer, Data: line, Len: len(line)})
	}
	if len(l.open) != maxOpen || len(l.slots) != maxOpen {
		t.Errorf("%d are open, in %d places", len(l.open), len(l.slots))
	}
	tr.Apply(&wire.Frame{N: 1 << 20, X: 1, Kind: wire.KindExit, Data: []byte(`{"code":0}`)})
	if len(l.open) != 0 || len(l.closed) != maxClosed || len(l.past) != maxClosed {
		t.Errorf("%d are open, %d and %d remembered", len(l.open), len(l.closed), len(l.past))
	}
}

// dump is all that a ledger says.
func dump(tr *session.Tracker, l *Ledger) string {
	var b strings.Builder
	for _, s := range tr.Sessions() {
		fmt.Fprintf(&b, "session %d: %+v\n", s.Index, l.Open(s.Index))
	}
	for i := range tr.Rows() {
		if chain := l.Chain(i); chain != nil {
			fmt.Fprintf(&b, "%d: %s\n", i, Words(chain))
		}
	}
	return b.String()
}

// FuzzLedger feeds lines of transcripts in any order: nothing panics, a ledger that
// is read all the time says what one says that is read at the end, and its lists
// are whole.
func FuzzLedger(f *testing.F) {
	files, _ := filepath.Glob("../diagnose/rules/testdata/*/*.txt")
	for i, file := range files {
		if text, err := os.ReadFile(file); err == nil && i%4 == 0 {
			f.Add(string(text))
		}
	}
	f.Add(begin + ask)
	f.Add(beginHTTP + askHTTP)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 16<<10 {
			return
		}
		var s transcript.Transcript
		for line := range strings.Lines(text) {
			_ = s.Line(strings.TrimSuffix(line, "\n")) // what is no line of a transcript is left out
		}
		live, one := watched(s.Tap)
		for k, frame := range s.Frames {
			live.Apply(frame)
			if k%16 != 0 && k != len(s.Frames)-1 {
				continue
			}
			once, two := watched(s.Tap)
			for _, frame := range s.Frames[:k+1] {
				once.Apply(frame)
			}
			if a, b := dump(live, one), dump(once, two); a != b {
				t.Fatalf("after %d frames a ledger that is read says\n%s\none that is not\n%s", k+1, a, b)
			}
		}
		whole(t, live, one)
	})
}

// whole says whether every open debt is in the list of its session, and nothing else.
func whole(t *testing.T, tr *session.Tracker, l *Ledger) {
	t.Helper()
	if len(tr.Defects()) > 0 {
		t.Errorf("it panicked: %+v", tr.Defects())
	}
	n := 0
	for session := Whole; session < len(tr.Sessions()); session++ {
		for _, d := range l.Open(session) {
			if n++; !d.End.Open() || d.Session != session {
				t.Errorf("in session %d: %+v", session, d)
			}
			if d.Kind == Response && !tr.Row(int(d.Row)).Ending.Open() {
				t.Errorf("is open, and its row is not pending: %+v", d)
			}
		}
	}
	if n != len(l.open) || n+len(l.free) != len(l.slots) {
		t.Errorf("%d in lists, %d open, %d of %d places free", n, len(l.open), len(l.free), len(l.slots))
	}
}
