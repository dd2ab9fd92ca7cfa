package library

import (
	"testing"

	"midwire/session/notes"
	"midwire/session/wire"
)

// The name of a launcher names nobody, and that of a program less than the server's own.
func TestName(t *testing.T) {
	for _, tt := range []struct{ label, where, server, called, want string }{
		{"python3", "/usr/bin/python3 servers/files.py --root /", "files-server", "", "files-server"},
		{"python3", "/usr/bin/python3 servers/files.py --root /", "", "", "files.py"},
		{"python3.12", "python3.12 -m weather", "", "", "weather"},
		{"npx", "npx -y @modelcontextprotocol/server-everything@1.2", "", "", "server-everything"},
		{"uvx", "uvx mcp-server-git", "", "", "mcp-server-git"},
		{"docker", "docker run -i --rm -e KEY=1 mcp/time", "", "", "time"},
		{"node.exe", `C:\node\node.exe C:\srv\index.js`, "", "", "index.js"},
		{"sh", "sh -c", "", "", "sh"},
		{"notes", "/usr/bin/notes --pace 1", "", "", "notes"},
		{"notes", "/usr/bin/notes --pace 1", "notes-server", "", "notes-server"},
		{"localhost:3000", "127.0.0.1:7000 → http://localhost:3000/mcp", "", "", "localhost:3000"},
		{"localhost:3000", "127.0.0.1:7000 → http://localhost:3000/mcp", "notes-server", "", "notes-server"},
		{"mine", "127.0.0.1:7000 → http://localhost:3000/mcp", "notes-server", "", "mine"}, // --label mine
		{"python3", "/usr/bin/python3 a.py", "files-server", "mine", "mine"},
		{"go", "/usr/bin/python3 a.py", "files-server", "", "go"}, // --label go
		{"", "", "", "", "id"},
	} {
		r := New(wire.Recording{ID: "id", Label: tt.label, Where: tt.where}, nil)
		if tt.server != "" {
			f := wire.Frame{N: 1, Kind: wire.KindLine, Dir: wire.ToServer, X: 1, Data: []byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`)}
			r.Apply(&f)
			f = wire.Frame{N: 2, Kind: wire.KindLine, Dir: wire.ToClient, X: 1, Data: []byte(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"` + tt.server + `"}}}`)}
			r.Apply(&f)
		}
		r.Notes.Apply(notes.Changes{{}: tt.called})
		if got := string(r.Name()); got != tt.want {
			t.Errorf("%q of %q by %q is called %q, want %q", tt.label, tt.where, tt.server, got, tt.want)
		}
	}
}
