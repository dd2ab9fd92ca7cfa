package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/diagnose"
)

// check reads a transcript and returns what is found in it.
//
// A text with a line "=== behind" is two transcripts, of both sides of a
// gateway; "=== behind MS" says how many milliseconds later the second began.
// What is found in the first of them and by comparing them is returned.
func check(t testing.TB, text string) []*diagnose.Finding {
	t.Helper()
	front, behind, both := strings.Cut(text, "\n=== behind")
	later, behind, _ := strings.Cut(behind, "\n")
	outer, found := checkSide(t, front, 0)
	if both {
		ms, _ := strconv.Atoi(strings.TrimSpace(later))
		inner, _ := checkSide(t, behind, int64(ms)*1e6)
		side, more := diagnose.Compare(outer, inner, All(), 0)
		if side != outer {
			t.Error("the first transcript is not the outer side")
		}
		found = diagnose.Roots(append(found, more...))
	}
	for _, f := range found { // a guard catches the panic, and this test must not miss it
		f.Each(func(f *diagnose.Finding, _ int) {
			if f.Rule == midwireDefect {
				t.Errorf("%v\n%s\nin\n%s", f.Defect, f.Defect.Stack, text)
			}
		})
	}
	return found
}

func checkSide(t testing.TB, text string, started int64) (*diagnose.View, []*diagnose.Finding) {
	t.Helper()
	s, err := transcript.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	side := diagnose.NewView(fmt.Sprintf("side%d", started/1e6), "here", started)
	tr, c := diagnose.NewWith(session.Options{Tap: s.Tap}, All(), side)
	for _, f := range s.Frames {
		tr.Apply(f)
	}
	c.Finish()
	return side, c.Findings()
}

// brief is a finding in a line, as fixtures expect it: rule, severity when it
// is not the rule's, side, frames.
func brief(f *diagnose.Finding) string {
	var line strings.Builder
	line.WriteString(f.Rule.ID)
	if f.Severity != f.Rule.Severity {
		line.WriteString(" " + f.Severity.String())
	}
	line.WriteString(" " + f.Side.String())
	for _, n := range f.Frames {
		line.WriteString(fmt.Sprintf(" #%d", n))
	}
	if f.Count > 1 {
		line.WriteString(fmt.Sprintf(" x%d", f.Count))
	}
	return line.String()
}

// TestFixtures reads testdata/RULE/fires*.txt, in which the rule must fire, and
// near*.txt, in which it must not. Lines that begin with #= are the findings of
// the file, all of them, in order. UPDATE=1 writes them again.
func TestFixtures(t *testing.T) {
	said := map[string]bool{}
	for _, r := range All() {
		if r == midwireDefect { // no traffic is known to bring it about: TestDefect
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			for _, kind := range []string{"fires", "near"} {
				files, _ := filepath.Glob(filepath.Join("testdata", r.ID, kind+"*.txt"))
				if len(files) == 0 {
					t.Errorf("testdata/%s has no %s.txt", r.ID, kind)
				}
				for _, file := range files {
					fixture(t, r, file, kind == "fires", said)
				}
			}
		})
	}
	for _, r := range All() {
		for name := range r.Says {
			if !said[r.ID+" "+name] {
				t.Errorf("%s: no fixture brings about its sentence %q", r.ID, name)
			}
		}
	}
}

// TestHealthy reads testdata/healthy/*.txt: correct traffic has no findings.
func TestHealthy(t *testing.T) {
	files, _ := filepath.Glob("testdata/healthy/*.txt")
	if len(files) == 0 {
		t.Fatal("no healthy transcripts")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range check(t, string(text)) {
			t.Errorf("%s: %s: %s", file, brief(f), f.Message)
		}
	}
}

