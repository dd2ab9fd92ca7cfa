package diagnose

import (
	"cmp"
	"strings"
	"testing"
)

const narrow = `tap http
1.1 > POST /mcp || {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
1.1 < 200 application/json | Mcp-Session-Id: s1 || {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
1.2 > POST /mcp | Mcp-Session-Id: s1 | Origin: http://localhost:8080 || {"jsonrpc":"2.0","method":"notifications/initialized"}
1.2 < 202
1.3 > GET /mcp | Mcp-Session-Id: s1 | Accept: text/event-stream
1.3 < 200 text/event-stream
1.3 event data: {"jsonrpc":"2.0","id":"q","method":"roots/list"}
1.4 > POST /mcp | Mcp-Session-Id: s1 || {"jsonrpc":"2.0","id":"q","result":{"roots":[]}}
1.4 < 202
1.5 > POST /mcp | Mcp-Session-Id: s1 || {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"å"}}
1.5 < 200 application/json || {"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}
1.3 event data: {"jsonrpc":"2.0","id":99,"result":{}}
1.3 close client
1.6 > POST /mcp || {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
1.6 < 200 application/json || {"jsonrpc":"2.0","id":2,"result":{"tools":[]}}
1.7 > GET /other
1.7 < 200 text/plain || hello`

const piped = `tap stdio
start {"command":["server"]}
> {"jsonrpc":"2.0","id":0,"method":"ping"}
< {"jsonrpc":"2.0","id":0,"result":{}}
> [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`

// TestNarrowerCases: a rule for a narrower case is asked about that, and about no
// other case of the kind.
func TestNarrowerCases(t *testing.T) {
	for _, c := range []struct {
		on   On
		want string
		in   string // narrow, if not set
	}{
		{Questions, "x [11] x1", ""},
		{ModernRequests, "x [23] x1", ""},
		{ModernResults, "x [25] x1", ""},
		{FailedCalls, "x [18] x1", ""},
		{Strays, "x [20] x1", ""},
		{Replies, "x [13] x1", ""},
		{OtherRequests, "x [9 27] x2", ""},
		{OtherResponses, "x [10 28] x2", ""},
		{OtherBodies, "x [29] x1", ""},
		{OddResponses, "x [8 14] x2", ""},
		{PageResponses, "x [8] x1", ""},
		{OddVersions, "x [2 7 9 13 16 27] x6; x [23] x1", ""},
		{VersionResponses, "x [3 8 10 14 17 28] x6; x [24] x1", ""},
		{OtherMedia, "x [8 10 14 28] x4", ""},
		{OtherIDs, "x [3] x1", ""},
		{OtherEnds, "x [21 30] x2", ""},
		{Foreign, "x [16] x1", ""},
		{StreamEnds, "x [21 30] x2", ""},
		{ClientEnds, "x [21] x1", ""},
		{Metas, "x [23] x1", ""},
		{Handshakes, "x [2 4] x2", ""},
		{Lines, "x [2 3 4] x4", piped},
		{Batches, "x [4] x2", piped},
	} {
		got := find(t, cmp.Or(c.in, narrow), &Rule{ID: "x", On: c.on, Severity: Note, Check: func(c *Case) { c.ReportAs("", Finding{Frames: []uint64{c.N}}) }})
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%b: got %q, want %q", c.on, got, c.want)
		}
		if wide := c.on.wide() &^ c.on; wide == 0 || wide >= 1<<32 {
			t.Errorf("%b is no part of a kind", c.on)
		}
	}
}
