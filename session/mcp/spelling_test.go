package mcp

import "testing"

func TestMisspelled(t *testing.T) {
	for _, one := range []struct {
		method, want string
		notification bool
	}{
		{"initialized", NotifyInitialized, true},
		{"notification/initialized", NotifyInitialized, true},
		{"Notifications/Cancelled", NotifyCancelled, true},
		{"notifications/tools/listChanged", NotifyToolsListChanged, true},
		{"tools.list", ToolsList, false},
		{"list_tools", ToolsList, false},
		{"ListToolsRequest", ToolsList, false},
		{"callTool", ToolsCall, false},
		{"mcp/resources/read", ResourcesRead, false},
		{"resource/read", ResourcesRead, false},
		{"logging/set_level", LogSetLevel, false},
		{ToolsList, "", false},
		{NotifyInitialized, "", true},
		{NotifyInitialized, "", false}, // as a request, it is spelled right
		{"tools/list", "", true},
		{"message", "", true},
		{"codex/event", "", true},
		{"tools/delete", "", false},
		{"", "", false},
	} {
		if got := Misspelled(one.method, one.notification); got != one.want {
			t.Errorf("%q, notification %v: %q, want %q", one.method, one.notification, got, one.want)
		}
	}
}
