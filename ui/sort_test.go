package ui

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/wire"
	"midwire/ui/internal/scenes"
	"midwire/ui/messages"
)

// rowsOnScreen are the numbers of the rows of the list, from the top.
func rowsOnScreen(d *driver) (out []uint64) {
	l := &d.m.list
	for _, id := range l.Visible[l.FirstIndex():min(l.FirstIndex()+l.Height, len(l.Visible))] {
		out = append(out, uint64(l.Rec.Tracker.Row(int(id)).Request))
	}
	return out
}

func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 160, 50)
		all := rowsOnScreen(d)
		d.press("[", "[", "o")
		d.want("Sort by", "the slowest first")
		d.press("l")
		d.want("sort latency ▾", "LATENC▾")
		if d.m.list.Selection != d.m.list.Visible[0] || d.m.list.FirstIndex() != 0 {
			t.Error("the slowest is not what one sees first")
		}
		if got := rowsOnScreen(d); !slices.Equal(got[:4], []uint64{12, 16, 10, 3}) {
			t.Errorf("the slowest first: %v", got)
		}
		d.press("o", "s")
		d.want("sort size ▾")
		d.press("o", "k", "enter")
		d.want("sort latency ▾")
		d.press("o", "t")
		d.wantNot("sort latency")
		if got := rowsOnScreen(d); !slices.Equal(got, all) {
			t.Errorf("by number again: %v, want %v", got, all)
		}
	})
}

// TestOrderGoesToTheTop: what was asked for is seen at once, and the order of time
// comes back to the same row; a filter goes together with an order.
func TestOrderGoesToTheTop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := having(live("p"), scenes.Pings(400))
		d := drive(t, s, Options{}, 120, 36)
		l := &d.m.list
		l.Pause()
		l.Go(200)
		l.Scroll(-3)
		for _, k := range []string{"l", "s"} {
			d.press("o", k)
			if l.SelectedIndex() != 0 || l.FirstIndex() != 0 || !l.Order.On {
				t.Errorf("after %s: at %d of %d", k, l.SelectedIndex(), l.FirstIndex())
			}
		}
		l.Choose(200)
		d.press("o", "t")
		if l.Selection != 200 || l.Order.On {
			t.Errorf("the order of time is at %d", l.Selection)
		}
		d.press("o", "l", "/")
		d.typed("id>100")
		d.press("esc", "/")
		d.typed("is:ok")
		d.press("enter")
		if !l.Order.On || len(l.Visible) != len(l.Order.Base) {
			t.Errorf("the filter ends the order: %d of %d", len(l.Visible), len(l.Order.Base))
		}
	})
}

// TestOrderIsASnapshot: live traffic does not move what is shown.
func TestOrderIsASnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		fs := scenes.Stdio()
		s.recs["files"] = fs
		r := Recording{ID: "files", Label: "files-server", Tap: "stdio", Live: true, Started: started()}
		s.ch <- Batch{Recordings: []Recording{r}, Frames: tagged("files", fs[:len(fs)-6])}
		d := drive(t, s, Options{}, 120, 36)
		d.press("o", "l", "g")
		before := rowsOnScreen(d)
		s.ch <- Batch{Frames: tagged("files", fs[len(fs)-6:])}
		d.send()
		d.want("+3 new (o)")
		if got := rowsOnScreen(d); !slices.Equal(got, before) {
			t.Errorf("rows moved: %v, were %v", got, before)
		}
		golden(t, "sorted-120x36", d.screen())
		d.press("o", "enter") // the same order, with what came
		d.want("sort latency")
		d.wantNot("new (o)")
		if len(d.m.list.Visible) != 15 {
			t.Errorf("%d rows", len(d.m.list.Visible))
		}
		d.press("o", "s")
		d.want("sort size")
	})
}

// orderMany: no single step of ordering a large list keeps the keys waiting.
func orderMany(t *testing.T, m *Model) {
	m.Update(keyPress("o"))
	m.Update(keyPress("l"))
	o := &m.list.Order
	steps := 0
	for ; o.Taking != nil && !o.Taking.Sent; steps++ {
		before := len(o.Taking.Keys)
		m.Update(messages.KeysMsg{})
		if n := len(o.Taking.Keys) - before; n > 50_000 { // each is a few comparisons
			t.Errorf("a step takes %d keys", n)
		}
	}
	if steps < 1 {
		t.Error("all keys were taken in one go")
	}
	m.Update(messages.Sorted(o.Taking.Keys, o.Gen))
	if !o.On || len(m.list.Visible) != 100_000 {
		t.Errorf("%d rows", len(m.list.Visible))
	}
	seen := make([]bool, 100_000)
	for i, id := range m.list.Visible {
		if seen[id] || m.list.Nearest(id) != i {
			t.Fatalf("row %d is at %d and %d", id, i, m.list.Nearest(id))
		}
		seen[id] = true
	}
}

// TestPlaces: from a call to what belongs to it, from a request to its answer,
// and back again.
func TestPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 160, 40)
		at := func(want string) {
			t.Helper()
			if got := string(d.m.selectionName()); got != want {
				t.Errorf("at %q, want %q", got, want)
			}
		}
		d.m.list.Pause()
		d.m.list.Go(7)
		at("#12 tools/call")
		d.press("%")
		at("#13 progress")
		d.press("%")
		at("#18 progress")
		d.press("%")
		at("#12 tools/call")
		d.press("'")
		at("#18 progress")
		d.press("backspace", "backspace")
		at("#12 tools/call")
		d.press("'")
		d.want("there is no earlier place")
		d.press("]", "]", "'", "'")
	})
}

// sessionFrames is a live HTTP tap with n sessions.
func sessionFrames(n int) []wire.Frame {
	var t scenes.Tape
	for i := range n {
		id := fmt.Sprintf("%08x-%04x", uint64(i)*2654435761, i)
		t.Post(uint32(i+1), "/mcp", "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"desk","version":"2"}}}`).
			Answer(1, "200 OK", "Mcp-Session-ID: "+id+"\r\n", `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"pages","version":"1"}}}`)
	}
	return t.Frames
}

func manySessions(t testing.TB, n int) *Model {
	fs := sessionFrames(n)
	m := New(newFakeSource(), Options{Now: fixedNow, rules: testRules()})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	m.Update(batchMsg{Batch: Batch{Recordings: []Recording{{
		ID: "h", Label: "pages",
		Tap: "http", Where: "127.0.0.1:7000 → http://x", Live: true, Started: started(),
	}}}})
	feedAll(m, "h", fs)
	if got := len(m.byID["h"].Tracker.Sessions()); got != n {
		t.Fatalf("%d sessions", got)
	}
	return m
}

// TestManySessions: the rows of thousands of sessions cost little while frames
// stream in.
func TestManySessions(t *testing.T) {
	m := manySessions(t, 3000)
	m.Update(keyPress("1"))
	if took := quickest(50, func() { m.home.Refresh(m) }); took > 20*time.Millisecond {
		t.Errorf("the rows are brought up to date in %v", took)
	}
	m.Update(keyPress("G"))
	m.Update(keyPress("/"))
	for _, k := range "00000bb7" { // the last one's number is in its id
		m.Update(keyPress(string(k)))
		m.View()
	}
}
