package schema

import (
	"strings"
	"testing"
)

// TestHeaders: arguments that are repeated in headers are found at any depth, and what is at a
// place that is no single argument is not valid.
func TestHeaders(t *testing.T) {
	const input = `{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},
		"where":{"type":"object","properties":{"city":{"type":["string","null"],"x-mcp-header":"City"}}},
		"again":{"type":"integer","x-mcp-header":"REGION"},
		"spaced":{"type":"string","x-mcp-header":"a b"},
		"many":{"type":"array","items":{"properties":{"one":{"type":"string","x-mcp-header":"One"}}}},
		"whole":{"type":"object","x-mcp-header":"Whole"}}}`
	want := []string{
		"Region region ", "City where.city ", "REGION again occurs twice", "a b spaced is not a valid header name",
		"One many.one is at a place", "Whole whole is at a property",
	}
	got := Headers([]byte(input))
	if len(got) != len(want) {
		t.Fatalf("%v", got)
	}
	for i, h := range got {
		if s := h.Name + " " + strings.Join(h.Path, ".") + " " + h.Bad; !strings.HasPrefix(s, want[i]) || (h.Bad == "") != strings.HasSuffix(want[i], " ") {
			t.Errorf("%q, want %q", s, want[i])
		}
	}
}
