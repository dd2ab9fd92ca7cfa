// Package scenes makes up recordings for the tests of the interface: frames as
// a tap would see them, with fixed times.
package scenes

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"midwire/session/wire"
)

const ms = int64(time.Millisecond)

// Tape collects frames. The zero value is an empty one.
type Tape struct {
	Frames []wire.Frame
	at     int64
	x      uint32
}

// At moves the clock of the tape, in milliseconds since its start.
func (t *Tape) At(milli int64) *Tape {
	t.at = milli * ms
	return t
}

func (t *Tape) add(f wire.Frame, data string) {
	f.N, f.T = uint64(len(t.Frames)+1), t.at
	f.Data, f.Len = []byte(data), len(data)
	t.Frames = append(t.Frames, f)
	t.at += 50_000
}

// Line adds a line of a stdio server; what is not JSON is its fault.
func (t *Tape) Line(d wire.Dir, format string, args ...any) *Tape {
	t.add(wire.Frame{Kind: wire.KindLine, Dir: d, X: 1, EOL: "\n"}, fmt.Sprintf(format, args...))
	return t
}

// Stderr adds a line on standard error.
func (t *Tape) Stderr(s string) *Tape {
	t.add(wire.Frame{Kind: wire.KindStderr, Dir: wire.ToClient, X: 1, EOL: "\n"}, s)
	return t
}

// Fact adds a frame whose payload is a JSON value.
func (t *Tape) Fact(k wire.Kind, d wire.Dir, conn, x uint32, v any) *Tape {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	t.add(wire.Frame{Kind: k, Dir: d, Conn: conn, X: x}, string(b))
	return t
}

// Exchange is one HTTP exchange of a tape.
type Exchange struct {
	*Tape
	conn, x uint32
}

// Post begins an exchange: a head with these fields and a body.
func (t *Tape) Post(conn uint32, path, fields, body string) *Exchange {
	t.x++
	e := &Exchange{t, conn, t.x}
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost:3000\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n", path, fields, len(body))
	t.add(wire.Frame{Kind: wire.KindRequest, Dir: wire.ToServer, Conn: conn, X: e.x}, head)
	t.add(wire.Frame{Kind: wire.KindBody, Dir: wire.ToServer, Conn: conn, X: e.x}, body)
	return e
}

// Answer ends an exchange after so many milliseconds with a body.
func (e *Exchange) Answer(milli int64, status, fields, body string) *Tape {
	e.at += milli * ms
	media := "application/json"
	if !strings.HasPrefix(body, "{") {
		media = "text/plain"
	}
	e.add(wire.Frame{Kind: wire.KindResponse, Dir: wire.ToClient, Conn: e.conn, X: e.x},
		"HTTP/1.1 "+status+"\r\nContent-Type: "+media+"\r\n"+fields+"\r\n")
	if body != "" {
		e.add(wire.Frame{Kind: wire.KindBody, Dir: wire.ToClient, Conn: e.conn, X: e.x}, body)
	}
	e.Fact(wire.KindClose, wire.ToClient, e.conn, e.x, wire.Close{By: wire.ByServer, Clean: true})
	return e.Tape
}

// Stream answers with events, some milliseconds apart.
func (e *Exchange) Stream(milli int64, events ...string) *Tape {
	e.at += milli * ms
	e.add(wire.Frame{Kind: wire.KindResponse, Dir: wire.ToClient, Conn: e.conn, X: e.x},
		"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n\r\n")
	for _, s := range events {
		e.at += milli * ms
		e.add(wire.Frame{Kind: wire.KindEvent, Dir: wire.ToClient, Conn: e.conn, X: e.x}, "event: message\ndata: "+s+"\n\n")
	}
	e.Fact(wire.KindClose, wire.ToClient, e.conn, e.x, wire.Close{By: wire.ByServer, Clean: true})
	return e.Tape
}

const up, down = wire.ToServer, wire.ToClient

