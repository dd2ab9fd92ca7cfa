package rules

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"midwire/session/diagnose"
	"midwire/session/words/wordstest"
)

// TestMutations: rules see whatever peers send. Fixtures with members missing,
// values of other types and lines in another order make no rule panic, and the
// same traffic has the same findings.
func TestMutations(t *testing.T) {
	files, _ := filepath.Glob("testdata/*/*.txt")
	member := regexp.MustCompile(`"[A-Za-z_./]+":("[^"]*"|\d+|true|false|null|\{\}|\[\])`)
	values := []string{`null`, `""`, `0`, `-1.5`, `1e999`, `[]`, `{}`, `true`, `"x"`, `[null]`, `{"a":null}`, `"=?base64?x"`}
	values = append(values, wordstest.JSON()...)
	r := rand.New(rand.NewPCG(3, 4))
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(string(raw), "\n=== behind")
		text = mutate(r, text, member, values)
		if one, two := summary(check(t, text)), summary(check(t, text)); one != two {
			t.Fatalf("%s: the same traffic has other findings:\n%s\n\n%s\n\n%s", file, text, one, two)
		}
	}
}

func mutate(r *rand.Rand, text string, member *regexp.Regexp, values []string) string {
	lines := strings.Split(text, "\n")
	for i := 1; i < len(lines); i++ {
		switch at := 1 + r.IntN(len(lines)-1); r.IntN(20) {
		case 0:
			lines[i] = ""
		case 1:
			lines[i], lines[at] = lines[at], lines[i]
		case 2:
			lines[i] += "\n" + lines[i]
		}
		lines[i] = member.ReplaceAllStringFunc(lines[i], func(m string) string {
			key, _, _ := strings.Cut(m, ":")
			switch r.IntN(15) {
			case 0:
				return key + ":" + values[r.IntN(len(values))]
			case 1:
				return `"zzz":1`
			}
			return m
		})
	}
	return strings.Join(lines, "\n")
}

func summary(list []*diagnose.Finding) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintln(&b, brief(f), f.Message)
	}
	return b.String()
}
