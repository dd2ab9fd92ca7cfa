package hub_test

import (
	"testing"

	"midwire/session/mcp"
	"midwire/session/record"
)

// TestLegsNameTheirSession: the recording of a leg to a server says whose session it
// belongs to; that of the client's leg, and of what clients share, says nothing.
func TestLegsNameTheirSession(t *testing.T) {
	r := start(t, []string{raw("one", ""), remote("two", sdkHTTP(t, "two", nil))}, nil)
	want := map[string]int{"": 0}
	for range 2 {
		c := r.client("/mcp")
		c.initialize()
		want[c.header.Get(mcp.HeaderSessionID)] = 2
	}
	r.stop()
	entries, err := record.List(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, e := range entries {
		if e.Header.ClientSession != "" {
			got[e.Header.ClientSession]++
			if e.Header.Side != "server" {
				t.Errorf("%+v", e.Header)
			}
		}
	}
	for id, n := range want {
		if got[id] != n {
			t.Errorf("%d legs of session %q, want %d: %v", got[id], id, n, got)
		}
	}
	if len(got) != 2 {
		t.Errorf("sessions of legs: %v", got)
	}
}

// TestSharedLegsNameNone: clients of 2026-07-28 have no sessions, and share servers.
func TestSharedLegsNameNone(t *testing.T) {
	r := start(t, []string{raw("one", "")}, nil)
	r.modern("/mcp").request("1", mcp.ToolsList, "", "")
	r.stop()
	entries, err := record.List(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	legs := 0
	for _, e := range entries {
		if e.Header.Side == "server" {
			legs++
		}
		if e.Header.ClientSession != "" {
			t.Errorf("%+v", e.Header)
		}
	}
	if legs != 1 {
		t.Errorf("%d legs", legs)
	}
}
