package schema

import (
	"fmt"
	"strings"
	"testing"

	"midwire/session/words/wordstest"
)

func compiled(t testing.TB, raw string) *Schema {
	t.Helper()
	s, err := Compile([]byte(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return s
}

func faults(list []Fault) string {
	var lines []string
	for _, f := range list {
		lines = append(lines, f.Path+" "+f.Text)
	}
	return strings.Join(lines, "; ")
}

// TestCheck: what is wrong is said where it is, in words.
func TestCheck(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`{"type":"object"}`, `{}`, ``},
		{`{"type":"object"}`, `[]`, ` is a list, and must be an object`},
		{`{"type":["string","null"]}`, `1`, ` is a number, and must be a string, or null`},
		{`{"type":"number"}`, `1`, ``},
		{`{"type":"integer"}`, `1.0`, ``},
		{`{"type":"integer"}`, `1.5`, ` is a number, and must be a whole number`},
		{`{"type":"integer"}`, `123456789012345678901234567890`, ``},
		{`{"required":["a","b"]}`, `{"b":1}`, ` lacks “a”`},
		{`{"properties":{"a/b":{"type":"string"}}}`, `{"a/b":1}`, `/a~1b is a number, and must be a string`},
		{`{"properties":{"a":{}},"additionalProperties":false}`, `{"a":1,"b":2}`, ` has “b”, which is not among its members`},
		{`{"patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false}`, `{"x-a":1}`, `/x-a is a number, and must be a string`},
		{`{"items":{"type":"string"}}`, `["a",2]`, `/1 is a number, and must be a string`},
		{`{"items":[{"type":"string"}],"additionalItems":false}`, `["a",2]`, `/1 is not allowed here`},
		{`{"prefixItems":[{"type":"string"}],"items":{"type":"number"}}`, `["a","b"]`, `/1 is a string, and must be a number`},
		{`{"enum":["a",1,null]}`, `"b"`, ` is “b”, and must be “a” or 1 or null`},
		{`{"enum":[1]}`, `1.0`, ``},
		{`{"const":{"a":[1]}}`, `{"a":[1.0]}`, ``},
		{`{"minimum":3}`, `2`, ` is 2, and must be at least 3`},
		{`{"exclusiveMaximum":3}`, `3`, ` is 3, and must be less than 3`},
		{`{"maximum":3,"exclusiveMaximum":true}`, `3`, ` is 3, and must be less than 3`},
		{`{"multipleOf":0.01}`, `4.02`, ``},
		{`{"multipleOf":3}`, `10`, ` is 10, and must be a multiple of 3`},
		{`{"minLength":2,"maxLength":2}`, `"äö"`, ``},
		{`{"pattern":"^[a-z]+$"}`, `"A"`, ` is “A”, which does not match the pattern “^[a-z]+$”`},
		{`{"pattern":"^(?!x)"}`, `"x"`, ``},      // a dialect that is not understood here
		{`{"pattern":"^\\S+$"}`, `"\u00a0"`, ``}, // the dialects differ
		{`{"uniqueItems":true}`, `[1,2,1.0]`, ` has the same item twice, at 0 and 2`},
		{`{"contains":{"type":"string"}}`, `[1]`, ` has not the item that it must have`},
		{`{"minItems":2}`, `[1]`, ` has 1 items, and must have 2 at least`},
		{`{"not":{"type":"string"}}`, `"a"`, ` is what it must not be`},
		{`{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1}`, ` lacks “b”`},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, ` has “a” and lacks “b”`},
		{`{"oneOf":[{"type":"string"},{"minLength":1}]}`, `"a"`, ` fits more than one of the forms it may have`},
		{`{"anyOf":[{"properties":{"k":{"const":"a"},"x":{"type":"string"}},"required":["k","x"]},{"properties":{"k":{"const":"b"}},"required":["k"]}]}`, `{"k":"a","x":1}`, `/x is a number, and must be a string`},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `1`, ` fits none of the forms it may have: it is a number, and must be a string`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}`, `1`, ` is a number, and must be a string`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/s","type":"number"}},"definitions":{"s":{"type":"string"}}}`, `{"a":"x"}`, ``},
		{`{"unevaluatedProperties":false}`, `{"a":1}`, ``}, // not looked at
		{`{"oneOf":[{"unevaluatedProperties":false},{"type":"object"}]}`, `{"a":1}`, ``},
		{`false`, `1`, ` is not allowed here`},
		{`true`, `1`, ``},
	} {
		s := compiled(t, c.schema)
		if list := s.Faults(); len(list) > 0 {
			t.Errorf("%s: %s", c.schema, faults(list))
		}
		list, _ := s.Check([]byte(c.value))
		if got := faults(list); got != c.want {
			t.Errorf("%s with %s: got %q, want %q", c.schema, c.value, got, c.want)
		}
	}
}

