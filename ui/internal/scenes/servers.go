package scenes

import "midwire/session/wire"

// Servers are the names of those that a client has in Server.
func Servers() []string {
	return []string{"files-server", "git-server", "memory", "weather", "calendar"}
}

// Server is one of several stdio servers of a client, by a number from 0. Calls
// of all of them alternate. The second answers a call with an error.
func Server(i int) []wire.Frame {
	tools := [][2]string{
		{"search_files", `{"q":"auth"}`},
		{"blame", `{"path":"src/auth.go"}`},
		{"recall", `{"about":"login"}`},
		{"forecast", `{"city":"Bern"}`},
		{"next_event", `{"of":"today"}`},
	}
	at := int64(10 * i)
	call := func(t *Tape, id int, then int64) {
		t.At(then).Line(up, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tools[i][0], tools[i][1])
	}
	var t Tape
	t.At(at).Fact(wire.KindStart, wire.NoDir, 0, 1, wire.Start{Command: []string{"python3", "server.py"}, Pid: 400 + i})
	t.At(at+20).Line(up, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-code","version":"2.1"}}}`)
	t.At(at+60).Line(down, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":%q,"version":"1.0"}}}`, Servers()[i])
	t.At(at+65).Line(up, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for k := 1; k <= 3; k++ {
		call(&t, k, at+int64(1000*k))
		t.At(at + int64(1000*k+15))
		if i == 1 && k == 2 {
			t.Line(down, `{"jsonrpc":"2.0","id":%d,"error":{"code":-32601,"message":"Method not found"}}`, k)
			continue
		}
		t.Line(down, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"result %d of %s"}]}}`, k, k, Servers()[i])
	}
	return t.Frames
}
