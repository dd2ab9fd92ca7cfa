package call

import (
	"encoding/json"
	"strings"
	"testing"
)

const plain = `{"properties":{"q":{"type":"string"},"n":{"type":"integer"},"f":{"type":"number"},"b":{"type":"boolean"},
"tags":{"type":"array","items":{"type":"string"}},"o":{"type":"object"},"either":{"anyOf":[{"type":"integer"},{"type":"string"}]},
"maybe":{"type":["integer","null"]},"any":{}}}`

// generated is a schema as Pydantic and converters of OpenAPI write them.
const generated = `{"$defs":{"Level":{"type":"integer","enum":[1,2,3]},"Ids":{"type":"array","items":{"$ref":"#/$defs/Id"}},"Id":{"type":"integer"},
"Size":{"enum":["s","m"],"type":"string"}},"required":["level"],"properties":{"level":{"$ref":"#/$defs/Level"},"ids":{"anyOf":[{"$ref":"#/$defs/Ids"},{"type":"null"}]},
"when":{"anyOf":[{"$ref":"#/$defs/Id"},{"type":"null"}]},"mode":{"const":2},"either":{"type":["string","array"],"items":{"type":"string"}}},
"allOf":[{"properties":{"size":{"allOf":[{"$ref":"#/$defs/Size"}]},"wide":{"type":["integer","null"]}}}]}`

// TestGenerated: types are seen behind references, combinations, lists of types and const.
func TestGenerated(t *testing.T) {
	for words, want := range map[string]string{
		"level=2":                      `{"level":2}`,
		"ids=5 ids=6":                  `{"ids":[5,6]}`,
		"ids=[7]":                      `{"ids":[7]}`,
		"ids=null when=null wide=null": `{"ids":null,"when":null,"wide":null}`,
		"when=3 mode=2 size=s wide=4":  `{"mode":2,"size":"s","when":3,"wide":4}`,
		"either=a":                     `{"either":"a"}`,
		"either=a either=b":            `{"either":["a","b"]}`,
		"level=9":                      "level is one of [1,2,3] by the schema of the tool, not \"9\"",
		"when=soon":                    "when is integer or null by the schema of the tool, not \"soon\"",
	} {
		var all []Argument
		for word := range strings.FieldsSeq(words) {
			a, err := ParseArgument(word)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, a)
		}
		m, err := Arguments([]byte(generated), all)
		got, _ := json.Marshal(m)
		if err != nil {
			got = []byte(err.Error())
		}
		if string(got) != want {
			t.Errorf("%s: %s, want %s", words, got, want)
		}
	}
	want := "t(level integer, ids? array|null, when? integer|null, mode? integer, either? array|string, size? string, wide? integer|null)"
	if got := Signature([]byte(`{"name":"t","inputSchema":` + generated + `}`)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestArgumentsOfALongSchema: a schema of forms within forms is read in so many steps.
func TestArgumentsOfALongSchema(t *testing.T) {
	deep := strings.Repeat(`{"anyOf":[{"type":"null"},`, 12_000) + `{"type":"integer"}` + strings.Repeat(`]}`, 12_000)
	for _, raw := range []string{`{"properties":{"a":` + deep + `}}`, `{"properties":{"a":{"type":"array","items":` + deep + `}}}`} {
		Signature([]byte(`{"name":"t","inputSchema":` + raw + `}`))
		if _, err := Arguments([]byte(raw), []Argument{{Name: "a", Value: "5"}}); err != nil {
			t.Error(err)
		}
	}
}

func TestArguments(t *testing.T) {
	for words, want := range map[string]string{
		"q=5 n=5 f=1.5 b=true":               `{"b":true,"f":1.5,"n":5,"q":"5"}`,
		"tags=a tags=b":                      `{"tags":["a","b"]}`,
		`tags=["x"] o={"a":1}`:               `{"o":{"a":1},"tags":["x"]}`,
		"either=5 maybe=null any=5 new=x":    `{"any":"5","either":5,"maybe":null,"new":"x"}`,
		"either=five n:=1e3 q:=[1] old=gone": `{"either":"five","n":1e3,"old":"gone","q":[1]}`,
		"q=a=b q=":                           `{"q":""}`,
		"n=1.5":                              "!n is integer by the schema of the tool, not \"1.5\"",
		"b=yes":                              "!b is boolean",
		"o=text":                             "!o is object",
		"n":                                  "!an argument is name=text",
		"=x":                                 "!an argument is name=text",
		"o:={":                               "!o:= takes JSON",
	} {
		var all []Argument
		var err error
		for word := range strings.FieldsSeq(words) {
			var a Argument
			if a, err = ParseArgument(word); err != nil {
				break
			}
			all = append(all, a)
		}
		var got string
		if err == nil {
			var m map[string]json.RawMessage
			if m, err = Arguments([]byte(plain), all); err == nil {
				text, _ := json.Marshal(m)
				got = string(text)
			}
		}
		if err != nil {
			got = "!" + err.Error()
		}
		if got != want && (want[0] != '!' || !strings.HasPrefix(got, want)) {
			t.Errorf("%s: %s, want %s", words, got, want)
		}
	}
}

// TestFill: what a call refers to is filled in and known, so that no recording has it.
func TestFill(t *testing.T) {
	arguments := func() map[string]json.RawMessage {
		return map[string]json.RawMessage{
			"api_key": json.RawMessage(`"${KEY}"`), "q": json.RawMessage(`{"deep":"a ${KEY} b"}`),
		}
	}
	some := arguments()
	names, secrets, err := Fill(some, func(string) string { return `se"cret` })
	if err != nil || len(names) != 2 || len(secrets) != 2 || !strings.Contains(string(some["q"]), `"a se\"cret b"`) {
		t.Errorf("%v %v %v %s", names, secrets, err, some["q"])
	}
	if _, _, err := Fill(arguments(), func(string) string { return "" }); err == nil {
		t.Error("a variable that is not set is sent as nothing")
	}
}

func TestRead(t *testing.T) {
	for result, want := range map[string]string{
		`{"content":[{"type":"text","text":"a\nb"},{"type":"image","mimeType":"image/png","data":"QUJD"}]}`: "a\nb\n[image image/png 3 bytes]",
		`{"structuredContent":{"a":1}}`: `{"a":1}`,
		`{"content":[{"type":"resource","resource":{"uri":"x:y","text":"t"}},{"type":"resource_link","uri":"u:v"},{}],"isError":true}`: "t\n[link u:v]\n[  0 bytes]",
	} {
		if got := Read([]byte(result)); got.Text != want {
			t.Errorf("%s: %q, want %q", result, got.Text, want)
		}
	}
}

func FuzzCall(f *testing.F) {
	f.Add([]byte(plain), "n=5")
	f.Add([]byte(`{"inputSchema":{"properties":{"a":{"anyOf":[{"anyOf":[{"type":"x"}]}]}}},"content":[{"type":"text"}]}`), "a:=1")
	f.Fuzz(func(t *testing.T, raw []byte, word string) {
		Read(raw)
		Signature(raw)
		a, err := ParseArgument(word)
		if err != nil {
			return
		}
		out, err := Arguments(raw, []Argument{a})
		if err != nil {
			return
		}
		if _, err := json.Marshal(out); err != nil {
			t.Errorf("%q: %v", word, err)
		}
	})
}
