package rules

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"midwire/session/diagnose"
)

// TestAdvice: every section of advice.md can be read, and is what a program says or what
// code asks for; and what code asks for is there.
func TestAdvice(t *testing.T) {
	by, err := readAdvice(advicePage)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, m := range programs() {
		used[m.String()] = true
	}
	for _, one := range toolCauses {
		used[one.advice] = true
	}
	files, _ := filepath.Glob("*.go")
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:withAdvice\(|advise\(&?(?:f|p\.first|p\.f), |usual\(|(?:body|pollution)\{what: .*why: |brokenJSON = |\+ " bytes", )"([^"]+)"`).FindAllSubmatch(code, -1) {
			used[string(m[1])] = true
		}
	}
	for name := range used {
		if _, ok := by[name]; !ok {
			t.Errorf("advice.md has no section %q", name)
		}
	}
	for name := range by {
		if !used[name] {
			t.Errorf("nothing leads to the section %q of advice.md", name)
		}
	}
	for _, wrong := range []string{"\n## a\n\nCause.\n", "\n## a | nobody\n\nCause.\n", "\n## a | client\n\nC.\n\n- x\n"} {
		if _, err := readAdvice(wrong); err == nil {
			t.Errorf("%q can be read", wrong)
		}
	}
}

// TestSides: where there is one thing to do, it is for the side that is responsible.
func TestSides(t *testing.T) {
	check := func(name string, side diagnose.Side, fix []diagnose.Remedy) {
		if len(fix) == 1 && side != diagnose.Unclear && fix[0].Side != side &&
			fix[0].Side != diagnose.Responsible && fix[0].Side != diagnose.Unclear {
			t.Errorf("%s is the %s's, and its only remedy is for the %s", name, side, fix[0].Side)
		}
	}
	for name, one := range advised() {
		check(name, one.side, one.fix)
	}
	for _, r := range All() {
		if !r.Seen {
			check(r.ID, r.Side, r.Help().Remedies)
		}
	}
}
