package export

import (
	"encoding/json"
	"encoding/xml"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/evidence"
)

// reported are the rules, the recordings and the findings of a check: three
// recordings, one of which is fine.
func reported(message string) (rules []*diagnose.Rule, checked []Checked, all []Found) {
	rules = []*diagnose.Rule{
		{
			ID: "late", Title: "It came too late", Severity: diagnose.Error, Side: diagnose.Server,
			Page: func() diagnose.Help {
				return diagnose.Help{
					Means: "It is late.", Wire: "A response comes late.", Cause: "It was slow.", Remedies: []diagnose.Remedy{{Text: "Be faster."}},
					Spec: "2025-11-25 basic: Timeouts", Example: "-> ping\n<- {}",
				}
			},
		},
		{ID: "odd", Title: "It is odd", Severity: diagnose.Note, Side: diagnose.Client, Era: diagnose.Modern},
	}
	found := func(rule, sess, count int, text string, frames ...uint64) *diagnose.Finding {
		r := rules[rule]
		return &diagnose.Finding{
			Rule: r, Severity: r.Severity, Session: sess, Frames: frames,
			Message: text, Cause: r.Help().Cause, Remedies: r.Help().Remedies, Side: r.Side, Count: count,
		}
	}
	checked = []Checked{
		{
			ID: "my run", Sessions: []*session.Session{{ID: "s-1", Messages: 4}},
			Findings: []*diagnose.Finding{found(0, 0, 3, message, 7, 9), found(1, -1, 1, "odd", 2)},
		},
		{ID: "other", Sessions: []*session.Session{{Messages: 1}}, Findings: []*diagnose.Finding{found(1, 0, 1, "odd", 5)}},
		{ID: "fine"},
	}
	for _, c := range checked {
		all = append(all, Findings(c)...)
	}
	return rules, checked, all
}

func TestFindingsText(t *testing.T) {
	_, checked, all := reported("The response came late. " + strings.Repeat("And so on. ", 12))
	checked[0].Verdicts = []diagnose.Verdict{diagnose.Because(checked[0].Findings[0])}
	checked[1].Verdicts = []diagnose.Verdict{{Outcome: diagnose.Served}}
	all[0].Proof = []string{"#7    ping  ✓ late", "#9    ping  ✓ " + strings.Repeat("very ", 30) + "late"}
	golden(t, "check.txt", FindingsText(all, checked, Text{}))
	golden(t, "check-verbose.txt", FindingsText(all, checked, Text{Whole: true}))
	for line := range strings.Lines(FindingsText(all, checked, Text{})) {
		if ansi.StringWidth(line) > PipeWidth {
			t.Errorf("a line of %d cells: %s", ansi.StringWidth(line), line)
		}
	}
	if got := FindingsText(nil, checked[2:], Text{}); got != "0 failed in 0 sessions, no calls.\n" {
		t.Errorf("%q", got)
	}
}

// Other programs read this: a list even of none, and the names of the members
// stay.
func TestFindingsJSON(t *testing.T) {
	if got, err := JSON[Found](nil); err != nil || strings.TrimSpace(got) != "[]" {
		t.Errorf("none: %q, %v", got, err)
	}
	_, _, all := reported("late")
	text, err := JSON(all)
	if err != nil {
		t.Fatal(err)
	}
	var back []map[string]any
	if err := json.Unmarshal([]byte(text), &back); err != nil || len(back) != 3 {
		t.Fatalf("%d entries, %v", len(back), err)
	}
	for name, want := range map[string]any{
		"rule": "late", "severity": "error", "known": true, "recording": "my run", "session": 1.0,
		"session_id": "s-1", "message": "late", "responsible": "server", "count": 3.0,
	} {
		if back[0][name] != want {
			t.Errorf("%s is %v, want %v", name, back[0][name], want)
		}
	}
	if back[1]["session"] != 0.0 {
		t.Errorf("a finding about no session has session %v", back[1]["session"])
	}
}

