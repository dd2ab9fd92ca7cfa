package mcp

import "testing"

const specSite = "https://modelcontextprotocol.io/specification/"

func TestSpecURL(t *testing.T) {
	for _, c := range []struct {
		cited string
		v     Version
		want  string
	}{
		{"2025-11-25 basic/lifecycle: Initialization", V20250618, "2025-06-18/basic/lifecycle#initialization"},
		{"2025-11-25 basic/lifecycle: Initialization", "", "2025-11-25/basic/lifecycle#initialization"},
		{"2025-11-25 basic/lifecycle: Initialization", "2031-01-01", "2025-11-25/basic/lifecycle#initialization"},
		{"2025-11-25 basic/transports: Session Management, 4", V20250326, "2025-03-26/basic/transports#session-management"},
		{"2025-11-25 basic/transports: Security Warning", V20260728, "2026-07-28/basic/transports/streamable-http"},
		{"2026-07-28 basic/transports/streamable-http: Receiving Messages", V20250326, "2025-03-26/basic/transports"},
		{"2025-11-25 basic/index: Requests", V20250618, "2025-06-18/basic#requests"},
		{"2025-11-25 basic/utilities/tasks: Task Status Lifecycle", V20250618, "2025-11-25/basic/utilities/tasks#task-status-lifecycle"},
		{"2026-07-28 server/utilities/caching: Cacheable Model", V20260728, "2026-07-28/server/utilities/caching#cacheable-model"},
		{"RFC 9110 15.5.6; 2025-11-25 basic/transports: Security Warning", "", "2025-11-25/basic/transports#security-warning"},
		{"2025-11-25 basic/transports: Streamable HTTP (one endpoint); RFC 9110 15.4", "", "2025-11-25/basic/transports#streamable-http"},
		{"2026-07-28 basic/transports/stdio: Shutdown; 2025-11-25 basic/lifecycle: Shutdown", V20251125, "2025-11-25/basic/lifecycle#shutdown"},
		{"2025-11-25 basic/transports: Session Management", V20241105, "2025-11-25/basic/transports#session-management"},
		{"2024-11-05 basic/transports: HTTP with SSE", V20250326, "2024-11-05/basic/transports#http-with-sse"},
	} {
		if got := SpecURL(c.cited, c.v); got != specSite+c.want {
			t.Errorf("SpecURL(%q, %q) = %q, want %q", c.cited, c.v, got, specSite+c.want)
		}
	}
	want := "https://modelcontextprotocol.io/seps/2640-skills-extension#the-acting-window-and-the-held-entry"
	if got := SpecURL("SEP-2640: The Acting Window and the Held Entry", Latest); got != want {
		t.Errorf("a section of a proposal is %q", got)
	}
	for _, cited := range []string{"", "None: a measurement", "SEP-9999: tasks/get", "WHATWG Fetch: CORS check", "<2025-11-25 ../../x>"} {
		if got := SpecURL(cited, Latest); got != "" {
			t.Errorf("SpecURL(%q) = %q", cited, got)
		}
	}
}
