package scenes

import (
	"fmt"

	"midwire/session/wire"
)

// get opens a stream with GET; events are added with event, and end closes it.
func (t *Tape) get(conn uint32, path, fields string) *Exchange {
	t.x++
	e := &Exchange{t, conn, t.x}
	t.add(wire.Frame{Kind: wire.KindRequest, Dir: up, Conn: conn, X: e.x}, "GET "+path+" HTTP/1.1\r\nHost: localhost:3000\r\nAccept: text/event-stream\r\n"+fields+"\r\n")
	return e.head()
}

// head begins an answer that is a stream.
func (e *Exchange) head() *Exchange {
	e.add(wire.Frame{Kind: wire.KindResponse, Dir: down, Conn: e.conn, X: e.x}, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
	return e
}

// event adds one block of a stream, some milliseconds later.
func (e *Exchange) event(milli int64, format string, args ...any) *Exchange {
	e.at += milli * ms
	e.add(wire.Frame{Kind: wire.KindEvent, Dir: down, Conn: e.conn, X: e.x}, fmt.Sprintf(format, args...)+"\n\n")
	return e
}

func (e *Exchange) end(milli int64, by string, clean bool) {
	e.at += milli * ms
	e.Fact(wire.KindClose, down, e.conn, e.x, wire.Close{By: by, Clean: clean})
}

// Insight is a tap with two sessions: tools that are called and one that never
// is, handles that are passed back and one that goes astray, a stream that
// breaks off and is resumed, capabilities that nobody declared.
func Insight() []wire.Frame {
	const one, two = "9f3c77d0-5a1e-4c0b-a7d2-0000000000a1", "77b0aa31-2b6c-4d11-9d1e-0000000000b2"
	var t Tape
	t.Fact(wire.KindOpen, wire.NoDir, 1, 0, wire.Open{Client: "127.0.0.1:51000", Upstream: "127.0.0.1:3000"})
	greet(&t, 1, one, `{"sampling":{},"roots":{"listChanged":true}}`)
	t.At(200).Post(1, "/mcp", sid(one), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).
		Answer(7, "200 OK", "", `{"jsonrpc":"2.0","id":1,"result":{"tools":[`+
			`{"name":"open_document","title":"Open","description":"Opens a document and hands out a session for it.","inputSchema":{"type":"object","properties":{"name":{"type":"string","description":"file name"}},"required":["name"]},"annotations":{"readOnlyHint":true}},`+
			`{"name":"edit_document","description":"Changes the document of a session.","inputSchema":{"type":"object","properties":{"session_id":{"type":"string"},"text":{"type":"string"}},"required":["session_id","text"]}}],"nextCursor":"b2Zmc2V0OjI="}}`)
	t.At(230).Post(1, "/mcp", sid(one), `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"b2Zmc2V0OjI="}}`).
		Answer(4, "200 OK", "", `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"delete_document","description":"Deletes a document for good.","inputSchema":{"type":"object","properties":{"name":{"type":"string"}}},"annotations":{"destructiveHint":true}}]}}`)
	listen := t.At(260).get(1, "/mcp", sid(one))
	listen.event(40, "id: a-1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":\"doc://a\"}}")
	t.At(1000).Post(1, "/mcp", sid(one), `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"open_document","arguments":{"name":"plan.md"}}}`).
		Answer(18, "200 OK", "", `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"opened plan.md [session: 4be1c09a77]"}]}}`)
	slow := t.At(2000).Post(1, "/mcp", sid(one), `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"edit_document","arguments":{"session_id":"4be1c09a77","text":"x"},"_meta":{"progressToken":"edit-1"}}}`).head()
	slow.event(100, "retry: 1500\nid: s-1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"edit-1\",\"progress\":1,\"total\":2}}")
	slow.event(1200, ": still here")
	slow.end(60, wire.ByServer, false)
	again := t.At(5000).get(1, "/mcp", sid(one)+"Last-Event-ID: s-1\r\n")
	again.event(30, "id: s-2\ndata: {\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}}").end(5, wire.ByServer, true)
	listen.at = 5200 * ms
	listen.event(0, "id: a-2\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"e1\",\"method\":\"elicitation/create\",\"params\":{\"message\":\"Save?\"}}")
	t.At(6000).Fact(wire.KindOpen, wire.NoDir, 2, 0, wire.Open{Client: "127.0.0.1:51002", Upstream: "127.0.0.1:3000"})
	greet(&t, 2, two, `{}`)
	t.At(6200).Post(2, "/mcp", sid(two), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"edit_document","arguments":{"session_id":"4be1c09a77","text":"y"}}}`).
		Answer(9, "200 OK", "", `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no such session"}],"isError":true}}`)
	t.At(6300).Post(2, "/mcp", sid(two), `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"rename_document","arguments":{}}}`).
		Answer(3, "200 OK", "", `{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no such tool"}}`)
	return t.Frames
}

func greet(t *Tape, conn uint32, id, capabilities string) {
	t.Post(conn, "/mcp", "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":`+capabilities+`,"clientInfo":{"name":"desk-app","version":"2.1"}}}`).
		Answer(11, "200 OK", "Mcp-Session-Id: "+id+"\r\n", `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"experimental":{"acme/live":{"v":2}}},"serverInfo":{"name":"documents","version":"0.9"},"instructions":"Open a document first. Pass its session to every edit."}}`)
	t.Post(conn, "/mcp", sid(id), `{"jsonrpc":"2.0","method":"notifications/initialized"}`).Answer(2, "202 Accepted", "", "")
}
