package mcp_test

import (
	"encoding/json"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"
	"testing"

	"midwire/session/mcp"
)

// constants are the values that one file of this package defines.
func constants(t *testing.T, file string) []string {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Error: func(error) {}} // what is imported does not matter
	pkg, _ := conf.Check("mcp", fset, []*ast.File{f}, nil)
	var all []string
	for _, name := range pkg.Scope().Names() {
		switch c, _ := pkg.Scope().Lookup(name).(*types.Const); {
		case c == nil:
		case c.Val().Kind() == constant.String:
			all = append(all, constant.StringVal(c.Val()))
		default:
			all = append(all, c.Val().ExactString())
		}
	}
	if len(all) < 5 {
		t.Fatalf("%s: only %q", file, all)
	}
	return all
}

// published are the official schemas. See ../diagnose/schema/mcp/README.md.
func published(t *testing.T) map[mcp.Version]any {
	t.Helper()
	all := map[mcp.Version]any{}
	for _, v := range mcp.Versions() {
		raw, err := os.ReadFile("../diagnose/schema/mcp/" + string(v) + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var schema any
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatal(err)
		}
		all[v] = schema
	}
	return all
}

// walk calls yield with every member of every object in a value.
func walk(v any, yield func(name string, value any)) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			yield(name, value)
			walk(value, yield)
		}
	case []any:
		for _, value := range v {
			walk(value, yield)
		}
	}
}

// fixed is the only value that a member may have, by its schema.
func fixed(schema any) any {
	s, _ := schema.(map[string]any)
	return s["const"]
}

// TestMethods: the methods are those of the published schemas, and those of the
// tasks extension, which has none.
func TestMethods(t *testing.T) {
	want := map[string]bool{mcp.TasksUpdate: true, mcp.NotifyTasks: true, mcp.NotificationPrefix: true}
	for _, schema := range published(t) {
		walk(schema, func(name string, value any) {
			if method, ok := fixed(value).(string); ok && name == "method" {
				want[method] = true
			}
		})
	}
	got := constants(t, "methods.go")
	for method := range want {
		if !slices.Contains(got, method) {
			t.Errorf("%s is not known", method)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d methods, want %d: %q", len(got), len(want), got)
	}
}

// TestMeta: whatever key of its own a schema defines in _meta is known, and
// whatever is known is defined.
func TestMeta(t *testing.T) {
	n := 0
	for v, schema := range published(t) {
		walk(schema, func(name string, _ any) {
			if strings.HasPrefix(name, mcp.MetaPrefix) || name == mcp.MetaProgressToken {
				if n++; !mcp.IsMetaDefined([]byte(name)) {
					t.Errorf("%s: %s is not known", v, name)
				}
			}
		})
	}
	if n < 10 {
		t.Errorf("only %d keys found", n)
	}
	for _, key := range constants(t, "meta.go") {
		if want := key != mcp.MetaPrefix && key != mcp.ExtensionTasks; mcp.IsMetaDefined([]byte(key)) != want {
			t.Errorf("%s is defined: %v", key, !want)
		}
	}
	for _, key := range []string{"", "trace", mcp.MetaPrefix + "none", "openai/session"} {
		if mcp.IsMetaDefined([]byte(key)) {
			t.Errorf("%q is defined", key)
		}
	}
}

// TestCodes: the codes of errors that the schemas define are known.
func TestCodes(t *testing.T) {
	got, n := constants(t, "errors.go"), 0
	for v, schema := range published(t) {
		walk(schema, func(name string, value any) {
			if code, ok := fixed(value).(float64); ok && name == "code" {
				raw, _ := json.Marshal(code)
				if n++; !slices.Contains(got, string(raw)) {
					t.Errorf("%s: %s is not known", v, raw)
				}
			}
		})
	}
	if n < 9 {
		t.Errorf("only %d codes found", n)
	}
	for code, want := range map[int]string{
		mcp.CodeParseError: "parse error", mcp.CodeInvalidRequest: "invalid request", mcp.CodeMethodNotFound: "method not found",
		mcp.CodeInvalidParams: "invalid params", mcp.CodeInternalError: "internal error", mcp.CodeHeaderMismatch: "", 0: "", -1: "",
	} {
		if got := mcp.CodeName(code); got != want {
			t.Errorf("%d is called %q, want %q", code, got, want)
		}
	}
	for _, code := range []int{mcp.CodeHeaderMismatch, mcp.CodeMissingCapability, mcp.CodeUnsupportedVersion, mcp.CodeURLElicitation} {
		if code < mcp.CodesProtocolFrom || code > mcp.CodesProtocolTo {
			t.Errorf("%d is not in the protocol's range", code)
		}
	}
	for _, code := range []int{mcp.CodeResourceNotFound, mcp.CodeBadSession, mcp.CodeSessionNotFound} {
		if code < mcp.CodesLegacyFrom || code > mcp.CodesLegacyTo {
			t.Errorf("%d is not in the legacy range", code)
		}
	}
}

func TestVersions(t *testing.T) {
	all := mcp.Versions()
	if !slices.IsSorted(all) || all[len(all)-1] != mcp.Latest || !slices.Contains(all, mcp.LastHandshake) || !slices.Contains(all, mcp.FirstModern) {
		t.Errorf("%q", all)
	}
	for _, tt := range []struct {
		v                       mcp.Version
		published, modern, date bool
	}{
		{"", false, false, false},
		{"1.0", false, false, false},
		{mcp.V20241007, false, false, true},
		{mcp.V20241105, true, false, true},
		{mcp.V20250326, true, false, true},
		{mcp.V20250618, true, false, true},
		{mcp.V20251125, true, false, true},
		{"2026-07-27", false, false, true},
		{mcp.V20260728, true, true, true},
		{"2027-01-01", false, true, true},
		{"2026-07-281", false, true, false},
		{"2026/07/28", false, true, false},
		{"20260-7-28", false, true, false},
		{"2026-07-2x", false, true, false},
		{"draft", false, true, false},
	} {
		if tt.v.IsPublished() != tt.published || tt.v.IsModern() != tt.modern || tt.v.IsDate() != tt.date {
			t.Errorf("%q: published %v, modern %v, a date %v", tt.v, tt.v.IsPublished(), tt.v.IsModern(), tt.v.IsDate())
		}
	}
	if mcp.Version("") >= mcp.V20241007 || mcp.LastHandshake.IsModern() || !mcp.FirstModern.IsModern() {
		t.Error("the order is wrong")
	}
}

func TestTargets(t *testing.T) {
	for _, tt := range []struct {
		method, target, header string
	}{
		{mcp.ToolsCall, "name", "name"},
		{mcp.PromptsGet, "name", "name"},
		{mcp.ResourcesRead, "uri", "uri"},
		{mcp.ResourcesSubscribe, "uri", ""},
		{mcp.ResourcesUnsubscribe, "uri", ""},
		{mcp.TasksGet, "taskId", "taskId"},
		{mcp.TasksUpdate, "taskId", "taskId"},
		{mcp.TasksCancel, "taskId", "taskId"},
		{mcp.TasksResult, "taskId", ""},
		{mcp.TasksList, "", ""},
		{mcp.ToolsList, "", ""},
		{mcp.Initialize, "", ""},
		{"", "", ""},
	} {
		if mcp.Target(tt.method) != tt.target || mcp.NameParam(tt.method) != tt.header {
			t.Errorf("%s: %q, %q", tt.method, mcp.Target(tt.method), mcp.NameParam(tt.method))
		}
	}
}
