package rules

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
	"midwire/session/diagnose"
)

// TestReported reads testdata/reported/*.txt, failures as users report them. The first
// line says what the first of the worst findings must be:
//
//	#first none                            no error and no warning
//	#first SIDE[ SEVERITY] | REGEXP        alternatives with |, without blanks
//
// Its texts must match, and no session may be left without a cause.
//
//	#shown REGEXP                          no side is named, and a line of the evidence matches
func TestReported(t *testing.T) {
	files, _ := filepath.Glob("testdata/reported/*.txt")
	if len(files) == 0 {
		t.Fatal("no reports")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			line, _, _ := strings.Cut(string(text), "\n")
			if says, ok := strings.CutPrefix(line, "#shown "); ok {
				shown(t, string(text), regexp.MustCompile(says))
				return
			}
			who, says, _ := strings.Cut(strings.TrimPrefix(line, "#first "), " | ")
			found := check(t, string(text))
			slices.SortStableFunc(found, func(a, b *diagnose.Finding) int { return cmp.Compare(a.Severity, b.Severity) })
			for _, f := range found {
				t.Logf("%s %s %v: %s", brief(f), f.Severity, f.Known(), f.Message)
			}
			if who == "none" {
				if len(found) > 0 && found[0].Severity < diagnose.Note {
					t.Error("a false alarm")
				}
				return
			}
			side, severity, _ := strings.Cut(who, " ")
			if len(found) == 0 || !strings.Contains("|"+side+"|", "|"+found[0].Side.String()+"|") ||
				!strings.Contains(cmp.Or(severity, found[0].Severity.String()), found[0].Severity.String()) ||
				!regexp.MustCompile(says).MatchString(found[0].Message+"\n"+found[0].Cause+"\n"+found[0].Fix()) {
				t.Errorf("the first finding is not: %s %s", who, says)
			}
			if slices.ContainsFunc(found, func(f *diagnose.Finding) bool { return f.Rule == sessionFailed }) {
				t.Error("a session failed, and the cause is unknown")
			}
		})
	}
}

func shown(t *testing.T, text string, says *regexp.Regexp) {
	s, err := transcript.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	tr, c := finished(s)
	for _, f := range c.Findings() {
		if f.Severity < diagnose.Note && f.Side != diagnose.Unclear {
			t.Errorf("a side is named: %s", brief(f))
		}
	}
	var all []string
	for _, l := range c.Evidence(tr.Sessions()[0]) {
		all = append(all, l.Label+": "+l.Text())
	}
	if !slices.ContainsFunc(all, says.MatchString) {
		t.Errorf("no line matches %s:\n%s", says, strings.Join(all, "\n"))
	}
}
