package rules

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"midwire/fixtures/effort"
	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/words/wordstest"
)

// judged are the findings of a recording and what is said of its sessions. What
// is UTF-8 in a recording is it in what is found.
func judged(t *testing.T, s *transcript.Transcript) string {
	t.Helper()
	valid := true
	tr, c := diagnose.New(session.Options{Tap: s.Tap}, All())
	for _, f := range s.Frames {
		valid = valid && utf8.Valid(f.Data)
		tr.Apply(f)
	}
	c.Finish()
	all := c.Findings()
	for _, f := range all {
		if said := f.Message + f.Cause + f.Fix(); valid && !utf8.ValidString(said) {
			t.Fatalf("%s says %q", f.Rule.ID, said)
		}
	}
	for _, one := range tr.Sessions() {
		c.Verdict(one, all)
	}
	return summary(all)
}

// FuzzTexts: whatever peers say wherever they say it, no rule panics, the same
// frames have the same findings, and no character is cut in two.
func FuzzTexts(f *testing.F) {
	for _, s := range effort.Sample(7, wordstest.Texts()) { // one of each alphabet
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			return
		}
		all, err := transcript.Everywhere(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			one, two := judged(t, s), judged(t, s)
			if one != two {
				t.Fatalf("the same frames have other findings:\n%s\n%s", one, two)
			}
			if strings.Count(one, "\n") < 3 {
				t.Fatalf("found only %s", one)
			}
		}
	})
}

// fixtures calls test with the first side of every transcript in testdata.
func fixtures(t *testing.T, test func(t *testing.T, file, text string)) {
	t.Helper()
	files, _ := filepath.Glob("testdata/*/*.txt")
	if len(files) < 400 {
		t.Fatalf("only %d transcripts", len(files))
	}
	for _, file := range effort.Sample(5, files) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		front, _, _ := strings.Cut(string(text), "\n=== behind")
		test(t, file, front)
	}
}

// spoken finds what peers say freely: strings of JSON, values of headers, lines of
// standard error, and bodies that are no JSON.
var spoken = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|(?m:\| [\w-]+: [^|\n]+|^! .*$|\|\| [^{\[\n].*$)`)

// TestFixturesInAllAlphabets: whatever is said in a fixture is said in another
// alphabet, whole or around the words that are there.
func TestFixturesInAllAlphabets(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	texts, quoted := wordstest.Texts(), wordstest.JSON()
	fixtures(t, func(t *testing.T, file, text string) {
		lines := strings.Split(text, "\n")
		for i := range lines {
			if i == 0 || strings.HasPrefix(lines[i], "#") || strings.HasPrefix(lines[i], "tap ") {
				continue
			}
			lines[i] = spoken.ReplaceAllStringFunc(lines[i], func(s string) string {
				switch {
				case r.IntN(8) > 0:
					return s
				case s[0] == '"':
					one := quoted[r.IntN(len(quoted))]
					return `"` + wordstest.Mutate(s[1:len(s)-1], one[1:len(one)-1], r.IntN(8)) + `"`
				}
				head, words, _ := strings.Cut(s, " ")
				one := strings.NewReplacer("\n", "", "\r", "", "|", "").Replace(texts[r.IntN(len(texts))])
				return head + " " + wordstest.Mutate(words, one, r.IntN(3))
			})
		}
		s, err := transcript.Parse(strings.Join(lines, "\n"))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if one, two := judged(t, s), judged(t, s); one != two {
			t.Fatalf("%s: the same traffic has other findings:\n%s\n%s", file, one, two)
		}
	})
}

// TestPeersOfAllAlphabets: what clients and servers are called changes no finding.
func TestPeersOfAllAlphabets(t *testing.T) {
	fixtures(t, func(t *testing.T, file, text string) {
		foreign := string(transcript.Foreign([]byte(text)))
		if foreign == text {
			return
		}
		brief := func(text string) (all []string) {
			for _, f := range check(t, text) {
				all = append(all, brief(f))
			}
			return all
		}
		if got, want := brief(foreign), brief(text); !slices.Equal(got, want) {
			t.Errorf("%s: found\n%s\nwant\n%s", file, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}