// TestFaults: what is wrong with a schema itself.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`null`, ` is null; a schema is an object, or true or false`},
		{`{"type":"any"}`, `/type is “any”, which is no type of JSON Schema`},
		{`{"type":"object","required":null}`, `/required is null, and must be a list of names`},
		{`{"properties":{"a":{"type":"string","required":true}}}`, `/properties/a/required is true, and must be a list of names in the schema of the object`},
		{`{"properties":null}`, `/properties is null, and must be an object`},
		{`{"properties":{"a":"string"}}`, `/properties/a is a string; a schema is an object, or true or false`},
		{`{"items":null}`, `/items is null; a schema is an object, or true or false`},
		{`{"anyOf":[]}`, `/anyOf must be a list of schemas, and not empty`},
		{`{"minLength":-1}`, `/minLength must be a whole number, 0 or more`},
		{`{"minimum":"1"}`, `/minimum is a string, and must be a number`},
		{`{"$ref":"#/$defs/none"}`, `/$ref refers to “#/$defs/none”, which does not exist`},
		{`{"$ref":"https://example.com/other.json"}`, ``},
		{`{"pattern":"(?<!a)b"}`, ``},
		{`{"x-anything":[1,{"type":7}],"title":3,"default":{"type":7},"examples":[{"type":7}]}`, ``},
	} {
		if got := faults(compiled(t, c.schema).Faults()); got != c.want {
			t.Errorf("%s: got %q, want %q", c.schema, got, c.want)
		}
	}
	if s := compiled(t, `{"properties":{"a":{"$ref":"https://example.com/a"}}}`); len(s.External()) != 1 {
		t.Errorf("external references: %q", s.External())
	}
}

