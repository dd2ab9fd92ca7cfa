package rules

import (
	"testing"

	"midwire/session/diagnose"
)

// TestListedBehindReferences: an argument that a reference or allOf names is one that the
// schema has.
func TestListedBehindReferences(t *testing.T) {
	tool := &diagnose.Tool{Input: []byte(`{"type":"object","$defs":{"Base":{"properties":{"path":{"type":"string"}},"required":["path"]}},
		"allOf":[{"$ref":"#/$defs/Base"}],"properties":{"lines":{"type":"integer"}}}`)}
	all := func(string) bool { return true }
	var j validators
	if name := j.unlisted(tool, []byte(`{"path":"a","lines":1}`), all); name != "" {
		t.Errorf("%q is not among its arguments", name)
	}
	if name := j.unlisted(tool, []byte(`{"path":"a","file":1}`), all); name != "file" {
		t.Errorf("%q is not among its arguments", name)
	}
}
