package run

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"midwire/fixtures/replaytest"
	"midwire/replay"
	"midwire/replay/peer"
)

// one is the plan to send one call of a tool, the nth of them.
func one(t *testing.T, s *replay.Script, tool string, params string) *replay.Plan {
	t.Helper()
	all, err := s.Plan(replay.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Calls {
		if s.Label(int32(i)) != "tools/call "+tool {
			continue
		}
		row := s.CallRow(int32(i))
		call, ok := s.Call(row.Request, row.Batch)
		if !ok || call != int32(i) {
			t.Fatalf("call %d is not found by its request: %d %v", i, call, ok)
		}
		var raw []byte
		if params != "" {
			raw = []byte(params)
		}
		p, err := all.Narrow(call, raw)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	t.Fatal("no call of " + tool)
	return nil
}

func carried(t *testing.T, p *replay.Plan, opt Options) ([]string, *replay.Report) {
	t.Helper()
	opt.Yes, opt.Record = true, replaytest.Library(t)
	r, err := Run(t.Context(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, o := range r.Outcomes {
		labels = append(labels, o.Label())
	}
	return labels, r
}

// A call alone takes the handshake with it, and the call that issues what
// it uses.
func TestOneCallTakesWhatItNeeds(t *testing.T) {
	t.Parallel()
	url := replaytest.ServeDocs(t)
	for name, path := range replaytest.Recordings(t) {
		t.Run(name, func(t *testing.T) {
			s := load(t, path)
			opt := Options{Server: peer.Server{Command: replaytest.Serve()}}
			if s.Header.Tap == "http" {
				opt = Options{Server: peer.Server{URL: replaytest.URL(t, url)}}
			}
			for tool, want := range map[string][]string{"edit": {"tools/call read", "tools/call edit"}, "count": {"tools/call count"}} {
				if s.Method(0) == "initialize" {
					want = append([]string{"initialize"}, want...)
				}
				labels, r := carried(t, one(t, s, tool, ""), opt)
				if !slices.Equal(labels, want) {
					t.Errorf("%s: sent %q, want %q", tool, labels, want)
				}
				allSame(t, r, len(want))
			}
		})
	}
}

func TestEditedCallIsSent(t *testing.T) {
	t.Parallel()
	s := load(t, replaytest.OverStdio(t, replaytest.Serve(), "2025-06-18", func(c *mcp.ClientSession) { replaytest.Play(t, c, false) }))
	p := one(t, s, "edit", "{\n  \"name\": \"edit\",\n  \"arguments\": {\"name\": \"a.md\", \"text\": \"five words are in it\", \"session_id\": \"nobody\"}\n}\n")
	_, r := carried(t, p, Options{Server: peer.Server{Command: replaytest.Serve()}})
	last := r.Outcomes[len(r.Outcomes)-1]
	if last.Verdict != replay.Broken || !strings.Contains(last.Note, "read the document first") {
		t.Errorf("the edited handle was not sent: %+v", last)
	}
	if names := p.Unmarked(); !slices.Equal(names, []string{"edit"}) {
		t.Errorf("%q would be called without being marked read-only", names)
	}
}