// TestHostile: no schema makes a check run away, and what cannot be decided is
// no fault.
func TestHostile(t *testing.T) {
	deep := strings.Repeat(`{"not":`, 5000) + `{}` + strings.Repeat(`}`, 5000)
	var double strings.Builder
	double.WriteString(`{"$defs":{`)
	for i := range 60 {
		double.WriteString(fmt.Sprintf(`"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, i+1, i+1))
	}
	double.WriteString(`"a60":{"type":"string"}},"$ref":"#/$defs/a0"}`)
	for name, raw := range map[string]string{
		"refers to itself":   `{"$ref":"#"}`,
		"in a circle":        `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`,
		"in all of itself":   `{"allOf":[{"$ref":"#"},{"$ref":"#"}]}`,
		"is not itself":      `{"not":{"$ref":"#"}}`,
		"doubles each time":  double.String(),
		"very deep":          deep,
		"very large pattern": `{"pattern":"` + strings.Repeat("(a*)*", 2000) + `b"}`,
		"items of itself":    `{"items":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}`,
	} {
		s, err := Compile([]byte(raw))
		if err != nil {
			continue
		}
		for _, value := range []string{`1`, `"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"`, strings.Repeat("[", 900) + strings.Repeat("]", 900)} {
			list, steps := s.Check([]byte(value))
			if len(list) > 0 || steps > maxSteps+1000 {
				t.Errorf("%s: %d steps, %s", name, steps, faults(list))
			}
		}
	}
	many := `{"properties":{` + strings.Repeat(`"a":{"type":"string"},`, 10) + `"b":{"type":"string"}},"items":{"uniqueItems":true}}`
	if _, steps := compiled(t, many).Check([]byte(`[[` + strings.Repeat("1e9,", 5000) + `1]]`)); steps > maxSteps+1000 {
		t.Errorf("unique items took %d steps", steps)
	}
	if _, err := Compile([]byte(`{"a":"` + strings.Repeat("a", MaxSchema) + `"}`)); err == nil {
		t.Error("a schema of a megabyte was read")
	}
}

// TestDeterminism: members have no order, faults have.
func TestDeterminism(t *testing.T) {
	raw := `{"properties":{`
	value := `{`
	for i := range 40 {
		raw += fmt.Sprintf(`"p%02d":{"type":"string","minLength":"x"},`, i)
		value += fmt.Sprintf(`"p%02d":%d,`, i, i)
	}
	raw, value = raw+`"q":{}}}`, value+`"q":0}`
	first := compiled(t, raw)
	list, steps := first.Check([]byte(value))
	for range 20 {
		s := compiled(t, raw)
		again, n := s.Check([]byte(value))
		if faults(again) != faults(list) || n != steps || faults(s.Faults()) != faults(first.Faults()) {
			t.Fatalf("got %d %q, before %d %q", n, faults(again), steps, faults(list))
		}
	}
	if len(list) != maxFaults || list[0].Path != "/p00" {
		t.Errorf("%d faults, the first at %q", len(list), list[0].Path)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"$ref":"#"}},"oneOf":[{"minimum":1}]}`), []byte(`{"a":{"a":1e400}}`))
	f.Add([]byte(`{"items":[{"pattern":"("}],"multipleOf":0}`), []byte(`[0,"x"]`))
	for _, s := range wordstest.JSON() {
		f.Add([]byte(`{"required":[`+s+`],"properties":{`+s+`:{"const":`+s+`,"pattern":`+s+`,"maxLength":3}}}`), []byte("{"+s+":"+s+"}"))
	}
	f.Fuzz(func(t *testing.T, schema, value []byte) {
		s, err := Compile(schema)
		if err != nil {
			return
		}
		one, n := s.Check(value)
		two, m := s.Check(value)
		if faults(one) != faults(two) || n != m {
			t.Fatalf("%q and then %q", faults(one), faults(two))
		}
	})
}

// TestDefaults: what has a default need not be sent.
func TestDefaults(t *testing.T) {
	s := compiled(t, `{"properties":{"a":{"default":1},"b":{}},"required":["a","b"]}`)
	for _, want := range []string{" lacks “a”;  lacks “b”", " lacks “b”"} {
		list, _ := s.Check([]byte(`{}`))
		if got := faults(list); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		s.Defaults = true
	}
}

// Two values that differ in texts and numbers alone are told apart by some schemas only.
func TestSeesValues(t *testing.T) {
	for raw, want := range map[string]bool{
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"],"additionalProperties":false}`: false,
		`{"type":"array","items":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/x"}]},"maxItems":3,"$defs":{"x":{"type":"number"}}}`:      false,
		`{"properties":{"a":{"enum":["x","y"]}}}`:             true,
		`{"properties":{"a":{"items":{"const":"x"}}}}`:        true,
		`{"$ref":"#/$defs/x","$defs":{"x":{"minimum":1}}}`:    true,
		`{"not":{"maxLength":0}}`:                             true,
		`{"anyOf":[{"type":"string"},{"pattern":"^a"}]}`:      true,
		`{"items":{"uniqueItems":true}}`:                      true,
		`{"additionalProperties":{"multipleOf":2}}`:           true,
		`{"dependentSchemas":{"a":{"exclusiveMaximum":1}}}`:   true,
		`{"properties":{"a":{"minLength":0,"format":"uri"}}}`: false,
		`true`: false,
	} {
		s, err := Compile([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.SeesValues(); got != want {
			t.Errorf("%s: %v, want %v", raw, got, want)
		}
	}
}
