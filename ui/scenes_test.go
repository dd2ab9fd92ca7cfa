package ui

import (
	"fmt"

	"midwire/session/wire"
	"midwire/ui/internal/scenes"
)

// handlesScene is a recording of three clients that pass a document on, which a
// server forgets: the document's session is issued to the planner and refused
// to the writer and the reviewer in the end. The planner leaves its own session
// id out once.
func handlesScene() []wire.Frame {
	var t scenes.Tape
	const first, second = "doc-f7170c5aa690", "doc-7a3676d6c4f3"
	clients := []struct{ name, id string }{
		{"planner", "ed2df0c14b7a4a6e9d1be909"}, {"writer", "269a0a5f6c3b4d2e8f7ad176"}, {"reviewer", "e7f3e4a90b1c4d5e6f70017e"},
	}
	ids := [3]int{}
	hello := func(client int, at int64) {
		c := clients[client]
		conn := uint32(client + 1)
		t.At(at).Fact(wire.KindOpen, wire.NoDir, conn, 0, wire.Open{Client: fmt.Sprintf("127.0.0.1:5100%d", client), Upstream: "127.0.0.1:3000"})
		t.Post(conn, "/mcp", "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"`+c.name+`","version":"1.0"}}}`).
			Answer(3, "200 OK", "Mcp-Session-Id: "+c.id+"\r\n", `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"documents","version":"0.9"}}}`)
		t.Post(conn, "/mcp", scenes.SID(c.id), `{"jsonrpc":"2.0","method":"notifications/initialized"}`).Answer(1, "202 Accepted", "", "")
	}
	call := func(client int, at int64, tool, args, result string) {
		ids[client]++
		t.At(at).Post(uint32(client+1), "/mcp", scenes.SID(clients[client].id), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":%s}}`, ids[client], tool, args)).
			Answer(2, "200 OK", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, ids[client], result))
	}
	opened := func(name, id string) string {
		return `{"content":[{"type":"text","text":"opened ` + name + `\n[session: ` + id + `]"}],"structuredContent":{"session_id":"` + id + `"}}`
	}
	const words = `{"content":[{"type":"text","text":"plan.md: 212 words"}]}`
	const gone = `{"content":[{"type":"text","text":"no document for session ` + first + `"}],"isError":true}`
	edit, count := `{"session_id":"`+first+`","text":"final wording"}`, `{"session_id":"`+first+`"}`
	hello(0, 1500)
	call(0, 1800, "open", `{"name":"plan.md"}`, opened("plan.md", first))
	call(0, 2000, "edit", edit, words)
	hello(1, 2100)
	call(1, 2206, "edit", edit, words)
	call(1, 2708, "words", count, words)
	call(0, 2900, "open", `{"name":"notes.md"}`, opened("notes.md", second))
	hello(2, 3100)
	call(2, 3317, "words", count, words)
	call(2, 3500, "words", `{"session_id":"`+second+`"}`, words)
	call(1, 4123, "edit", edit, gone)
	call(2, 4326, "words", count, gone)
	t.At(4500).Post(1, "/mcp", "", `{"jsonrpc":"2.0","id":9,"method":"tools/list"}`).
		Answer(2, "400 Bad Request", "", `{"jsonrpc":"2.0","id":9,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}`)
	return t.Frames
}

// insightScene is a tap with two sessions: tools that are called and one that never
// is, handles that are passed back and one that goes astray, a stream that
// breaks off and is resumed, capabilities that nobody declared.
func insightScene() []wire.Frame {
	const one, two = "9f3c77d0-5a1e-4c0b-a7d2-0000000000a1", "77b0aa31-2b6c-4d11-9d1e-0000000000b2"
	var t scenes.Tape
	t.Fact(wire.KindOpen, wire.NoDir, 1, 0, wire.Open{Client: "127.0.0.1:51000", Upstream: "127.0.0.1:3000"})
	greet(&t, 1, one, `{"sampling":{},"roots":{"listChanged":true}}`)
	t.At(200).Post(1, "/mcp", scenes.SID(one), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).
		Answer(7, "200 OK", "", `{"jsonrpc":"2.0","id":1,"result":{"tools":[`+
			`{"name":"open_document","title":"Open","description":"Opens a document and hands out a session for it.","inputSchema":{"type":"object","properties":{"name":{"type":"string","description":"file name"}},"required":["name"]},"annotations":{"readOnlyHint":true}},`+
			`{"name":"edit_document","description":"Changes the document of a session.","inputSchema":{"type":"object","properties":{"session_id":{"type":"string"},"text":{"type":"string"}},"required":["session_id","text"]}}],"nextCursor":"b2Zmc2V0OjI="}}`)
	t.At(230).Post(1, "/mcp", scenes.SID(one), `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"b2Zmc2V0OjI="}}`).
		Answer(4, "200 OK", "", `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"delete_document","description":"Deletes a document for good.","inputSchema":{"type":"object","properties":{"name":{"type":"string"}}},"annotations":{"destructiveHint":true}}]}}`)
	listen := t.At(260).Get(1, "/mcp", scenes.SID(one))
	listen.Event(40, "id: a-1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":\"doc://a\"}}")
	t.At(1000).Post(1, "/mcp", scenes.SID(one), `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"open_document","arguments":{"name":"plan.md"}}}`).
		Answer(18, "200 OK", "", `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"opened plan.md [session: 4be1c09a77]"}]}}`)
	slow := t.At(2000).Post(1, "/mcp", scenes.SID(one), `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"edit_document","arguments":{"session_id":"4be1c09a77","text":"x"},"_meta":{"progressToken":"edit-1"}}}`).Head()
	slow.Event(100, "retry: 1500\nid: s-1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"edit-1\",\"progress\":1,\"total\":2}}")
	slow.Event(1200, ": still here")
	slow.End(60, wire.ByServer, false)
	again := t.At(5000).Get(1, "/mcp", scenes.SID(one)+"Last-Event-ID: s-1\r\n")
	again.Event(30, "id: s-2\ndata: {\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}}").End(5, wire.ByServer, true)
	listen.At(5200)
	listen.Event(0, "id: a-2\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"e1\",\"method\":\"elicitation/create\",\"params\":{\"message\":\"Save?\"}}")
	t.At(6000).Fact(wire.KindOpen, wire.NoDir, 2, 0, wire.Open{Client: "127.0.0.1:51002", Upstream: "127.0.0.1:3000"})
	greet(&t, 2, two, `{}`)
	t.At(6200).Post(2, "/mcp", scenes.SID(two), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"edit_document","arguments":{"session_id":"4be1c09a77","text":"y"}}}`).
		Answer(9, "200 OK", "", `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no such session"}],"isError":true}}`)
	t.At(6300).Post(2, "/mcp", scenes.SID(two), `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"rename_document","arguments":{}}}`).
		Answer(3, "200 OK", "", `{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no such tool"}}`)
	return t.Frames
}

