package backend

import (
	"strings"
	"testing"

	"midwire/fixtures/replaytest"
	"midwire/replay"
	"midwire/session/record"
)

// TestRecordedTarget: the server of a recording is where its requests went, with path and
// query; of several endpoints the first, or none where each request keeps its own.
func TestRecordedTarget(t *testing.T) {
	post := func(x, path string) string {
		return x + ` > POST ` + path + ` | Content-Type: application/json || {"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" +
			x + ` < 200 application/json || {"jsonrpc":"2.0","id":1,"result":{}}` + "\n"
	}
	for _, c := range []struct{ target, requests, one, several string }{
		{"http://h:1/mcp", post("1.1", "/mcp"), "http://h:1/mcp", "http://h:1/mcp"},
		{"http://h:1", post("1.1", "/a/mcp?x=1"), "http://h:1/a/mcp?x=1", "http://h:1/a/mcp?x=1"},
		{"http://h:1", post("1.1", "/a") + post("2.1", "/b"), "http://h:1/a", "http://h:1"},
		{"http://unix:/run/m.sock:/mcp", post("1.1", "/a?x=1"), "http://unix:/run/m.sock:/a?x=1", "http://unix:/run/m.sock:/a?x=1"},
		{"http://unix:/run/m.sock:/mcp", post("1.1", "/a") + post("2.1", "/b"), "http://unix:/run/m.sock:/a", "http://unix:/run/m.sock:/"},
		{"http://h:1/x", "", "http://h:1", "http://h:1"},
	} {
		s, err := replay.Load(replaytest.Transcript(t, record.Header{Tap: "http", Target: c.target}, "tap http\n"+c.requests))
		if err != nil {
			if c.requests == "" && strings.Contains(err.Error(), "no") {
				continue // nothing was asked
			}
			t.Fatal(err)
		}
		if one, several := RecordedTarget(s, false), RecordedTarget(s, true); one != c.one || several != c.several {
			t.Errorf("%s: %s and %s, want %s and %s", c.requests, one, several, c.one, c.several)
		}
		s.Close()
	}
}
