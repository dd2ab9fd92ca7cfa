package rules

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

// elsewhere are rules that stand in no page of the specification.
var elsewhere = map[string]bool{"midwire-defect": true, "gateway-slow": true}

// newer are sections that the version in force does not have: by rule, the version that
// its findings cite then.
var newer = map[string]string{
	"handle-missing": "2026-07-28", "handle-refused": "2026-07-28", "request-not-jsonrpc": "2025-11-25",
	"tool-name-unusual": "2025-11-25", "version-header-refused": "2025-11-25",
	"task-left": "2025-11-25", // tasks are an extension since, with a specification of their own
}

// TestSpecification holds that every rule cites the specification or a standard, and
// that findings link what was in force.
func TestSpecification(t *testing.T) {
	standard := regexp.MustCompile(`^(RFC \d|JSON-RPC 2|WHATWG )`)
	for _, r := range All() {
		spec := r.Help().Spec
		if mcp.SpecURL(spec, "") == "" && !standard.MatchString(spec) && !elsewhere[r.ID] {
			t.Errorf("%s cites %q, which is no section", r.ID, spec)
		}
	}
	files, _ := filepath.Glob("testdata/*/*.txt")
	linked := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, root := range check(t, string(text)) {
			root.Each(func(f *diagnose.Finding, _ int) {
				url := f.SpecURL()
				if url == "" || strings.Contains(url, "/seps/") || !f.ProtocolVersion.IsPublished() || f.ProtocolVersion < f.Rule.From {
					return // what is named is older than the transport in use
				}
				linked++
				if !strings.Contains(url, "/"+string(f.ProtocolVersion)+"/") &&
					(newer[f.Rule.ID] == "" || !strings.Contains(url, "/"+newer[f.Rule.ID]+"/")) {
					t.Errorf("%s: %s links %s, and %s is in force", file, f.Rule.ID, url, f.ProtocolVersion)
				}
			})
		}
	}
	if linked < 200 {
		t.Errorf("only %d findings have a link", linked)
	}
}
