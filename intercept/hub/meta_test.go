package hub_test

import (
	"fmt"
	"strings"
	"testing"

	"midwire/session/diagnose/rules"
	"midwire/session/library"
	"midwire/session/mcp"
	"midwire/session/record"
)

// TestN1MetaWhole: _meta passes in both directions as the bytes that it is:
// numbers, order and escapes.
func TestN1MetaWhole(t *testing.T) {
	r := start(t, []string{raw("one", "")}, nil)
	for path, tool := range map[string]string{"/mcp": "one_give", "/one/mcp": "give", "/mcp/one": "give"} {
		c := r.client(path)
		c.initialize()
		meta := `{"z":9007199254740993,"a":1.0,"session_id":"test123","e":"\u00e9\/<","deep":{"n":1e400, "s": [ 1 ]}}`
		got := c.ask("tools/call", fmt.Sprintf(`{"_meta":%s,"name":%q,"arguments":{}}`, meta, tool))
		want(t, got, `"_meta":`+meta, `"name":"give"`, `"_meta":{"big":9007199254740993,"one":1.0,"e":"\u00e9"}`)
	}
}

// TestN2ThreePlaces: the id of a session is known in the query, the header and
// _meta, and which it was is shown.
func TestN2ThreePlaces(t *testing.T) {
	r := start(t, []string{raw("one", "")}, nil)
	c := r.client("/mcp")
	c.initialize()
	id := c.header.Get(mcp.HeaderSessionID)
	c.call("one_give", "{}")
	c.header.Del(mcp.HeaderSessionID)
	c.path = "/mcp?session_id=" + id
	want(t, c.call("one_give", "{}"), `"result"`)
	c.path = "/mcp"
	want(t, c.ask("tools/call", fmt.Sprintf(`{"name":"one_give","_meta":{"session_id":%q}}`, id)), `"result"`)
	_, text := c.send("GET", "/session/"+id, "")
	want(t, get(string(text), "sessionIdFrom"), `"header":`, `"query":1`, `"_meta":1`)
	c.path = "/mcp?session_id=unknown"
	if resp, _ := c.send("POST", c.path, `{"jsonrpc":"2.0","id":1,"method":"ping"}`); resp.StatusCode != 404 {
		t.Errorf("%s", resp.Status)
	}
}

// TestN3SameIDTwice: two requests with a session_id of the client's own arrive
// with it. TestN4: without _meta none is added. N5: further members arrive. N6: any
// text will do.
func TestN3ToN6ClientDecides(t *testing.T) {
	r := start(t, []string{raw("one", "")}, nil)
	c := r.client("/mcp")
	c.initialize()
	for range 2 { // N3
		want(t, c.ask("tools/call", `{"name":"one_give","_meta":{"session_id":"test123"}}`), `"_meta":{"session_id":"test123"}`)
	}
	if got := get(c.ask("tools/call", `{"name":"one_give","arguments":{}}`), "result", "given"); got != `{"name":"give","arguments":{}}` { // N4
		t.Errorf("%s", got)
	}
	want(t, c.ask("tools/call", `{"name":"one_give","_meta":{"custom_field":"x","session_id":"s"}}`), `"_meta":{"custom_field":"x","session_id":"s"}`) // N5
	for _, id := range []string{`""`, `"../../etc"`, `"Ж\u0000"`, `17`, `null`, `{"a":1}`} {                                                           // N6
		want(t, c.ask("tools/call", `{"name":"one_give","_meta":{"session_id":`+id+`}}`), `"_meta":{"session_id":`+id+`}`)
	}
	if strings.Contains(r.log.String(), "test123") {
		t.Error("ids of clients are in the log")
	}
}

// TestN7BothSidesCompared: the recordings of both sides show whether something of
// _meta was lost; of this hub nothing is.
func TestN7BothSidesCompared(t *testing.T) {
	r := start(t, []string{raw("one", ""), remote("two", sdkHTTP(t, "two", nil))}, nil)
	c := r.client("/mcp")
	c.initialize()
	c.ask("tools/list", "{}")
	for i := range 20 {
		c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"one_give","arguments":{"i":%d},"_meta":{"session_id":"s","i":%d}}}`, i+10, i, i))
		c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"two_echo","arguments":{"i":%d},"_meta":{"session_id":"s","i":%d}}}`, i+50, i, i))
	}
	c.send("DELETE", "/mcp", "")
	r.stop()
	files, err := record.OfFlow(r.dir, "hub")
	if err != nil || len(files) < 3 {
		t.Fatalf("%v %v", files, err)
	}
	checked, err := library.Check(files, rules.All())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range checked {
		for _, found := range f.Findings {
			if strings.HasPrefix(string(found.Rule.ID), "gateway-") {
				t.Errorf("%s: %s", found.Rule.ID, found.Message)
			}
		}
	}
}