// Stdio is a lively session of a file server with a mistake in it: a request
// before initialized.
func Stdio() []wire.Frame {
	var t Tape
	t.Fact(wire.KindStart, wire.NoDir, 0, 1, wire.Start{Command: []string{"node", "build/index.js"}, Pid: 48213})
	t.At(2).Stderr("listening on stdio")
	t.At(4).Line(up, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"sampling":{}},"clientInfo":{"name":"claude-code","version":"2.1"}}}`)
	t.At(45).Line(down, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"resources":{}},"serverInfo":{"name":"files-server","version":"1.4.0"}}}`)
	t.At(49).Line(up, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	t.At(51).Line(up, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	t.At(53).Line(down, `{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"Server not initialized"}}`)
	t.At(1502).Line(up, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	t.At(1513).Line(down, `{"jsonrpc":"2.0","id":2,"result":{"tools":[%s]}}`, tools(12))
	t.At(3870).Line(up, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search_files","arguments":{"q":"auth","limit":20}}}`)
	t.At(4272).Line(down, `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"src/auth.go: func Login(ctx context.Context) error\nsrc/auth_test.go: TestLogin\ndocs/auth.md"},{"type":"text","text":"3 matches in 1 204 files"},{"type":"text","text":"took 371 ms"}],"isError":false}}`)
	t.At(4288).Line(up, `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"index_repo","arguments":{"path":"src"},"_meta":{"progressToken":"p1"}}}`)
	t.At(4301).Line(down, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p1","progress":1,"total":3,"message":"reading"}}`)
	t.At(4910).Line(down, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"index","data":"cache miss for src/"}}`)
	t.At(5002).Line(down, `[debug] handler done in 12ms`)
	t.At(6120).Line(down, `{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Summarise src/auth.go"}}],"maxTokens":200}}`)
	t.At(8020).Line(up, `{"jsonrpc":"2.0","id":"s1","result":{"role":"assistant","model":"m","content":{"type":"text","text":"It signs users in."}}}`)
	t.At(8100).Line(down, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p1","progress":2,"total":3}}`)
	t.At(9644).Line(up, `{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"file:///src/auth.go"}}`)
	t.At(9662).Line(down, `{"jsonrpc":"2.0","id":5,"result":{"contents":[{"uri":"file:///src/auth.go","mimeType":"text/x-go","text":%q}]}}`, strings.Repeat("package auth // 認証 ✓\n", 90))
	t.At(9700).Line(up, `{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"delete_file","arguments":{"path":"/srv/old.db"}}}`)
	t.At(9723).Line(down, `{"jsonrpc":"2.0","id":6,"result":{"content":[{"type":"text","text":"EACCES: permission denied"}],"isError":true}}`)
	t.At(9800).Line(up, `{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"review","arguments":{"style":"strict"}}}`)
	t.At(9806).Line(down, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found","data":{"method":"prompts/get","hint":"prompts were not declared at initialize"}}}`)
	t.At(9900).Line(up, `{"jsonrpc":"2.0","id":8,"method":"ping"}`)
	t.At(9901).Line(down, `{"jsonrpc":"2.0","id":8,"result":{}}`)
	return t.Frames
}

func tools(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"name":"tool_%d","description":"Does the thing number %d","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}}`, i, i))
	}
	return strings.Join(all, ",")
}

// HTTP is a tap with two sessions by id, the second of which is lost, and a
// conversation of 2026-07-28.
func HTTP() []wire.Frame {
	var t Tape
	t.Fact(wire.KindOpen, wire.NoDir, 1, 0, wire.Open{Client: "127.0.0.1:51000", Upstream: "127.0.0.1:3000"})
	Session(&t, 1, "9f3c77d0-5a1e-4c0b-a7d2-0000000000a1", "claude-code", "2.1")
	t.Post(1, "/mcp", SID("9f3c77d0-5a1e-4c0b-a7d2-0000000000a1"), `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"render","arguments":{"page":"home"},"_meta":{"progressToken":9}}}`).
		Stream(120, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9,"progress":1,"total":2}}`,
			`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"<html>…</html>"}]}}`)
	t.At(2000).Fact(wire.KindOpen, wire.NoDir, 2, 0, wire.Open{Client: "127.0.0.1:51002", Upstream: "127.0.0.1:3000"})
	Session(&t, 2, "77b0-0c", "cursor", "1.9")
	t.At(5000).Post(2, "/mcp", SID("77b0-0c"), `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"render","arguments":{"page":"about"}}}`).
		Answer(3, "404 Not Found", "", `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`)
	t.At(6000).Fact(wire.KindOpen, wire.NoDir, 3, 0, wire.Open{Client: "127.0.0.1:51004", Upstream: "127.0.0.1:3000"})
	for i := range 3 {
		t.Post(3, "/mcp", "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n", fmt.Sprintf(
			`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add","arguments":{"a":%d,"b":2},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"cursor","version":"2.0"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, i+1, i)).
			Answer(8, "200 OK", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%d"}]}}`, i+1, i+2))
	}
	return t.Frames
}

// SID are the header fields of a session.
func SID(id string) string {
	return "Mcp-Session-Id: " + id + "\r\nMCP-Protocol-Version: 2025-06-18\r\n"
}

// Session is a handshake over HTTP, and a list of tools.
func Session(t *Tape, conn uint32, id, client, version string) {
	t.Post(conn, "/mcp", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":%q,"version":%q}}}`, client, version)).
		Answer(11, "200 OK", "Mcp-Session-Id: "+id+"\r\n", `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"pages","version":"0.3"}}}`)
	t.Post(conn, "/mcp", SID(id), `{"jsonrpc":"2.0","method":"notifications/initialized"}`).Answer(2, "202 Accepted", "", "")
	t.Post(conn, "/mcp", SID(id), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).
		Answer(7, "200 OK", "", `{"jsonrpc":"2.0","id":1,"result":{"tools":[`+tools(3)+`]}}`)
}

// Get begins a GET whose answer is a stream that stays open.
func (t *Tape) Get(conn uint32, path, fields string) *Exchange {
	t.x++
	e := &Exchange{t, conn, t.x}
	t.add(wire.Frame{Kind: wire.KindRequest, Dir: wire.ToServer, Conn: conn, X: e.x}, "GET "+path+" HTTP/1.1\r\nHost: localhost:3000\r\nAccept: text/event-stream\r\n"+fields+"\r\n")
	return e.Head()
}

// Break ends an exchange without an answer.
func (e *Exchange) Break() *Tape {
	e.End(0, wire.ByServer, false)
	return e.Tape
}

// Head begins an answer that is a stream.
func (e *Exchange) Head() *Exchange {
	e.add(wire.Frame{Kind: wire.KindResponse, Dir: down, Conn: e.conn, X: e.x}, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
	return e
}

// Event adds one block of a stream, some milliseconds later.
func (e *Exchange) Event(milli int64, format string, args ...any) *Exchange {
	e.at += milli * ms
	e.add(wire.Frame{Kind: wire.KindEvent, Dir: down, Conn: e.conn, X: e.x}, fmt.Sprintf(format, args...)+"\n\n")
	return e
}

// End closes a stream.
func (e *Exchange) End(milli int64, by string, clean bool) {
	e.at += milli * ms
	e.Fact(wire.KindClose, down, e.conn, e.x, wire.Close{By: by, Clean: clean})
}
