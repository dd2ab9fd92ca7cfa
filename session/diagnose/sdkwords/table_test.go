package sdkwords

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func program(p *Phrase) bool { return slices.Contains(loadPrograms().phrases, p) }

var sample = strings.NewReplacer("…", "xyz 1", "*", "xyz")

// TestEntriesAreRecognised: what an SDK says is found, with its meaning and with the SDK.
func TestEntriesAreRecognised(t *testing.T) {
	for _, p := range Phrases() {
		if p.General {
			continue
		}
		code, _ := strconv.ParseInt(p.Code, 10, 64)
		status, _ := strconv.Atoi(p.Status)
		text := sample.Replace(p.Text)
		for _, said := range []string{text, strings.ToUpper(text), text + "\n"} {
			f := Find(code, said)
			if program(p) {
				f = Program(said)
			}
			for _, m := range p.Means {
				if !f.Means(m) {
					t.Errorf("%s says %q: %s is not found, but %v", p.SDK, said, m, f.Meanings())
				}
			}
			if !slices.Contains(f.Phrases, p) {
				t.Errorf("%s says %q: the entry is not found", p.SDK, said)
			}
			names := f.SDKs(status, code, p.Place == "message" || p.Place == "data")
			if p.Place != "log" && !slices.Contains(names, p.SDK) {
				t.Errorf("%s says %q: known as %v", p.SDK, said, names)
			}
		}
	}
}

// TestGeneralWords: each combination of general words has its meaning.
func TestGeneralWords(t *testing.T) {
	for _, p := range Phrases() {
		if !p.General {
			continue
		}
		for _, last := range p.terms[len(p.terms)-1] {
			for _, first := range p.terms[0] {
				if f := Find(0, "so: "+last+", "+first+"!"); !f.Means(p.Means...) && slices.ContainsFunc(f.Phrases, func(q *Phrase) bool { return q.General }) {
					t.Errorf("%q and %q do not mean %v but %v", first, last, p.Means, f.Meanings())
				}
			}
		}
	}
}

// TestTable holds what is true of every entry.
func TestTable(t *testing.T) {
	used := map[Meaning]bool{}
	for _, p := range Phrases() {
		if !slices.Contains([]string{"message", "data", "body", "header", "log"}, p.Place) {
			t.Errorf("%s: no place %q", p.SDK, p.Place)
		}
		for _, n := range []string{p.Status, p.Code} {
			if _, err := strconv.Atoi(n); err != nil && n != "-" {
				t.Errorf("%s: %q is no number: %s", p.SDK, n, p.Text)
			}
		}
		if p.File == "" || p.Repository == "" || p.Version == "" || p.Text == "" {
			t.Errorf("%s: %q has no source", p.SDK, p.Text)
		}
		for _, m := range p.Means {
			used[m] = true
		}
	}
	for _, m := range Meanings() {
		if m.String() == "" || !strings.HasSuffix(m.Says(), ".") || len(m.Rules()) == 0 || !used[m] {
			t.Errorf("the meaning %d (%s) lacks something, or nobody says it", m, m)
		}
	}
	if meanings > 128 {
		t.Error("too many meanings for a set")
	}
}

// TestWords: some that must not be taken for others.
func TestWords(t *testing.T) {
	for said, want := range map[string]string{
		"Bad Request: Server not initialized":                            "initialize-missing",
		`{"message":"Server not initialized"}`:                           "not-initialized",
		"Invalid request parameters":                                     "not-initialized",
		"Invalid request parameters for the report":                      "",
		"method \"tools/list\" is invalid during session initialization": "not-initialized",
		"Method Not Allowed: Session termination not supported":          "http-method",
		"session user mismatch":                                          "session-foreign",
		"The session of your bank has expired":                           "session-ended",
		"the tool search failed: file not found":                         "",
		"Tool search not found":                                          "tool-unknown",
		"Everything is fine":                                             "",
		"":                                                               "",
	} {
		var names []string
		for _, m := range Find(-32602, said).Meanings() {
			names = append(names, m.String())
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q means %q, want %q", said, got, want)
		}
	}
	if Find(-32600, "Invalid request parameters").Means(NotInitialized) {
		t.Error("the code does not count")
	}
}

func BenchmarkFind(b *testing.B) {
	text := strings.Repeat("the session of this request, Tool after tool, is unknown to me. ", 64)
	for b.Loop() {
		Find(0, text)
	}
}

// TestMeaningsAreInOrder: the text has the meanings in the order of the constants, by
// their names.
func TestMeaningsAreInOrder(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "meanings.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, spec := range file.Decls[slices.IndexFunc(file.Decls, func(d ast.Decl) bool {
		g, ok := d.(*ast.GenDecl)
		return ok && g.Tok == token.CONST
	})].(*ast.GenDecl).Specs {
		names = append(names, spec.(*ast.ValueSpec).Names[0].Name)
	}
	if len(names)-1 != len(abouts()) || len(abouts()) != int(meanings) {
		t.Fatalf("%d constants, %d lines", len(names)-1, len(abouts()))
	}
	for m, about := range abouts() {
		if name := strings.ReplaceAll(about[0], "-", ""); name != strings.ToLower(names[m]) || about[1] == "" {
			t.Errorf("the constant %s has the line %q", names[m], about)
		}
	}
}
