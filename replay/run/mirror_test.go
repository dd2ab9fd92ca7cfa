package run

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"midwire/fixtures/replaytest"
	"midwire/replay/peer"
	"midwire/session/wire"
)

// TestMirrorNested: what a client said over stdio goes to a server over HTTP with the headers
// that its tool wants for arguments, those in an object too.
func TestMirrorNested(t *testing.T) {
	t.Parallel()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	const tools = `{"tools":[{"name":"weather","inputSchema":{"type":"object","properties":{"unit":{"type":"string","x-mcp-header":"Unit"},` +
		`"where":{"type":"object","properties":{"city":{"type":"string","x-mcp-header":"City"}}}}}}]}`
	path := replaytest.Tape(t, "stdio", `
		> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+meta+`}}
		< {"jsonrpc":"2.0","id":1,"result":`+tools+`}
		> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"weather","arguments":{"unit":"C","where":{"city":"Oslo"}},`+meta+`}}
		< {"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
	server := &rawHTTP{odd: func(w http.ResponseWriter, _ *http.Request, m wire.Message) bool {
		if string(m.Method) != "tools/list" {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + tools + `}`))
		return true
	}}
	url := server.start(t)
	replayed(t, path, Options{Server: peer.Server{URL: replaytest.URL(t, url)}, Timeout: 5 * time.Second})
	for name, want := range map[string]string{"Mcp-Param-Unit": "C", "Mcp-Param-City": "Oslo"} {
		if got := server.headers(name); !slices.Contains(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
