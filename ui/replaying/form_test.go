package replaying

import (
	"fmt"
	"strings"
	"testing"

	"midwire/session/words/wordstest"
)

const formSchema = `{"type":"object","required":["unit","n"],"properties":{
"note":{"type":"string","default":"x"},"unit":{"enum":["mm",3,null]},"n":{"type":"integer","default":7},
"deep":{"type":"object"},"flag":{"type":"boolean"},"sure":{"type":"boolean","default":true},"either":{"type":["string","null"]}}}`

// TestFields: what is required stands first, enums and booleans are choices, defaults are
// written already.
func TestFields(t *testing.T) {
	var got []string
	for _, f := range fieldsOf([]byte(formSchema)) {
		got = append(got, fmt.Sprintf("%s %v %s %q %q", f.name, f.required, f.kind, f.choices, f.in.Value()))
	}
	want := `unit true choice ["" "\"mm\"" "3" "null"] ""
n true integer [] "7"
note false string [] "x"
deep false object [] ""
flag false boolean ["" "true" "false"] ""
sure false boolean ["" "true" "false"] "true"
either false string or null [] ""`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("%s", text)
	}
	f := form{fields: fieldsOf([]byte(formSchema))}
	f.fields[0].turn(1)
	f.fields[0].turn(1)
	f.fields[4].turn(-1)
	if got := fmt.Sprint(f.written()); got != `[{unit 3 true} {n 7 false} {note x false} {flag false true} {sure true true}]` {
		t.Error(got)
	}
}

// TestFieldsBehindReferences: what a reference says of an argument is seen, as Pydantic writes
// an enum, and a boolean that may be null.
func TestFieldsBehindReferences(t *testing.T) {
	var got []string
	for _, f := range fieldsOf([]byte(`{"$defs":{"Level":{"type":"string","enum":["low","high"],"description":"How much."}},"required":["level"],"properties":{
"level":{"$ref":"#/$defs/Level","default":"low"},"maybe":{"anyOf":[{"$ref":"#/$defs/Level"},{"type":"null"}]},"n":{"allOf":[{"type":"integer"}]}}}`)) {
		got = append(got, fmt.Sprintf("%s %v %s %q %q %s", f.name, f.required, f.kind, f.choices, f.in.Value(), f.about))
	}
	want := `level true choice ["\"low\"" "\"high\""] "\"low\"" How much.
maybe false choice ["" "\"low\"" "\"high\"" "null"] "" How much.
n false integer [] "" `
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("%s", text)
	}
}

func FuzzFields(f *testing.F) {
	f.Add(formSchema)
	for _, s := range wordstest.Texts() {
		f.Add(`{"properties":{"` + s + `":{"enum":["` + s + `"],"default":"` + s + `"}}}`)
	}
	f.Fuzz(func(t *testing.T, schema string) {
		all := form{fields: fieldsOf([]byte(schema))}
		for i := range all.fields {
			all.choose(i)
			if all.fields[i].choices != nil {
				all.fields[i].turn(1)
			}
		}
		if n := len(all.written()); n > maxFields {
			t.Errorf("%d fields", n)
		}
	})
}
