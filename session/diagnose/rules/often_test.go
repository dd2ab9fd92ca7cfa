package rules

import (
	"fmt"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
	"midwire/session"
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
	if len(fs) != 1 || fs[0].Rule != Find("request-id-reused") || fs[0].Count != 3000 || len(fs[0].Frames) != diagnose.MaxFrames {
		for _, f := range fs {
			t.Error(brief(f), f.Count)
		}
	}
}

// TestFewRulesAreAsked bounds how many rules are asked about a call as most are: over
// HTTP, with a result. A rule that cares for few of its cases says so in On.
func TestFewRulesAreAsked(t *testing.T) {
	asked := 0
	var counted []*diagnose.Rule
	for _, r := range All() {
		one := *r
		one.Check = func(c *diagnose.Case) {
			if c.N > 13 && c.Session != nil {
				asked++
			}
			r.Check(c)
		}
		counted = append(counted, &one)
	}
	s, err := transcript.Parse(`tap http
1.1 > POST /mcp || {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
1.1 < 200 application/json | Mcp-Session-Id: s1 || {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
1.2 > POST /mcp | Mcp-Session-Id: s1 | MCP-Protocol-Version: 2025-11-25 || {"jsonrpc":"2.0","method":"notifications/initialized"}
1.2 < 202
1.3 > POST /mcp | Mcp-Session-Id: s1 | MCP-Protocol-Version: 2025-11-25 || {"jsonrpc":"2.0","id":1,"method":"tools/list"}
1.3 < 200 application/json || {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"read","inputSchema":{"type":"object"}}]}}
1.4 > POST /mcp | Mcp-Session-Id: s1 | MCP-Protocol-Version: 2025-11-25 || {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read"}}
1.4 < 200 application/json || {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"x"}]}}`)
	if err != nil {
		t.Fatal(err)
	}
	tr, _ := diagnose.New(session.Options{Tap: s.Tap}, counted)
	for _, f := range s.Frames {
		tr.Apply(f)
	}
	if n := len(s.Frames); n != 18 || asked < 50 || asked > 120 {
		t.Errorf("%d rules of %d are asked about one call, behind frame 13 of %d", asked, len(counted), n)
	}
}

// BenchmarkReusedOften is quick however far back the earlier requests are.
func BenchmarkReusedOften(b *testing.B) {
	text := "tap stdio\nstart {\"command\":[\"server\"]}\n" + reusing(2, 20000)
	for b.Loop() {
		check(b, text)
	}
}
