package checks

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// report returns one of a server that sends hostile text.
func report() *Report {
	return &Report{
		Target: "a\x1b[2J", Name: "someone\x07 1", Transport: "http", Recordings: []string{"20260101-000000-abcdef"},
		Checks: []*Check{
			{
				Stage: "calls", Name: "echo", Verdict: Noted, Text: "tools/call echo: \x1b[31m" + strings.Repeat("call 2 failed ", 9),
				Evidence: []Evidence{{"20260101-000000-abcdef", 12, "the call"}},
			},
			{Stage: "end", Name: "end", Verdict: Skipped, Text: "for stdio"},
			{Stage: "messages", Name: "ping", Verdict: Passed},
			{
				Stage: "messages", Name: "unknown method", Verdict: Failed, Text: "no response", Spec: "2025-11-25 basic/lifecycle: Timeouts",
				Evidence: []Evidence{{"20260101-000000-abcdef", 7, "never\x1b[31m answered"}, {"20260101-000000-fedcba", 3, "x"}},
			},
			{Stage: "rules", Name: "no finding", Verdict: Noted, Text: "x\x1b]0;y\x07"},
		},
	}
}

// TestFormats: each format has what counts, and nothing of a peer reaches the terminal.
func TestFormats(t *testing.T) {
	for format, want := range map[string][]string{
		"text":  {"messages  ✓ ping", "! echo: tools/call echo", "✗ unknown method: no response", "#7 fedcba#3", "1 failed", "midwire open 20260101-000000-abcdef"},
		"json":  {`"verdict": "noted"`, `"frame": 12`},
		"junit": {`tests="5" failures="1" skipped="1"`, `type="2025-11-25 basic/lifecycle: Timeouts"`},
		"sarif": {`"ruleId": "messages/unknown method"`, `"startLine": 8`, "20260101-000000-abcdef.jsonl", "basic/lifecycle#timeouts", `"level": "warning"`},
	} {
		var b strings.Builder
		if err := report().Write(&b, format, "1.0.0"); err != nil {
			t.Fatal(err)
		}
		for _, part := range want {
			if !strings.Contains(b.String(), part) {
				t.Errorf("%s: no %q in\n%s", format, part, b.String())
			}
		}
		if strings.ContainsAny(b.String(), "\x1b\x07") {
			t.Errorf("%s is not safe for a terminal", format)
		}
	}
}

func TestTextFitsTheTerminal(t *testing.T) {
	for _, width := range []int{40, 60, 80, 200} {
		r := report()
		r.Width = width
		for line := range strings.Lines(r.Text()) {
			if ansi.StringWidth(strings.TrimSuffix(line, "\n")) > max(width, 80) {
				t.Errorf("%d: too long: %q", width, line)
			}
		}
	}
}
