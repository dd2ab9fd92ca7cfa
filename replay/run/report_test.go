package run

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"midwire/fixtures/replaytest"
	"midwire/replay"
	"midwire/replay/peer"
)

func TestFormats(t *testing.T) {
	t.Parallel()
	path := replaytest.OverStdio(t, replaytest.Serve(), "2025-06-18", func(s *mcp.ClientSession) { replaytest.Play(t, s, false) })
	r := replayed(t, path, Options{
		Server: peer.Server{Command: replaytest.Serve("changed")},
		Schema: func(schema, _ []byte) []string { return []string{"bad \x1b[31m"} },
		Findings: func(p string) ([]string, error) {
			if p == path {
				return []string{"old"}, nil
			}
			return []string{"new"}, nil
		},
	})
	if len(r.Other) != 1 || r.Count(replay.Changed) == 0 {
		t.Errorf("%d changed, in %v", r.Count(replay.Changed), r.Other)
	}
	write := func(format string) string {
		var b strings.Builder
		if err := r.Write(&b, format); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := write(replay.FormatText)
	for _, want := range []string{"changed   #", "result.structuredContent.words: 3 → 4", "new finding: new", "finding resolved: old", "breaks its output schema: bad ␛", "calls: "} {
		if !strings.Contains(text, want) {
			t.Errorf("text does not say %q:\n%s", want, text)
		}
	}
	var j struct {
		Same  bool
		Calls []struct{ Verdict string }
	}
	if err := json.Unmarshal([]byte(write(replay.FormatJSON)), &j); err != nil || j.Same || len(j.Calls) != len(r.Outcomes) {
		t.Errorf("json: %v, %+v", err, j)
	}
	var suite struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
	}
	if err := xml.Unmarshal([]byte(write(replay.FormatJUnit)), &suite); err != nil || suite.Failures != 2 || suite.Tests != len(r.Outcomes)+1 {
		t.Errorf("junit: %v, %+v", err, suite)
	}
}
