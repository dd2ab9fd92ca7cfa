package export

import (
	"encoding/json"
	"fmt"
	"slices"

	"midwire/session"
	"midwire/session/wire"
)

// tape collects made-up frames, each ten milliseconds after the one before.
type tape struct {
	frames []wire.Frame
	x      uint32
}

func (t *tape) add(f wire.Frame, data string) {
	f.N, f.T = uint64(len(t.frames)+1), int64(len(t.frames)+1)*10e6
	f.Data, f.Len = []byte(data), len(data)
	t.frames = append(t.frames, f)
}

func (t *tape) fact(f wire.Frame, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	t.add(f, string(b))
}

func (t *tape) line(d wire.Dir, data string) {
	t.add(wire.Frame{Kind: wire.KindLine, Dir: d, X: 1, EOL: "\n"}, data)
}

func (t *tape) stderr(data string) {
	t.add(wire.Frame{Kind: wire.KindStderr, Dir: wire.ToClient, X: 1, EOL: "\n"}, data)
}

// post is a whole exchange. A response that begins with "data:" is an event.
func (t *tape) post(conn uint32, target, fields, body, status, responseFields, response string) {
	t.x++
	f := wire.Frame{Kind: wire.KindRequest, Dir: wire.ToServer, Conn: conn, X: t.x}
	t.add(f, fmt.Sprintf("POST %s HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n", target, fields, len(body)))
	f.Kind = wire.KindBody
	t.add(f, body)
	f.Dir, f.Kind = wire.ToClient, wire.KindResponse
	media, kind := "application/json", wire.KindBody
	if len(response) > 5 && response[:5] == "data:" {
		media, kind = "text/event-stream", wire.KindEvent
	}
	t.add(f, fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: %s\r\n%s\r\n", status, media, responseFields))
	if f.Kind = kind; response != "" {
		t.add(f, response)
	}
	f.Kind = wire.KindClose
	t.fact(f, wire.Close{By: wire.ByServer, Clean: true})
}

func (t *tape) load(n uint64) *wire.Frame {
	if n == 0 || n > uint64(len(t.frames)) {
		return nil
	}
	return &t.frames[n-1]
}

func (t *tape) tracker() *session.Tracker {
	tr := session.New(session.Options{})
	for i := range t.frames {
		tr.Apply(&t.frames[i])
	}
	return tr
}

// printed is what Printer makes of the tape, as it is played.
func (t *tape) printed() (lines []string) {
	p := NewPrinter("a", session.New(session.Options{}), t.load)
	for i := range t.frames {
		lines = append(lines, p.Feed(&t.frames[i])...)
	}
	return lines
}

func (t *tape) shown() (text string) {
	Show(t.tracker(), t.load, func(s string) bool { text += s; return true })
	return text
}

func (t *tape) raw() (text string) {
	Raw(func(yield func(*wire.Frame) bool) {
		for f := range slices.Values(t.frames) {
			if !yield(&f) {
				return
			}
		}
	}, func(s string) bool { text += s; return true })
	return text
}

const (
	hello   = `{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":%q,"version":"2.1"}}}`
	welcome = `{"jsonrpc":"2.0","id":%d,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1.4.0"}}}`
	ready   = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// overStdio is a session with a bit of everything, cut off in a call.
func overStdio() *tape {
	var t tape
	t.fact(wire.Frame{Kind: wire.KindStart, X: 1}, wire.Start{Command: []string{"node", "notes.js"}, Pid: 42})
	t.stderr("listening on stdio")
	t.line(wire.ToServer, fmt.Sprintf(hello, 0, "desk"))
	t.line(wire.ToClient, fmt.Sprintf(welcome, 0))
	t.line(wire.ToServer, ready)
	t.line(wire.ToServer, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	t.line(wire.ToServer, `{"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"search","arguments":{"q":"認証","limit":20},"_meta":{"progressToken":7}}}`)
	t.line(wire.ToClient, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"total":2}}`)
	t.line(wire.ToClient, "debug: found\t3")
	t.line(wire.ToClient, `{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"Server not initialized"}}`)
	t.line(wire.ToClient, `{"jsonrpc":"2.0","id":"two","result":{"content":[{"type":"text","text":"no\naccess"}],"isError":true}}`)
	t.line(wire.ToClient, `{"jsonrpc":"2.0","id":"s1","method":"roots/list"}`)
	t.line(wire.ToServer, `{"jsonrpc":"2.0","id":"s1","result":{"roots":[]}}`)
	t.line(wire.ToServer, `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	t.line(wire.ToServer, `{"jsonrpc":"2.0","id":4,"method":"工具/列表"}`)
	t.fact(wire.Frame{Kind: wire.KindGap}, wire.Gap{Bytes: 2000, Why: "disk full"})
	return &t
}

// overHTTP is a tap with two sessions, a conversation of 2026-07-28, and
// traffic outside any session.
func overHTTP() *tape {
	var t tape
	for i, id := range []string{"9f3c77d0-5a1e-4c0b-a7d2-0000000000a1", "77b0"} {
		conn := uint32(i + 1)
		with := "Mcp-Session-Id: " + id + "\r\n"
		t.fact(wire.Frame{Kind: wire.KindOpen, Conn: conn}, wire.Open{Client: fmt.Sprintf("127.0.0.1:5100%d", i)})
		t.post(conn, "/mcp", "", fmt.Sprintf(hello, 0, []string{"desk", "bot"}[i]), "200 OK", with, fmt.Sprintf(welcome, 0))
		t.post(conn, "/mcp", with, ready, "202 Accepted", "", "")
		t.post(conn, "/mcp", with, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "200 OK", "", `data: {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"},{"name":"b"}]}}`+"\n\n")
	}
	t.post(2, "/mcp", "Mcp-Session-Id: 77b0\r\n", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}`, "404 Not Found", "",
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`)
	t.post(3, "/mcp", "MCP-Protocol-Version: 2026-07-28\r\n", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"agent","version":"3"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
		"200 OK", "", `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"3"}]}}`)
	t.post(4, "/register", "", `{}`, "201 Created", "", `{}`)
	return &t
}
