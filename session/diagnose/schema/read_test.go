package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"midwire/session/wire"
	"midwire/session/words/wordstest"
)

// TestRead: who reads a schema sees through references, combinations and lists of types, as
// Pydantic and converters of OpenAPI write them.
func TestRead(t *testing.T) {
	for _, c := range []struct{ schema, types, items, choices, sample string }{
		{`{"type":"integer"}`, "integer", "", "null", "1"},
		{`{"$ref":"#/$defs/x","$defs":{"x":{"type":"integer","minimum":4}}}`, "integer", "", "null", "4"},
		{`{"allOf":[{"$ref":"#/$defs/x"}],"default":7,"$defs":{"x":{"type":"integer"}}}`, "integer", "", "null", "7"},
		{`{"anyOf":[{"$ref":"#/$defs/x"},{"type":"null"}],"$defs":{"x":{"enum":["low","high"],"type":"string"}}}`, "string null", "", `["low","high",null]`, `"low"`},
		{`{"type":["null","number"]}`, "number null", "", "null", "1"},
		{`{"const":2}`, "integer", "", "[2]", "2"},
		{`{"type":"array","items":{"$ref":"#/$defs/x"},"minItems":2,"$defs":{"x":{"type":"boolean"}}}`, "array", "boolean", "null", "[false,false]"},
		{`{"oneOf":[{"type":"null"},{"type":"array","items":{"anyOf":[{"type":"integer"},{"type":"string"}]}}]}`, "array null", "string integer", "null", "[]"},
		{`{"type":["string","integer"],"allOf":[{"type":["integer","boolean"]}]}`, "integer", "", "null", "1"},
		{`{"minLength":2,"type":"string"}`, "string", "", "null", `"aa"`},
		{`{"exclusiveMinimum":3,"type":"number"}`, "number", "", "null", "4"},
		{`{}`, "", "", "null", `"a"`},
		{`{"$ref":"https://example.com/x"}`, "", "", "null", `"a"`},
		{`{"required":["a"],"allOf":[{"properties":{"a":{"$ref":"#/$defs/x"}}}],"$defs":{"x":{"type":"object","required":["b","b"],"properties":{"b":{"const":"y"}}}}}`, "", "", "null", `{"a":{"b":"y"}}`},
	} {
		p := Read([]byte(c.schema))
		choices, _ := json.Marshal(p.Choices())
		sample, _ := json.Marshal(p.Sample())
		got := []string{strings.Join(p.Types(), " "), strings.Join(p.Items().Types(), " "), string(choices), string(sample)}
		for i, want := range []string{c.types, c.items, c.choices, c.sample} {
			if got[i] != want {
				t.Errorf("%s: %q, want %q", c.schema, got, want)
			}
		}
		if s := compiled(t, c.schema); len(s.External()) == 0 {
			if list, _ := s.Check(sample); list != nil {
				t.Errorf("%s does not allow its sample %s: %s", c.schema, sample, faults(list))
			}
		}
	}
	p := Read([]byte(`{"properties":{"z":{},"a":{"description":"of the union"}},"anyOf":[{"properties":{"k":{"type":"integer"}},"required":["k","z"]},
		{"properties":{"k":{"type":"string"}},"required":["k"]}],"additionalProperties":false,"patternProperties":{"^x-":{"type":"boolean"}}}`))
	k, known := p.Member("k")
	x, pattern := p.Member("x-1")
	_, other := p.Member("none")
	a, _ := p.Member("a")
	if !known || !pattern || other || strings.Join(k.Types(), " ") != "string integer" || strings.Join(x.Types(), " ") != "boolean" ||
		fmt.Sprint(p.Members(), p.Required(), p.Closed()) != "[z a k] [k] true" || a.About() != "of the union" {
		t.Error(k.Types(), x.Types(), other, p.Members(), p.Required(), p.Closed())
	}
}

