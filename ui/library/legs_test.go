package library

import (
	"fmt"
	"testing"
	"time"

	"midwire/session/wire"
	"midwire/ui/internal/scenes"
)

// TestLegOfSharedServers: where clients share a server ids are others, and a call
// is found by its time and tool when only one can be it.
func TestLegOfSharedServers(t *testing.T) {
	call := func(t *scenes.Tape, at, took int64, id int, tool string) {
		t.At(at).Line(wire.ToServer, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, id, tool)
		t.At(at+took).Line(wire.ToClient, `{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, id)
	}
	var out, in scenes.Tape
	call(&out, 100, 50, 1, "shop_add")  // #1
	call(&in, 110, 10, 901, "add")      // #1
	call(&out, 1000, 50, 2, "shop_add") // #3: two can be it
	call(&in, 1010, 5, 902, "add")
	call(&in, 1020, 5, 903, "add")
	call(&out, 2000, 50, 3, "shop_add") // #5: the id says which
	call(&in, 2010, 5, 904, "add")
	call(&in, 2020, 5, 3, "add")        // #9
	call(&out, 3000, 50, 4, "shop_add") // #7: another tool, and too late
	call(&in, 3010, 5, 4, "remove")
	call(&in, 3900, 5, 4, "add")
	var parts []*Recording
	for i, fs := range [][]wire.Frame{out.Frames, in.Frames} {
		r := New(wire.Recording{ID: fmt.Sprint("part", i), Label: "a", Started: time.Unix(1e9, 0)}, nil)
		for k := range fs {
			r.Apply(&fs[k])
		}
		r.Loading = 1
		parts = append(parts, r)
	}
	hub, shop := parts[0], parts[1]
	if LegOf(parts, hub, 0).Rec != nil {
		t.Error("recordings of no hub")
	}
	hub.Flow, hub.Side, shop.Flow, shop.Side = "f", "client", "f", "server"
	shop.Started = shop.Started.Add(-time.Second) // its clock began earlier
	for i := range in.Frames {
		shop.Frames[i].T += 1e9
	}
	for i := range shop.Tracker.Rows() {
		row := shop.Tracker.Row(i)
		row.T, row.End = row.T+1e9, row.End+1e9
	}
	leg := func(of *Recording, n uint64) string {
		l := LegOf(parts, of, of.RowAt(n))
		if l.Rec == nil {
			return ""
		}
		name, target := l.Names()
		return fmt.Sprintf("%s #%d %s %d of %d", name, l.Frame(), target, l.Inner/1e6, l.Outer/1e6)
	}
	for n, want := range map[uint64]string{1: "a #1 add 10 of 50", 3: "", 5: "a #9 add 5 of 50", 7: ""} {
		if got := leg(hub, n); got != want {
			t.Errorf("#%d of the hub: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[uint64]string{1: "a #1 shop_add 10 of 50", 9: "a #5 shop_add 5 of 50", 13: ""} {
		if got := leg(shop, n); got != want {
			t.Errorf("#%d of the server: %q, want %q", n, got, want)
		}
	}
	shop.ClientSession = "s"
	if got := leg(hub, 1) + leg(hub, 5); got != "" {
		t.Errorf("of another session: %q", got)
	}
}