func greet(t *scenes.Tape, conn uint32, id, capabilities string) {
	t.Post(conn, "/mcp", "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":`+capabilities+`,"clientInfo":{"name":"desk-app","version":"2.1"}}}`).
		Answer(11, "200 OK", "Mcp-Session-Id: "+id+"\r\n", `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"experimental":{"acme/live":{"v":2}}},"serverInfo":{"name":"documents","version":"0.9"},"instructions":"Open a document first. Pass its session to every edit."}}`)
	t.Post(conn, "/mcp", scenes.SID(id), `{"jsonrpc":"2.0","method":"notifications/initialized"}`).Answer(2, "202 Accepted", "", "")
}

// crowdScene is six clients of one HTTP server: bursts at the beginning, then single
// calls and pings with long silence between. The last client forgets its session
// id.
func crowdScene() []wire.Frame {
	var t scenes.Tape
	t.Fact(wire.KindOpen, wire.NoDir, 1, 0, wire.Open{Client: "127.0.0.1:51000", Upstream: "127.0.0.1:3000"})
	clients := [][2]string{{"cursor-vscode", "1.9"}, {"claude-code", "2.1.14"}, {"goose", "1.31"}, {"VS Code", "1.120"}, {"ci-bot", "0.1"}, {"my-agent", "0.3.0"}}
	id := func(i int) string { return fmt.Sprintf("%d0b7c3d1-5a1e", i+1) }
	for i, c := range clients[:5] {
		t.At(int64(2000 + 24*i))
		scenes.Session(&t, uint32(i+1), id(i), c[0], c[1])
	}
	words := []string{"token", "auth", "login", "session"}
	for n := range 12 {
		i := n * 7 % 5
		t.At(int64(3000 + n*260))
		if n%3 == 1 {
			t.Post(uint32(i+1), "/mcp", scenes.SID(id(i)), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, 10+n)).
				Answer(1, "200 OK", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, 10+n))
			i = (i + 1) % 5
			t.Post(uint32(i+1), "/mcp", scenes.SID(id(i)), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, 40+n)).
				Answer(1, "200 OK", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, 40+n))
			continue
		}
		w := words[n%len(words)]
		t.Post(uint32(i+1), "/mcp", scenes.SID(id(i)), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search","arguments":{"q":%q}}}`, 10+n, w)).
			Answer(int64(2+n*3), "200 OK", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%d hits for %s"}]}}`, 10+n, 12+n, w))
		if n == 6 {
			scenes.Session(&t, 6, id(5), clients[5][0], clients[5][1])
			t.Post(6, "/mcp", "", `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"search","arguments":{"q":"id"}}}`).
				Answer(1, "400 Bad Request", "", `{"jsonrpc":"2.0","id":9,"error":{"code":-32000,"message":"Server not initialized"}}`)
		}
	}
	return t.Frames
}

// clientsScene is so many clients of one HTTP server that shake hands one after the
// other.
func clientsScene(n int) []wire.Frame {
	var t scenes.Tape
	for i := range n {
		t.At(int64(40 * i))
		scenes.Session(&t, uint32(i+1), fmt.Sprintf("%da0b7c3d1", i+1), fmt.Sprintf("c%d", i+1), "1")
	}
	return t.Frames
}