// A rule fails the build where it found something at the level or worse, in the
// recording where it did; what it found below that is told and passes.
func TestFindingsJUnit(t *testing.T) {
	rules, checked, all := reported("late")
	for fail, want := range map[diagnose.Severity][]string{
		diagnose.Error: {"my run/late"},
		diagnose.Note:  {"my run/late", "my run/odd", "other/odd"},
	} {
		text, err := FindingsJUnit(all, checked, rules, fail)
		if err != nil {
			t.Fatal(err)
		}
		var back struct {
			Suites []struct {
				Name     string `xml:"name,attr"`
				Failures int    `xml:"failures,attr"`
				Cases    []struct {
					Name    string `xml:"name,attr"`
					Failure *struct {
						Text string `xml:",chardata"`
					} `xml:"failure"`
					Out string `xml:"system-out"`
				} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		if err := xml.Unmarshal([]byte(text), &back); err != nil || len(back.Suites) != len(checked) {
			t.Fatalf("%d suites, %v", len(back.Suites), err)
		}
		var failed []string
		for _, s := range back.Suites {
			n := 0
			for _, c := range s.Cases {
				name := strings.TrimPrefix(s.Name, "midwire check ") + "/" + c.Name
				if c.Failure != nil {
					n++
					failed = append(failed, name)
				}
				if c.Name == "odd" && s.Failures == 0 && !strings.HasSuffix(s.Name, "fine") && !strings.Contains(c.Out, "note #5: odd") {
					t.Errorf("%s passes without a word: %q", name, c.Out)
				}
			}
			if n != s.Failures || len(s.Cases) != len(rules) {
				t.Errorf("%s has %d failures of %d cases, says %d", s.Name, n, len(s.Cases), s.Failures)
			}
		}
		if !slices.Equal(failed, want) {
			t.Errorf("at %s these fail: %v, want %v", fail, failed, want)
		}
	}
}

// SARIF points at lines: the header of a recording is the first, so that frame n
// stands in line n+1.
func TestFindingsSARIF(t *testing.T) {
	rules, _, all := reported("late")
	text, err := FindingsSARIF(all, nil, rules, "v1.2")
	if err != nil {
		t.Fatal(err)
	}
	type place struct {
		Physical struct {
			Artifact struct{ URI string }       `json:"artifactLocation"`
			Region   struct{ StartLine uint64 } `json:"region"`
		} `json:"physicalLocation"`
	}
	var back struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Version string
					Rules   []struct {
						ID   string
						Help struct{ Text string }
					}
				}
			}
			Results []struct {
				RuleID, Level string
				Message       struct{ Text string }
				Locations     []place
				Related       []place `json:"relatedLocations"`
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &back); err != nil || back.Version != "2.1.0" || len(back.Runs) != 1 {
		t.Fatalf("%v:\n%s", err, text)
	}
	run := back.Runs[0]
	if run.Tool.Driver.Version != "v1.2" || len(run.Tool.Driver.Rules) != 2 ||
		!strings.Contains(run.Tool.Driver.Rules[0].Help.Text, "How to fix it: Be faster.") {
		t.Errorf("the program is %+v", run.Tool.Driver)
	}
	first := run.Results[0]
	if len(run.Results) != 3 || first.RuleID != "late" || first.Level != "error" || !strings.Contains(first.Message.Text, "Cause: It was slow.") {
		t.Errorf("%d results, first %+v", len(run.Results), first)
	}
	if at := first.Locations[0].Physical; len(first.Locations) != 1 || at.Artifact.URI != "my%20run.jsonl" || at.Region.StartLine != 8 {
		t.Errorf("it points at %+v", first.Locations)
	}
	if len(first.Related) != 1 || first.Related[0].Physical.Region.StartLine != 10 {
		t.Errorf("the other evidence is %+v", first.Related)
	}
}

// Whatever a finding quotes, no report holds anything that a terminal acts upon.
func TestHostileFindings(t *testing.T) {
	rules, checked, all := reported(poison)
	for i := range all {
		all[i].Cause, all[i].Fix, all[i].Recording, all[i].SessionID = poison, poison, poison, poison
	}
	for i := range checked {
		checked[i].ID = poison
	}
	harmless(t, "text", FindingsText(all, checked, Text{}))
	texts := map[string]func() (string, error){
		"JSON":  func() (string, error) { return JSON(all) },
		"JUnit": func() (string, error) { return FindingsJUnit(all, checked, rules, diagnose.Note) },
		"SARIF": func() (string, error) { return FindingsSARIF(all, nil, rules, "v1") },
	}
	for name, write := range texts {
		text, err := write()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		harmless(t, name, text)
	}
}

