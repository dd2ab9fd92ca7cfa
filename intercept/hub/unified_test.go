package hub_test

import (
	"testing"
)

// TestH11OneList: tools of local and remote servers are in one list, under the
// names of their servers, and otherwise as the servers say.
func TestH11OneList(t *testing.T) {
	r := start(t, []string{raw("one", ""), remote("two", sdkHTTP(t, "two", nil))}, nil)
	c := r.client("/mcp")
	hello := c.initialize()
	want(t, hello, `"protocolVersion":"2025-06-18"`, `"name":"midwire-hub"`, "raw instructions", `"listChanged":true`, `"logging":{}`)
	got := c.ask("tools/list", "{}")
	want(t, got, `{"name":"one_give","inputSchema":{"type":"object"},"_meta":{"n":9007199254740993}}`,
		`{"inputSchema":{"type":"object"},"name":"one_ask","x":1.0}`, `"two_echo"`)
	want(t, c.call("one_give", `{"n":9007199254740993,"x":1.0}`), `"name":"give","arguments":{"n":9007199254740993,"x":1.0}`)
	want(t, c.call("two_echo", `{"a":1}`), `two {\"a\":1}`)
	want(t, c.call("three_echo", `{}`), "no server has", "-32602")
}