func fixture(t *testing.T, r *diagnose.Rule, file string, fires bool, said map[string]bool) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	fired := false
	for _, f := range check(t, string(text)) {
		got = append(got, "#= "+brief(f))
		f.Each(func(f *diagnose.Finding, depth int) {
			fired = fired || f.Rule == r && (fires || depth == 0)
			said[f.Rule.ID+" "+f.Says] = true
		})
		readable(t, f)
	}
	if fired != fires {
		t.Errorf("%s: fired: %v, all findings:\n%s", file, fired, strings.Join(got, "\n"))
	}
	var want, rest []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#= ") {
			want = append(want, line)
		} else {
			rest = append(rest, line)
		}
	}
	if strings.Join(got, "\n") == strings.Join(want, "\n") {
		return
	}
	if os.Getenv("UPDATE") == "" {
		t.Errorf("%s: got\n%s\nwant\n%s", file, strings.Join(got, "\n"), strings.Join(want, "\n"))
		return
	}
	if err := os.WriteFile(file, []byte(strings.Join(append(got, rest...), "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// bare is the number of a frame, outside quotes.
var bare = regexp.MustCompile(`^[^“"]*#[0-9]`)

// readable holds what is true of every finding that a person reads.
func readable(t *testing.T, f *diagnose.Finding) {
	t.Helper()
	texts := map[string]string{"message": f.Message}
	if f.Known() {
		texts["cause"], texts["fix"] = f.Cause, f.Fix()
	} else if f.Cause+f.Fix() != "" || f.Side != diagnose.Unclear {
		t.Errorf("%s: what was seen has a cause, a fix or a side: %+v", f.Rule.ID, f)
	}
	for name, s := range texts {
		if len(s) < 12 || !strings.HasSuffix(strings.TrimSpace(s), ".") {
			t.Errorf("%s: %s is no sentence: %q", f.Rule.ID, name, s)
		}
	}
	if len(f.Frames) == 0 {
		t.Errorf("%s: a finding without evidence", f.Rule.ID)
	}
	for p := range f.Parts(f.Message, "") {
		if bare.MatchString(p.Text) && p.Frame == 0 && f.Rule.ID != "gateway-order-changed" { // frames of both sides
			t.Errorf("%s: the message names a frame that is no evidence: %q of %v", f.Rule.ID, p.Text, f.Frames)
		}
	}
}

// TestCatalogue holds what is true of every rule.
func TestCatalogue(t *testing.T) {
	id := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)+$`)
	known, briefs := map[string]bool{}, map[string]string{}
	for _, r := range All() {
		if known[r.ID] {
			t.Errorf("%s is there twice", r.ID)
		}
		known[r.ID] = true
	}
	for _, r := range All() {
		if !id.MatchString(r.ID) || r.Title == "" || strings.HasSuffix(r.Title, ".") || len(r.Title) > 90 {
			t.Errorf("%s: id or title %q", r.ID, r.Title)
		}
		if n := utf8.RuneCountInString(r.Brief); n == 0 || n > diagnose.MaxBrief || strings.HasSuffix(r.Brief, ".") || briefs[r.Brief] != "" {
			t.Errorf("%s: the brief %q is missing, too long, a sentence, or that of %s", r.ID, r.Brief, briefs[r.Brief])
		}
		briefs[r.Brief] = r.ID
		if r.Severity == 0 || r.On == 0 || r.Check == nil {
			t.Errorf("%s lacks severity, occasion or check", r.ID)
		}
		h := r.Help()
		for name, s := range map[string]string{"means": h.Means, "wire": h.Wire, "cause": h.Cause, "fix": h.Fix()} {
			if len(s) < 30 || !strings.HasSuffix(s, ".") {
				t.Errorf("%s: %s of its help is no sentence: %q", r.ID, name, s)
			}
		}
		if h.Spec == "" || h.Example == "" {
			t.Errorf("%s: help without source or example", r.ID)
		}
		for _, c := range r.Covers {
			if !known[strings.TrimSuffix(c, "*")] {
				t.Errorf("%s covers %s, which is no rule", r.ID, c)
			}
		}
	}
	folders, _ := filepath.Glob("testdata/*")
	helps, _ := filepath.Glob("help/*")
	for _, f := range append(folders, helps...) {
		if name := strings.TrimSuffix(filepath.Base(f), ".md"); !known[name] && name != "healthy" && name != "reported" && name != "verdicts" && name != "evidence" {
			t.Errorf("%s belongs to no rule", f)
		}
	}
}

// TestPages holds that every page is right.
func TestPages(t *testing.T) {
	for _, r := range All() {
		if err := load(&diagnose.Rule{ID: r.ID}, pageOf); err != nil {
			t.Errorf("help/%s.md: %v", r.ID, err)
		}
		if _, err := readHelp(pageOf(r.ID)); err != nil {
			t.Errorf("help/%s.md: %v", r.ID, err)
		}
	}
}

// TestBrokenPages: a mistake in a page is found, and the message says where it is.
func TestBrokenPages(t *testing.T) {
	right := pageOf("handshake-race")
	for _, broken := range []struct{ old, new, says string }{
		{"---\ntitle", "# title", "does not begin with its data"},
		{"brief: handshake not awaited\n", "", "the key brief is missing"},
		{"severity: error", "severity: bad", `severity: unknown value "bad"`},
		{"severity: error", "severity: error\nseverity: note", "its key is there twice"},
		{"era: handshake", "colour: red", "colour: no such key"},
		{"era: handshake", "from: 2025", `"2025" is no protocol version`},
		{"step: initialized\n", "", "step and does belong together"},
		{"## Cause", "## Reason", `the section "Reason" is unknown`},
		{"## Example", "## Meaning", `the section "Meaning" is unknown, or not in its place`},
		{"## Cause", "", "the section Cause is missing"},
	} {
		text := strings.Replace(right, broken.old, broken.new, 1)
		err := load(&diagnose.Rule{ID: "handshake-race"}, func(string) string { return text })
		if _, in := readHelp(text); err == nil {
			err = in
		}
		if err == nil || !strings.Contains(err.Error(), broken.says) {
			t.Errorf("%q in the place of %q: %v", broken.new, broken.old, err)
		}
	}
}

// TestIndex holds docs/rules.md to the rules. UPDATE=1 writes it again.
func TestIndex(t *testing.T) {
	var want strings.Builder
	want.WriteString("# What midwire can find\n\nEvery rule has a page: what it means, how it looks, its cause and how to fix it. `midwire explain RULE` prints it; `midwire check REC` checks a recording against all of them. The side is that of a finding that knows the cause; one that only says what was seen names none, whatever its rule. This index is generated from the pages.\n\n")
	want.WriteString("| Rule | Level | Responsible side | Protocol versions | What |\n|---|---|---|---|---|\n")
	for _, r := range All() {
		want.WriteString(fmt.Sprintf("| [`%s`](../session/diagnose/rules/help/%[1]s.md) | %s | %s | %s | %s |\n",
			r.ID, r.Severity, r.Side, r.Versions(), strings.ReplaceAll(r.Title, "_meta", "`_meta`")))
	}
	page := filepath.Join("..", "..", "..", "docs", "rules.md")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(page, []byte(want.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != want.String() {
		t.Errorf("docs/rules.md is not what the rules say: UPDATE=1 go test ./session/diagnose/rules writes it (%v)", err)
	}
}
