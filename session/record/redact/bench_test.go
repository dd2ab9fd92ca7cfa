package redact

import (
	"strings"
	"testing"

	"midwire/session/wire"
)

const benchHead = "POST /mcp HTTP/1.1\r\nHost: localhost:3000\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" +
	"Mcp-Session-Id: 0b1f6c1e-7d5b-4a9b-9b1e-0c6c0d4c6c1e\r\nMcp-Protocol-Version: 2025-06-18\r\nUser-Agent: client/1.0\r\nContent-Length: 200\r\n\r\n"

const benchLine = `{"jsonrpc":"2.0","id":4711,"method":"tools/call","params":{"name":"search_files","arguments":{"query":"auth","path":"/srv/data/projects/one","limit":20},"_meta":{"progressToken":17,"trace":"abcdefg"}}}`

// benchFrames are frames without a secret, as most are.
func benchFrames() map[string]*wire.Frame {
	tool := `{"name":"search_files","title":"Search","description":"Searches files below a folder for a text: names, contents or both.\nSee https://example.com/docs for more.","inputSchema":{"type":"object","properties":{"query":{"type":"string"},"path":{"type":"string","description":"where to begin"},"limit":{"type":"integer","default":20}},"required":["query"]}},`
	code := `{"jsonrpc":"2.0","id":4711,"result":{"content":[{"type":"text","text":"` + strings.Repeat(`\tfor i, part := range parts {\n\t\tif part.kind != kindOf(\"text\") { return errorf(\"part %d: %v\", i, part) }\n\t}\n`, 2200) + `"}]}}`
	return map[string]*wire.Frame{
		"200B":   {Kind: wire.KindLine, Data: []byte(benchLine)},
		"4KiB":   {Kind: wire.KindLine, Data: []byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[` + strings.Repeat(tool, 10) + `{}]}}`)},
		"256KiB": {Kind: wire.KindLine, Data: []byte(code)},
		"body":   {Kind: wire.KindBody, Data: []byte(benchLine)},
		"event":  {Kind: wire.KindEvent, Data: []byte("event: message\ndata: " + benchLine + "\n\n")},
		"head":   {Kind: wire.KindRequest, Data: []byte(benchHead)},
	}
}

func BenchmarkFrame(b *testing.B) {
	for name, f := range benchFrames() {
		b.Run(name, func(b *testing.B) {
			r := New(Options{}, []byte("key"))
			b.ReportAllocs()
			for b.Loop() {
				if _, masked := r.Frame(f); masked {
					b.Fatal("masked")
				}
			}
		})
	}
}