// TestCommandsToPaste: the id of a recording is what somebody wrote into a file, and the
// command that is named for it one to paste.
func TestCommandsToPaste(t *testing.T) {
	const id = "x; touch /tmp/there $(id)"
	rule := &diagnose.Rule{ID: "r", Title: "t", Severity: diagnose.Error, Ask: "auth"}
	c := Checked{ID: id, Findings: []*diagnose.Finding{{Rule: rule, Severity: diagnose.Error, Session: -1, Message: "m"}}}
	text := FindingsText(Findings(c), []Checked{c}, Text{})
	if !strings.Contains(text, "midwire auth '"+id+"'") {
		t.Errorf("the id is no word of a shell:\n%s", text)
	}
	c.Ref = "a copy.jsonl"
	if text := FindingsText(Findings(c), []Checked{c}, Text{}); !strings.Contains(text, "midwire auth 'a copy.jsonl'") {
		t.Errorf("a copy is not named by its file:\n%s", text)
	}
}

func TestRulesForPeople(t *testing.T) {
	rules, _, _ := reported("")
	rules[1].Title = "A * or a | in _meta is [odd]"
	if got, want := RuleText(rules[0]), "late\nIt came too late.\n\nLevel error, responsible side: server, protocol versions: all\n\nMeaning\n    It is late.\n"; !strings.HasPrefix(got, want) ||
		!strings.HasSuffix(got, "\nExample\n    -> ping\n    <- {}\n") {
		t.Errorf("%s", got)
	}
	list := strings.Split(RuleList(rules), "\n")
	if len(list) != 4 || strings.Index(list[0], "WHAT") != strings.Index(list[1], "It came") {
		t.Errorf("the list is\n%s", strings.Join(list, "\n"))
	}
}

// Who is about to pass a recording on is told of what looks like a token in it.
func TestHoldsTokens(t *testing.T) {
	if got := (Checked{}).HoldsTokens(); got != "" {
		t.Errorf("none: %q", got)
	}
	got := Checked{Tokens: map[string]int{"an API key": 2, "a JWT": 1}}.HoldsTokens()
	if !strings.Contains(got, "a JWT, an API key (3 places)") || !strings.Contains(got, "confidential") {
		t.Errorf("%q", got)
	}
}

// A line that is pasted into a shell is taken apart there into the same words.
func TestReplayLine(t *testing.T) {
	for _, tt := range []struct {
		recording string
		session   int
		target    string
		command   []string
		want      string
	}{
		{"web", 0, "http://localhost:3000/mcp", nil, "midwire replay web --to http://localhost:3000/mcp"},
		{"web", 2, "http://h/mcp?a=1&b=2", nil, "midwire replay web --session 2 --to 'http://h/mcp?a=1&b=2'"},
		{"web", 0, "", nil, "midwire replay web --to URL"},
		{"a b.jsonl", 0, "", []string{"node", "my server.js", "--x=1", ""}, "midwire replay 'a b.jsonl' -- node 'my server.js' --x=1 ''"},
		{"x", 0, "", []string{"sh", "-c", "rm $HOME; true"}, "midwire replay x -- sh -c 'rm $HOME; true'"},
	} {
		if got := ReplayLine(tt.recording, tt.session, tt.target, tt.command); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
}

// What was seen of a session stands at its first finding, in every form that programs read.
func TestFindingsEvidence(t *testing.T) {
	rules, checked, _ := reported("late")
	checked[0].Evidence = map[int][]evidence.Line{0: {{Label: evidence.Refused, Frames: []uint64{7}}}}
	all := Findings(checked[0])
	for name, write := range map[string]func() (string, error){
		"JSON":  func() (string, error) { return JSON(all) },
		"JUnit": func() (string, error) { return FindingsJUnit(all, checked[:1], rules, diagnose.Error) },
		"SARIF": func() (string, error) { return FindingsSARIF(all, checked[:1], rules, "v1") },
	} {
		if text, err := write(); err != nil || strings.Count(text, evidence.Refused+": ") != 1 {
			t.Errorf("%s, %v:\n%s", name, err, text)
		}
	}
}
