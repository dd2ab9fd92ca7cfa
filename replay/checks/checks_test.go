package checks

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestOutcomesAreRead(t *testing.T) {
	for o := NotApplicable; o <= Wrong; o++ {
		text, _ := o.MarshalText()
		var back Outcome
		if err := back.UnmarshalText(text); err != nil || back != o {
			t.Errorf("%s: %v, %v", text, back, err)
		}
	}
	for word, want := range map[string]Outcome{"late": RecoveredLate, "told": Told, "hung": Hung, "wrong": Wrong} {
		if o, ok := ParseOutcome(word); o != want || !ok {
			t.Errorf("%s: %v", word, o)
		}
	}
	if _, ok := ParseOutcome(""); ok {
		t.Error("nothing is no outcome")
	}
}

// report is one of a client that hostile text comes from.
func report() *Report {
	return &Report{
		Role: "client", Target: "a\x1b[2J", Name: "someone\x07 1", Opposite: "it 1", Transport: "http", Calls: 2, Recordings: []string{"20260101-000000-abcdef"},
		Checks: []*Check{
			{
				Stage: "faults", Name: "429", Verdict: Passed, Outcome: Told, Text: "tools/call echo did not come", Said: "Error \x1b[31m" + strings.Repeat("call 2 failed ", 9),
				Evidence: []Evidence{{"20260101-000000-abcdef", 12, "the fault"}},
			},
			{Stage: "faults", Name: "exit", Verdict: Skipped, Outcome: NotApplicable, Text: "exit is for stdio"},
			{Stage: "faults", Name: "delay", Verdict: Passed, Outcome: Recovered},
			{
				Stage: "faults", Name: "never", Verdict: Failed, Outcome: Hung, Text: "it waits", Spec: "2025-11-25 basic/lifecycle: Timeouts",
				Evidence: []Evidence{{"20260101-000000-abcdef", 7, "never\x1b[31m answered"}, {"20260101-000000-fedcba", 3, "x"}},
			},
			{Stage: "rules", Name: "no finding", Verdict: Noted, Text: "x\x1b]0;y\x07"},
		},
	}
}

// TestFormats: each format has what counts, and nothing of a peer reaches the terminal.
func TestFormats(t *testing.T) {
	for format, want := range map[string][]string{
		"text":  {"told its user", "✓ 429: tools/call echo", "✓ delay", "✗ never: it waits", "#7 fedcba#3", "1 failed", "midwire open 20260101-000000-abcdef"},
		"json":  {`"outcome": "told its user"`, `"frame": 12`},
		"junit": {`tests="5" failures="1" skipped="1"`, `type="hung"`},
		"sarif": {`"ruleId": "faults/never"`, `"startLine": 8`, "20260101-000000-abcdef.jsonl", "basic/lifecycle#timeouts", `"level": "warning"`},
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
