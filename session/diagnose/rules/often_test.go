package rules

import (
	"fmt"
	"strings"
	"testing"

	"midwire/session/diagnose"
)

// reusing is a client that counts its ids from 1 again and again.
func reusing(rounds, ids int) string {
	var b strings.Builder
	b.WriteString(`> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
`)
	for range rounds {
		for id := range ids {
			fmt.Fprintf(&b, "> {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}\n< {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{}}\n", id+1, id+1)
		}
	}
	return b.String()
}

// What goes wrong with every message is counted to the last one.
func TestReusedOften(t *testing.T) {
	fs := check(t, "tap stdio\nstart {\"command\":[\"server\"]}\n"+reusing(4, 1000))
	if len(fs) != 1 || fs[0].Rule != requestIDReused || fs[0].Count != 3000 || len(fs[0].Frames) != diagnose.MaxFrames {
		for _, f := range fs {
			t.Error(brief(f), f.Count)
		}
	}
}

// BenchmarkReusedOften is quick however far back the earlier requests are.
func BenchmarkReusedOften(b *testing.B) {
	text := "tap stdio\nstart {\"command\":[\"server\"]}\n" + reusing(2, 20000)
	for b.Loop() {
		check(b, text)
	}
}
