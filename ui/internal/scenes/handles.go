package scenes

import (
	"fmt"

	"midwire/session/wire"
)

// Handles is a recording of three clients that pass a document on, which a
// server forgets: the document's session is issued to the planner and refused
// to the writer and the reviewer in the end. The planner leaves its own session
// id out once.
func Handles() []wire.Frame {
	var t Tape
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
		t.Post(conn, "/mcp", sid(c.id), `{"jsonrpc":"2.0","method":"notifications/initialized"}`).Answer(1, "202 Accepted", "", "")
	}
	call := func(client int, at int64, tool, args, result string) {
		ids[client]++
		t.At(at).Post(uint32(client+1), "/mcp", sid(clients[client].id), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":%s}}`, ids[client], tool, args)).
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
