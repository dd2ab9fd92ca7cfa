package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"midwire/session/library/summary"
	"midwire/session/wire"
	"midwire/ui/internal/scenes"
)

// hubbed is a hub's flow: two clients who call the same tool with the same id at
// once, and the server of each.
func hubbed() *fakeSource {
	s := newFakeSource()
	give := func(id, side, session string, fs []wire.Frame) {
		s.give(Recording{ID: id, Label: id, Tap: "http", Flow: "f", Side: side, ClientSession: session, Live: true}, fs)
	}
	var t scenes.Tape
	for i, name := range []string{"one", "two"} {
		scenes.Session(&t, uint32(i+1), "s-"+name, "client-"+name, "1")
	}
	call := func(t *scenes.Tape, conn uint32, session, tool string) *scenes.Exchange {
		return t.Post(conn, "/mcp", "Mcp-Session-Id: "+session+"\r\n",
			fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, tool))
	}
	const result = `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"done"}]}}`
	a, b := call(t.At(1000), 1, "s-one", "shop_add_item"), call(&t, 2, "s-two", "shop_add_item")
	a.Answer(20, "200 OK", "", result)
	b.Answer(10, "200 OK", "", result)
	give("hub", "client", "", t.Frames)
	for i, name := range []string{"one", "two"} {
		var t scenes.Tape
		scenes.Session(&t, 1, "inner-"+name, "client-"+name, "1")
		call(t.At(int64(1002+i)), 1, "inner-"+name, "add_item").Answer(5, "200 OK", "", result)
		give("shop · "+name, "server", "s-"+name, t.Frames)
	}
	return s
}

// TestFollowACallThroughAHub: L goes from a client's call to the server's, which
// is that of the same session, and back; so does esc.
func TestFollowACallThroughAHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, hubbed(), Options{}, 120, 36)
		hub := d.m.rec("hub")
		for _, name := range []string{"one", "two"} {
			d.press("G")
			if name == "one" {
				d.press("k")
			}
			latency := map[string]string{"one": "20ms", "two": "30ms"}[name]
			d.want("in shop: #", "add_item, 5ms of "+latency, "L goes there")
			d.press("L")
			d.want("in hub: #", "shop_add_item, 5ms of "+latency)
			if got := d.m.list.Rec.ID; got != "shop · "+name {
				t.Errorf("L of client-%s went to %s", name, got)
			}
			before := len(d.m.history)
			d.press("esc")
			d.want("in shop: #")
			d.press("L", "L")
			if d.m.list.Rec != hub || len(d.m.history) != before-1 {
				t.Errorf("L twice is not where it was: %s, %d places", d.m.list.Rec.ID, len(d.m.history))
			}
		}
		d.press("enter", "L")
		if d.m.list.Rec == hub || d.m.focus != paneDetail {
			t.Error("L in the detail does not stay there")
		}
		d.press("esc", "esc")
		if d.m.list.Rec != hub {
			t.Error("esc does not come back")
		}
		d.press("g", "j", "L")
		d.want("in no other recording of a hub")
		d.press("esc", "1")
		if n := strings.Count(d.screen(), "└ pages 0.3"); n != 2 {
			t.Errorf("%d legs stand below their clients", n)
		}
	})
}

// TestHomeNestsLegs: the session with a server stands below that of its client in
// every order, as long as that is on the screen.
func TestHomeNestsLegs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		var recs []Recording
		sums := map[string]*summary.Recording{}
		give := func(id, flow, side, session string, ago time.Duration, all ...summary.Session) {
			recs = append(recs, Recording{
				ID: id, Label: id, Tap: "http", Flow: flow, Side: side, ClientSession: session, Started: started().Add(-ago),
			})
			sums[id] = &summary.Recording{Total: len(all), Sessions: all}
		}
		mine := func(client, server, id string, calls, errs int) summary.Session {
			one := aSession(client, calls, errs)
			one.ID, one.Server.Name = id, server
			return one
		}
		b := mine("bob", "the-hub", "s-b", 2, 0)
		b.Index = 1
		give("hub", "f", "client", "", time.Minute, mine("ann", "the-hub", "s-a", 5, 0), b)
		give("shop · a", "f", "server", "s-a", 20*time.Hour, mine("ann", "shop-a", "x", 1, 0))
		give("shop · b", "f", "server", "s-b", 2*time.Minute, mine("bob", "shop-b", "y", 9, 3))
		give("shared", "f", "server", "", 3*time.Minute, mine("carl", "shop-all", "z", 7, 0))
		s.ch <- Batch{Recordings: recs}
		s.ch <- Batch{Summaries: sums}
		d := drive(t, s, Options{Library: true}, 120, 36)
		order := func(want string) {
			t.Helper()
			var got []string
			for line := range strings.Lines(d.screen()) {
				for _, name := range []string{"the-hub", "shop-a ", "shop-b ", "shop-all "} {
					switch _, client, own := strings.Cut(line, "○ "); {
					case own && strings.Contains(client, "→ "+name):
						who := strings.TrimSpace(client[:strings.Index(client, " 1.4")])
						got = append(got, who+" "+strings.TrimSpace(name))
					case strings.Contains(line, "├ "+name), strings.Contains(line, "└ "+name):
						got = append(got, "└ "+strings.TrimSpace(name))
					}
				}
			}
			if text := strings.Join(got, ", "); text != want {
				t.Errorf("%s\nwant %s\n%s", text, want, d.screen())
			}
		}
		order("ann the-hub, └ shop-a, bob the-hub, └ shop-b, carl shop-all")
		d.press("z", "z") // by server
		order("ann the-hub, bob the-hub, bob shop-b, carl shop-all, ann shop-a")
		d.press("z")
		order("ann the-hub, └ shop-a, bob the-hub, └ shop-b, carl shop-all")
		d.press("/")
		d.typed("server:shop-b or client:ann")
		d.press("enter")
		order("ann the-hub, └ shop-a, bob shop-b")
	})
}
