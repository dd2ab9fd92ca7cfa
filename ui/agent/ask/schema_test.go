package ask

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"midwire/replay/checks"
	"midwire/session/export"
)

// shapes are what --json of each command prints, and the tools of the same name
// return.
var shapes = []struct {
	file, about string
	of          reflect.Type
}{
	{"ls", "midwire ls --json", reflect.TypeFor[[]export.Listed]()},
	{"check", "midwire check --json", reflect.TypeFor[[]export.Found]()},
	{"sessions", "midwire_sessions", reflect.TypeFor[SessionPage]()},
	{"diagnose", "midwire diagnose --json, midwire_diagnose", reflect.TypeFor[Diagnosis]()},
	{"explain", "midwire explain RULE --json, midwire_explain", reflect.TypeFor[Explanation]()},
	{"messages", "midwire show REC --json, midwire_messages", reflect.TypeFor[MessagePage]()},
	{"message", "midwire show REC FRAME --json, midwire_message", reflect.TypeFor[MessageText]()},
	{"search", "midwire search TEXT --json, midwire_search", reflect.TypeFor[Hits]()},
	{"wait", "midwire wait --json, midwire_wait", reflect.TypeFor[Waited]()},
	{"compare", "midwire diff A B --json, midwire_compare", reflect.TypeFor[Comparison]()},
	{"tools", "midwire tools REC --json, midwire_tools", reflect.TypeFor[ToolPage]()},
	{"replay", "midwire replay --json, midwire_replay", reflect.TypeFor[Replayed]()},
	{"test", "midwire test --format json", reflect.TypeFor[checks.Report]()},
}

// TestSchemas: docs/schemas says what the types say. UPDATE=1 writes it.
func TestSchemas(t *testing.T) {
	again := &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Ref: "#/items"}} // what follows from a finding
	for _, s := range shapes {
		opts := jsonschema.ForOptions{}
		if s.file == "check" {
			one, err := jsonschema.ForType(reflect.TypeFor[export.Found](), &jsonschema.ForOptions{
				TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[[]export.Found](): again},
			})
			if err != nil {
				t.Fatal(err)
			}
			opts.TypeSchemas = map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[export.Found](): one}
		}
		schema, err := jsonschema.ForType(s.of, &opts)
		if err != nil {
			t.Errorf("%s: %v", s.file, err)
			continue
		}
		open(schema)
		schema.Schema, schema.Title = "https://json-schema.org/draft/2020-12/schema", s.about
		if schema.Types != nil { // a list that has nothing is [], not null
			schema.Type, schema.Types = "array", nil
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetIndent("", "  ")
		if err := e.Encode(schema); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("..", "..", "..", "docs", "schemas", s.file+".json")
		if os.Getenv("UPDATE") != "" {
			err = os.WriteFile(path, b.Bytes(), 0o644)
		}
		if kept, err2 := os.ReadFile(path); err != nil || err2 != nil || !bytes.Equal(kept, b.Bytes()) {
			t.Errorf("%s is not what the types say: UPDATE=1 writes it. %v %v", path, err, err2)
		}
	}
}

// open lets objects have further members: later versions may add some.
func open(s *jsonschema.Schema) {
	if s.Properties != nil {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		open(p)
	}
	if s.Items != nil {
		open(s.Items)
	}
}
