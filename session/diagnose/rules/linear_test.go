package rules

import (
	"fmt"
	"runtime"
	"testing"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
)

// traffic is frames that a test makes up.
type traffic struct{ frames []wire.Frame }

func (w *traffic) put(k wire.Kind, d wire.Dir, x uint32, data string) {
	n := uint64(len(w.frames) + 1)
	f := wire.Frame{Kind: k, Dir: d, X: x, N: n, T: int64(n) * 1e6, Data: []byte(data), Len: len(data)}
	if k != wire.KindLine {
		f.Conn = 1
	}
	w.frames = append(w.frames, f)
}

func (w *traffic) in(format string, a ...any) {
	w.put(wire.KindLine, '>', 1, fmt.Sprintf(format, a...))
}

func (w *traffic) out(format string, a ...any) {
	w.put(wire.KindLine, '<', 1, fmt.Sprintf(format, a...))
}

const (
	opening = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"desk","version":"1"}}}`
	opened  = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}}`
)

// pipe begins a process and its session.
func (w *traffic) pipe() {
	w.put(wire.KindStart, 0, 1, `{"command":["server"],"pid":7}`)
	w.in(opening)
	w.out(opened)
	w.in(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// post makes an exchange.
func (w *traffic) post(x int, fields, body, status, response string) {
	at := uint32(x + 1)
	w.put(wire.KindRequest, '>', at, "POST /mcp HTTP/1.1\r\nHost: h\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"+
		fields+fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)))
	w.put(wire.KindBody, '>', at, body)
	w.put(wire.KindResponse, '<', at, "HTTP/1.1 "+status+"\r\nContent-Type: application/json\r\n\r\n")
	w.put(wire.KindBody, '<', at, response)
	w.put(wire.KindClose, 0, at, `{"by":"server","clean":true}`)
}

// session makes a session over HTTP and returns its header.
func (w *traffic) session(i int) string {
	sid := fmt.Sprintf("Mcp-Session-Id: s-%d\r\n", i)
	w.post(8*i, "", opening, "200 OK\r\n"+sid[:len(sid)-2], opened)
	w.post(8*i+1, sid, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "202 Accepted", "")
	return sid + "MCP-Protocol-Version: 2025-11-25\r\n"
}

// growing are recordings of any length. Each is of what some rule might count, keep or
// look back at: n of it.
var growing = map[string]func(w *traffic, n int){
	"calls of many tools": func(w *traffic, n int) {
		w.pipe()
		for i := range n {
			w.in(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tool%d","arguments":{"q":"value %d"},"_meta":{"progressToken":%d}}}`, i+1, i, i, i)
			w.out(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"id abc%d"}],"structuredContent":{"noteId":"n-%d-xyz"}}}`, i+1, i, i)
		}
	},
	"pages with cursors": func(w *traffic, n int) {
		w.pipe()
		for i := range n {
			w.in(`{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{"cursor":"c%d"}}`, i+1, i)
			w.out(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}],"nextCursor":"c%d"}}`, i+1, i, i+1)
		}
	},
	"pending calls": func(w *traffic, n int) {
		w.pipe()
		for i := range n {
			w.in(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t","arguments":{"q":"value %d"}}}`, i+1, i)
		}
	},
	"questions of the server": func(w *traffic, n int) {
		w.pipe()
		for i := range n {
			w.out(`{"jsonrpc":"2.0","id":%d,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":%d}}`, i+1, i)
		}
	},
	"errors": func(w *traffic, n int) {
		w.pipe()
		for i := range n {
			w.in(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tool%d","arguments":{}}}`, i+1, i)
			w.out(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32602,"message":"Unknown tool: tool%d"}}`, i+1, i)
		}
	},
	"progress and cancellations of nothing": func(w *traffic, n int) {
		w.pipe()
		for i := range n {
			w.out(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":1}}`, i)
			w.in(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i)
		}
	},
	"processes that die": func(w *traffic, n int) {
		for range n {
			w.pipe()
			w.in(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			w.put(wire.KindExit, 0, 1, `{"code":1}`)
		}
	},
	"sessions": func(w *traffic, n int) {
		for i := range n {
			w.post(8*i+2, w.session(i), `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, "200 OK", `{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`)
		}
	},
	"sessions that fail": func(w *traffic, n int) {
		for i := range n {
			w.post(8*i+2, w.session(i), `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, "200 OK", `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"no"}}`)
		}
	},
	"clients that are refused": func(w *traffic, n int) {
		for i := range n {
			w.post(i, fmt.Sprintf("Authorization: Bearer t%d\r\n", i), opening, "401 Unauthorized\r\nWWW-Authenticate: Bearer", "no")
		}
	},
	"calls that HTTP refuses": func(w *traffic, n int) {
		sid := w.session(0)
		for i := range n {
			w.post(i+8, sid, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t%d"}}`, i+1, i), "500 Oops", "trouble")
		}
	},
	"open streams": func(w *traffic, n int) {
		sid := w.session(0)
		for i := range n {
			at := uint32(i + 9)
			w.put(wire.KindRequest, '>', at, "GET /mcp HTTP/1.1\r\nHost: h\r\nAccept: text/event-stream\r\n"+sid+"\r\n")
			w.put(wire.KindResponse, '<', at, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
			w.put(wire.KindEvent, '<', at, fmt.Sprintf("id: %d\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n\n", i))
		}
	},
}

// work is what it costs to check a recording, without what it costs to read: how often
// memory was asked for, how much of it, and what was looked at again.
func work(make func(*traffic, int), n int) [3]uint64 {
	w := &traffic{}
	make(w, n)
	cost := func(do func()) [2]uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		do()
		runtime.ReadMemStats(&after)
		return [2]uint64{after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc}
	}
	apply := func(t *session.Tracker) {
		for i := range w.frames {
			f := w.frames[i]
			t.Apply(&f)
		}
	}
	t, c := diagnose.New(session.Options{}, All())
	sum := cost(func() {
		apply(t)
		c.Finish()
		roots := c.Findings()
		for _, s := range t.Sessions() {
			c.Verdict(s, roots)
		}
	})
	return [3]uint64{sum[0], sum[1], uint64(c.Work())}
}

// TestLinear: four times the messages cost about four times the work, whatever they are.
func TestLinear(t *testing.T) {
	const n = 500
	for name, make := range growing {
		work(make, 8) // what is read once
		small, large := work(make, n), work(make, 4*n)
		for i, what := range []string{"allocations", "bytes", "sessions and rows looked at again"} {
			if large[i] > 6*small[i]+20*4*n {
				t.Errorf("%s: %d and %d %s", name, small[i], large[i], what)
			}
		}
	}
}
