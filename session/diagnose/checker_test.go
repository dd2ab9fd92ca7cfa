package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
	"midwire/session"

	"midwire/session/mcp"
)

// find asks rules about a transcript.
func find(t testing.TB, text string, rules ...*Rule) []string {
	t.Helper()
	s, err := transcript.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	tr, c := New(session.Options{Tap: s.Tap}, rules)
	for _, f := range s.Frames {
		tr.Apply(f)
	}
	c.Finish()
	var all []string
	for _, f := range c.Findings() {
		all = append(all, fmt.Sprintf("%s %v x%d", f.Rule.ID, f.Frames, f.Count))
	}
	return all
}

const calls = `tap stdio
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":1},"_meta":{"progressToken":7}}}
< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"No such thing"}}
> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}`

func TestAsksWhatARuleWants(t *testing.T) {
	on := func(id string, on On, methods ...string) *Rule {
		return &Rule{ID: id, On: on, Methods: methods, Severity: Note, Check: func(c *Case) { c.Report(Finding{}) }}
	}
	got := find(t, calls,
		on("requests", Requests), on("calls", Requests, "tools/call"), on("results", Results, "tools/list", "initialize"),
		on("errors", Errors), on("refusals", Refusals), on("never", Results, "tools/call"))
	want := []string{"requests [1 3 5] x3", "results [2 6] x2", "calls [3] x1", "errors [4] x1", "refusals [4] x1"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestHoldsWhereItSays: a rule is asked in its era and protocol versions only.
func TestHoldsWhereItSays(t *testing.T) {
	rule := func(id string, era Era, from, to mcp.Version) *Rule {
		return &Rule{ID: id, Era: era, From: from, To: to, On: Results, Methods: []string{"tools/list"}, Check: func(c *Case) { c.Report(Finding{}) }}
	}
	got := find(t, calls,
		rule("any", AnyEra, "", ""), rule("handshake", Handshake, "", ""), rule("modern", Modern, "", ""),
		rule("early", AnyEra, "", "2025-03-26"), rule("late", AnyEra, "2025-11-25", ""), rule("exact", AnyEra, "2025-06-18", "2025-06-18"))
	if want := []string{"any [6] x1", "handshake [6] x1", "exact [6] x1"}; !slices.Equal(got, want) {
		t.Errorf("got %q want %q", got, want)
	}
}

func TestCaseKnowsTheCall(t *testing.T) {
	seen := ""
	find(t, calls, &Rule{ID: "look", On: Refusals, Check: func(c *Case) {
		seen = fmt.Sprintf("%s %s %s args=%s token=%s code=%d %q says=%v negotiated=%v tools=%d revision=%s",
			c.Call.Method, c.Call.Target, c.Call.ID, c.Call.Args, c.Call.Token, c.Refusal.Code, c.Refusal.Text, c.Refusal.Says("NO SUCH"), c.Facts.Negotiated(), len(c.Facts.Tools), c.ProtocolVersion())
	}})
	want := `tools/call a 1 args={"x":1} token=7 code=-32602 "No such thing" says=true negotiated=true tools=0 revision=2025-06-18`
	if seen != want {
		t.Errorf("got  %s\nwant %s", seen, want)
	}
}

// TestCovers: what another finding explains is left out, where both point at
// the same frame or, with a *, anywhere in the session.
func TestCovers(t *testing.T) {
	at := func(id, method string, covers ...string) *Rule {
		return &Rule{ID: id, On: Requests, Methods: []string{method}, Covers: covers, Check: func(c *Case) { c.Report(Finding{}) }}
	}
	for _, one := range []struct {
		cover string
		want  []string
	}{
		{"symptom", []string{"cause [3] x1", "far [5] x1"}},
		{"far", []string{"cause [3] x1", "symptom [3] x1", "far [5] x1"}},
		{"far*", []string{"cause [3] x1", "symptom [3] x1"}},
	} {
		if got := find(t, calls, at("cause", "tools/call", one.cover), at("symptom", "tools/call"), at("far", "tools/list")); !slices.Equal(got, one.want) {
			t.Errorf("covering %s: got %q want %q", one.cover, got, one.want)
		}
	}
}

// TestBounded: hostile traffic makes no more findings than are kept.
func TestBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString("tap stdio\n")
	for i := range MaxFindings + 100 {
		fmt.Fprintf(&text, "> {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"m%d\"}\n", i, i)
	}
	got := find(t, text.String(), &Rule{ID: "each", On: Requests, Check: func(c *Case) { c.Report(Finding{Message: c.Method()}) }},
		&Rule{ID: "all", On: Requests, Check: func(c *Case) { c.ReportAs("", Finding{}) }})
	if len(got) != MaxFindings {
		t.Errorf("%d findings are kept, of at most %d", len(got), MaxFindings)
	}
	if i := slices.IndexFunc(got, func(s string) bool { return strings.HasPrefix(s, "all ") }); i < 0 || !strings.HasSuffix(got[i], fmt.Sprintf("x%d", MaxFindings+100)) {
		t.Errorf("what is counted is counted on: %q", got[max(i, 0)])
	}
}

// TestMemory: a rule's memory is its own, of a session or of the recording;
// what is shared is shared.
func TestMemory(t *testing.T) {
	got := ""
	note := func(id string) *Rule {
		return &Rule{ID: id, On: Requests, Check: func(c *Case) {
			*State[int](c)++
			*Memory[int](c) += 10
			*Shared[int](c) += 100
			got = fmt.Sprint(*State[int](c), *Memory[int](c), *Shared[int](c))
		}}
	}
	find(t, calls, note("one"), note("two"))
	if got != "3 30 600" {
		t.Errorf("got %s", got)
	}
}

// TestEveryPlaceIsKept: a finding keeps where it showed beyond what it keeps of
// its evidence.
func TestEveryPlaceIsKept(t *testing.T) {
	var b strings.Builder
	b.WriteString("tap stdio\n")
	for i := range MaxShows + 10 {
		fmt.Fprintf(&b, "> {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}\n", i+1)
	}
	s, err := transcript.Parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	rule := &Rule{ID: "r", On: Requests, Severity: Note, Check: func(c *Case) { c.ReportAs("", Finding{Frames: []uint64{c.N, 1}}) }}
	tr, c := New(session.Options{Tap: s.Tap}, []*Rule{rule})
	for i, f := range s.Frames {
		tr.Apply(f)
		one := c.Findings()[0]
		if want := min(i+1, MaxShows); len(one.Shows) != want || one.Shows[want-1] != uint64(want) || len(one.Frames) > MaxFrames {
			t.Fatalf("after %d: %d places, %d frames", i+1, len(one.Shows), len(one.Frames))
		}
	}
}