// hostile are schemas that take a reader long who counts no steps: of one name that is required
// often, of references that double, of forms within forms, of long names and defaults.
func hostile() map[string]string {
	level := func(n int, before, after string) string {
		return strings.Repeat(before, n) + `{}` + strings.Repeat(after, n)
	}
	long := strings.Repeat("n", 200_000)
	var wide, doubles strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&wide, `"m%d":{},`, i)
	}
	for i := range 100 {
		fmt.Fprintf(&doubles, `"a%d":{"anyOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, i+1, i+1)
	}
	names := strings.TrimSuffix(strings.Repeat(`"a",`, 60), ",")
	return map[string]string{
		"one name often":  level(40, `{"type":"object","required":[`+names+`],"properties":{"a":`, `}}`),
		"two of itself":   `{"type":"object","required":["a","b"],"properties":{"a":{"$ref":"#"},"b":{"$ref":"#"}}}`,
		"forms in forms":  level(20_000, `{"anyOf":[`, `]}`),
		"doubles":         `{"$defs":{` + doubles.String() + `"a100":{"type":"string"}},"$ref":"#/$defs/a0","required":["a"]}`,
		"a long name":     `{"properties":{"` + long + `":{"properties":{` + strings.TrimSuffix(wide.String(), ",") + `}}}}`,
		"a long default":  `{"$defs":{"x":{"default":"` + long + `"}},"required":["` + strings.ReplaceAll(strings.Repeat("abcdefgh ", 2000), " ", `","`) + `z"],"additionalProperties":{"$ref":"#/$defs/x"}}`,
		"lists of itself": `{"type":"array","minItems":999999,"items":{"$ref":"#"}}`,
		"long text":       `{"type":"string","minLength":1000000000}`,
		"itself":          `{"$ref":"#","allOf":[{"$ref":"#"}],"oneOf":[{"$ref":"#"},{"$ref":"#"}]}`,
	}
}

// TestReadHostile: reading any schema ends after so many steps, and makes no value that is
// much longer than the schema.
func TestReadHostile(t *testing.T) {
	for name, raw := range hostile() {
		p := Read([]byte(raw))
		sample, err := json.Marshal(p.Sample())
		if err != nil || len(sample) > 4<<20 {
			t.Errorf("%s: a sample of %d bytes, %v", name, len(sample), err)
		}
		p.Members()
		p.Choices()
		p.Default()
		m, _ := p.Member("a")
		m.Types()
		p.Items().Types()
		if p.r != nil && p.r.steps > maxReading+1_000_000 {
			t.Errorf("%s: %d steps", name, p.r.steps)
		}
		held := 0
		if p.r != nil {
			for ptr := range p.r.s.nodes {
				held += len(ptr)
			}
		}
		if held > 50<<20 {
			t.Errorf("%s: %d bytes of pointers", name, held)
		}
	}
}

// TestCheckHostile: neither a long list of names nor faults below a long name take more than
// their share.
func TestCheckHostile(t *testing.T) {
	var names strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&names, `"n%d",`, i)
	}
	raw := `{"items":{"required":[` + names.String() + `"z"]},"additionalProperties":{"items":{"type":"string"}}}`
	for name, value := range map[string]string{
		"required of each": `[` + strings.Repeat(`{},`, 100_000) + `{}]`,
		"a long name":      `{"` + strings.Repeat("n", 1<<20) + `":[` + strings.Repeat(`1,`, 100_000) + `1]}`,
	} {
		s := compiled(t, raw)
		r := run{s: s}
		v, _ := wire.Value([]byte(value))
		r.check(s.root, v, nil, 0)
		if r.steps > maxSteps+200_000 {
			t.Errorf("%s: %d steps", name, r.steps)
		}
		held := 0
		for _, f := range r.faults {
			held += len(f.Path)
		}
		if held > 16<<20 {
			t.Errorf("%s: %d bytes of paths", name, held)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, raw := range hostile() {
		if len(raw) < 10_000 {
			f.Add([]byte(raw), "a")
		}
	}
	for _, s := range wordstest.JSON() {
		f.Add([]byte(`{"required":[`+s+`],"properties":{`+s+`:{"enum":[`+s+`]}}}`), "a")
	}
	f.Fuzz(func(t *testing.T, raw []byte, name string) {
		p := Read(raw)
		if _, err := json.Marshal(p.Sample()); err != nil {
			t.Error(err)
		}
		m, _ := p.Member(name)
		m.Is(name)
		for _, p := range []Place{p, m, p.Items()} {
			p.Types()
			p.Required()
			p.Members()
			p.Closed()
			p.Choices()
			p.About()
			if d := p.Default(); d != nil && !wire.Valid(d) {
				t.Errorf("%q", d)
			}
		}
	})
}
