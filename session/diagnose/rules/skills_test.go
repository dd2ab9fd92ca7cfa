package rules

import (
	"os"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/words/wordstest"
)

// TestSkillMasked: where a secret in a file was masked, nobody can say whether the file
// is the right one.
func TestSkillMasked(t *testing.T) {
	text, err := os.ReadFile("testdata/skill-content-differs/fires.txt")
	if err != nil {
		t.Fatal(err)
	}
	s, err := transcript.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Frames {
		f.Masked = strings.Contains(string(f.Data), "contents")
	}
	tr, c := diagnose.New(session.Options{Tap: s.Tap}, All())
	for _, f := range s.Frames {
		tr.Apply(f)
	}
	c.Finish()
	for _, f := range c.Findings() {
		t.Errorf("%s: %s", f.Rule.ID, f.Message)
	}
}

// TestFrontmatter: what differs is named, and what nobody can tell is the same.
func TestFrontmatter(t *testing.T) {
	deep := strings.Repeat("a: {", 5000) + strings.Repeat("}", 5000)
	bomb := "a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: [*c,*c,*c,*c]\n"
	for _, c := range []struct{ yaml, json, member string }{
		{"a: 1\nb: x", `{"a":1,"b":"x"}`, ""},
		{"a: 1\nb: x", `{"a":1,"b":"y"}`, "b"},
		{"a: 1", `{"a":1,"b":"y"}`, "b"},
		{"a: 1\nb:\n  c: [1, 2]", `{"a":1,"b":{"c":[1,3]}}`, "b.c.1"},
		{"a: [1, 2]", `{"a":[1]}`, "a"},
		{"a: x", `{"a":{}}`, "a"},
		{"a: 'no'", `{"a":false}`, "a"},
		{"a: no", `{"a":false}`, ""},
		{"a: !!str 1", `{"a":2}`, ""},
		{"a: 1\na: 2", `{"a":3}`, ""},
		{"\tno yaml", `{"a":3}`, ""},
		{deep, `{"a":{}}`, "a.a"},
		{bomb, `{"a":["x","x","x","x"],"b":1,"c":[],"d":[]}`, "b"},
		{"a: x", "", "a"},
	} {
		if member, how := yamlDiffers([]byte(c.json), []byte(c.yaml)); member != c.member {
			t.Errorf("%.60q and %.60q differ in %q (%s), want %q", c.yaml, c.json, member, how, c.member)
		}
	}
	if _, ok := frontmatter([]byte("---\nname: x\n" + strings.Repeat("y: z\n", maxFront))); ok {
		t.Error("frontmatter without an end was found")
	}
}

// FuzzFrontmatter: no file and no entry bring the comparison down, and a file is the
// same as itself.
func FuzzFrontmatter(f *testing.F) {
	for _, text := range wordstest.Texts() {
		f.Add("---\nname: "+text+"\n---\n", `{"name":"x"}`)
		f.Add(text, text)
	}
	f.Add("---\na: &a [*a]\n---\n", `{"a":[[]]}`)
	f.Add("---\n? [a]\n: b\n---\n", `{"a":"b"}`)
	f.Fuzz(func(t *testing.T, file, entry string) {
		front, ok := frontmatter([]byte(file))
		if !ok {
			return
		}
		if member, how := yamlDiffers([]byte(entry), front); member != "" && how == "" {
			t.Errorf("%q differs in %q, and nobody knows how", file, member)
		}
		of := skillFile{digest: digestOf([]byte(file))}
		if of.variant([]byte(file+"\n")) == "" && !strings.HasSuffix(file, "\n") && !strings.HasSuffix(file, "\r") {
			t.Errorf("%q with one line end more is not known again", file)
		}
	})
}
