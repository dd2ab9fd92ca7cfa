package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"midwire/session/wire"
	"midwire/ui/internal/scenes"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/term"
)

// workbench is the traffic of some clients through one HTTP tap, rounds calls of
// each; the second forgets its session id.
func workbench(clients, rounds int) []wire.Frame {
	var t scenes.Tape
	names := []string{"claude-code", "my-agent", "goose", "VS Code", "ci-bot", "cursor-vscode", "zed"}
	name := func(i int) string { return names[i%len(names)] }
	id := func(i int) string { return fmt.Sprintf("Mcp-Session-Id: %08x%08x\r\n", i+1, 77*(i+1)) }
	for i := range clients {
		conn := uint32(i + 1)
		t.At(int64(20*i)).Post(conn, "/mcp", "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"`+name(i)+`","version":"1.0"}}}`).
			Answer(9, "200 OK", id(i), `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"workbench","version":"2.1.0"}}}`)
	}
	tools := []string{`"search","arguments":{"q":"auth"}`, `"list_dir","arguments":{"q":"."}`, `"read_in_workspace","arguments":{"path":"src/b.go"}`}
	for r := range rounds {
		for i := range clients {
			conn := uint32(i + 1)
			t.At(int64(200 + 300*r + 40*i))
			ask := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s}}`, r+1, tools[(r+i)%3])
			if i == 1 && r > 0 {
				t.Post(conn, "/mcp", id(i), ask).
					Answer(1, "400 Bad Request", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"Server not initialized"}}`, r+1))
				continue
			}
			took := int64(2)
			if r == rounds-1 {
				took = 30
			}
			t.Post(conn, "/mcp", id(i), ask).
				Answer(took, "200 OK", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%d hits"}]}}`, r+1, r+10))
		}
	}
	return t.Frames
}

func several(t testing.TB, opts Options, clients, rounds, w, h int) *driver {
	s := having(Recording{ID: "w", Label: "workbench", Tap: "http", Where: "127.0.0.1:7000 → http://localhost:3000", Live: true}, workbench(clients, rounds))
	d := drive(t, s, opts, w, h)
	d.press("k")
	return d
}

func TestSeveralSessionsScreens(t *testing.T) {
	for name, keys := range map[string]string{
		"several": "", "grouped": "z g h J J h", "several-sort": "o", "several-columns": "C space",
		"several-nothing": "/ n o n e enter",
	} {
		screens(t, name, func(t *testing.T, w, h int) *driver {
			d := several(t, Options{}, 7, 12, w, h)
			d.press(strings.Fields(keys)...)
			return d
		})
	}
	for name, opts := range map[string]Options{
		"light": {Theme: "light"}, "nocolor": {NoColor: true}, "ascii": {NoColor: true, ASCII: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			golden(t, "look-several-"+name, several(t, opts, 6, 12, 120, 36).colours())
		})
	}
}

// TestSessionsFromTheList: one session after the other, one alone, all again, and
// the selection stays where it was.
func TestSessionsFromTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := several(t, Options{}, 3, 12, 120, 36)
		l := &d.m.list
		at := l.Chosen()
		for k := 1; k <= 3; k++ {
			if d.press("J"); l.Chosen() != (at+k)%3 {
				t.Errorf("J goes to session %d", l.Chosen())
			}
		}
		if d.press("K"); l.Chosen() != (at+2)%3 {
			t.Errorf("K goes to session %d", l.Chosen())
		}
		chosen, id := l.Chosen(), l.Selection
		d.press("i")
		d.want("took ", string(l.Rec.SessionName(chosen)))
		if l.Session != chosen || l.Selection != id {
			t.Errorf("i shows session %d at %d", l.Session, l.Selection)
		}
		if d.press("J"); l.Session != (chosen+1)%3 {
			t.Errorf("J alone shows session %d", l.Session)
		}
		d.press("K", "i")
		if l.Session != library.AllSessions || l.Chosen() != chosen {
			t.Errorf("i again shows %d", l.Session)
		}
		d.press("i", "i")
		d.want("Timeline")
		r := d.m.layout.Lifecycle
		d.send(tea.MouseClickMsg{X: r.X + 4, Y: r.Y + 1, Button: tea.MouseLeft})
		if l.Chosen() != 0 {
			t.Errorf("a click on the first lane chooses %d", l.Chosen())
		}
		d.send(tea.MouseClickMsg{X: r.X + 4, Y: r.Y + 1, Button: tea.MouseLeft})
		if l.Session != 0 {
			t.Errorf("a second click shows %d", l.Session)
		}
	})
}

func TestGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := several(t, Options{}, 3, 30, 120, 36)
		l := &d.m.list
		l.Choose(20)
		d.press("z")
		if id, ok := l.Selected(); !ok || id != 20 || l.ByTime() {
			t.Errorf("the selection went to %d", id)
		}
		d.want("group session")
		var seen []uint32
		for i := range l.Lines() {
			if at := l.LineAt(i); !at.Heading {
				seen = append(seen, at.ID)
			}
		}
		if slices.Sort(seen); !slices.Equal(seen, l.Visible) {
			t.Errorf("%d rows of %d", len(seen), len(l.Visible))
		}
		lines := l.Lines()
		d.press("h")
		if _, ok := l.Selected(); ok || l.Lines() >= lines {
			t.Errorf("nothing was folded: %d lines of %d", l.Lines(), lines)
		}
		d.want("▸ ▌")
		d.press("enter")
		if l.Lines() != lines {
			t.Errorf("enter on a heading leaves %d lines of %d", l.Lines(), lines)
		}
		d.press("enter", "]")
		if id, ok := l.Selected(); !ok || l.Rec.Tracker.Row(int(id)).Session < 0 {
			t.Error("the next problem is in a folded group and was not shown")
		}
		d.press("e")
		d.want(" of ", "/is:error or is:lost")
		for range 40 {
			d.press("j")
		}
		d.press("e")
		d.wantNot("is:lost")
		id := l.Selection
		d.press("z")
		if l.Selection != id || !l.ByTime() || l.Lines() != len(l.Visible) {
			t.Errorf("back in time at %d, not %d", l.Selection, id)
		}
		d.press("z", "o", "l")
		d.wantNot("group session")
		d.want("sort latency")
	})
}

// TestGroupsOfLiveTraffic: what comes goes into its section and moves nothing.
func TestGroupsOfLiveTraffic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		fs := workbench(3, 30)
		s.recs["w"] = fs
		s.ch <- Batch{Recordings: []Recording{{ID: "w", Label: "w", Tap: "http", Live: true, Started: started()}}, Frames: tagged("w", fs[:200])}
		d := drive(t, s, Options{}, 120, 36)
		d.press("z", "g", "j", "j")
		id, line := d.m.list.Selection, d.m.list.SelectedLine()-d.m.list.FirstIndex()
		s.ch <- Batch{Frames: tagged("w", fs[200:])}
		d.send()
		l := &d.m.list
		if l.Selection != id || l.SelectedLine()-l.FirstIndex() != line {
			t.Error("the list moved under the cursor")
		}
		if l.Lines() != len(l.Visible)+3 {
			t.Errorf("%d lines for %d rows of 3 sessions", l.Lines(), len(l.Visible))
		}
	})
}

func TestOnlyWhatFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := several(t, Options{}, 3, 12, 120, 36)
		d.press("/")
		d.typed("tool:search")
		d.press("enter", "e")
		d.want("(tool:search) (is:error or is:lost)")
		d.press("e")
		d.want(" /tool:search ")
		d.wantNot("is:error")
	})
}

// TestNumbersAreNeverCut: every reference on the screen is such a number.
func TestNumbersAreNeverCut(t *testing.T) {
	for _, last := range []uint64{9, 99, 522, 1999, 65_000, 1_000_000, 88_000_000} {
		for w := 40; w <= 220; w++ {
			p := messages.Plan{Width: w, Last: last, Time: 7, Names: 13, Widths: library.Widths{Tool: 17, Arguments: 20}}
			th, sg := term.Coloured(true), term.Unicode()
			c := messages.LayColumns(&library.Scene{Screen: term.Screen{Theme: &th, Glyphs: &sg, Width: w}}, &p)
			if n := c.Cells(0); n < len(fmt.Sprint(last)) {
				t.Fatalf("%d has %d cells in a list of %d", last, n, w)
			}
		}
	}
	synctest.Test(t, func(t *testing.T) {
		for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 36}, {40, 8}} {
			d := several(t, Options{}, 4, 40, size[0], size[1])
			last := fmt.Sprint(d.m.list.Rec.Tracker.Row(d.m.list.Total() - 1).Request)
			d.press("G")
			d.want(" " + last + " ")
		}
	})
}

// TestFilterLightsOnlyWhatWasSaid: names of columns and sessions are ours.
func TestFilterLightsOnlyWhatWasSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := several(t, Options{}, 3, 6, 120, 36)
		d.press("/")
		d.typed("se")
		d.press("enter")
		hit := "\x1b[0;1" + string(d.m.theme.Hit) + "mse\x1b"
		lit := 0
		for line := range strings.Lines(d.m.View().Content) {
			n := strings.Count(line, string(d.m.theme.Hit)+"m")
			lit += strings.Count(line, hit)
			if plain := ansi.Strip(line); n > 0 && strings.Contains(plain, "│▌") && n > strings.Count(strings.ToLower(plain[40:]), "se") {
				t.Errorf("%d places are lit in %q", n, plain)
			}
		}
		if lit == 0 {
			t.Error("the search is not lit in the rows")
		}
	})
}

// TestJoinedEmoji is one sign, whose width every terminal knows.
func TestJoinedEmoji(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tape scenes.Tape
		tape.Line(wire.ToServer, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who","arguments":{"q":"👨‍👩‍👧"}}}`)
		tape.Line(wire.ToClient, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a 👨‍👩‍👧 family"}]}}`)
		s := having(live("p"), tape.Frames)
		d := drive(t, s, Options{}, 120, 36)
		d.want("a 👨… family", `q="👨…"`)
		for line := range strings.Lines(d.screen()) {
			if strings.Contains(line, "who") && strings.Contains(line, "│▌") && strings.Contains(line, `\u200d`) {
				t.Errorf("the joiner is shown: %s", line)
			}
		}
	})
}

// TestRowsToCome: while a recording is read, what is still to come has its place.
func TestRowsToCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		fs := workbench(3, 4)
		s.recs["old"] = fs[:30]
		s.ch <- Batch{Recordings: []Recording{{ID: "old", Label: "pages", Tap: "http", Where: "x", Started: started()}}}
		d := drive(t, s, Options{}, 120, 36)
		d.press("enter")
		s.ch <- Batch{Loading: map[string]float64{"old": 0.4}}
		d.send()
		d.want("read 40%", "··········", "ARGUMENTS")
		d.wantNot("oading")
		s.ch <- Batch{Frames: tagged("old", fs[30:]), Loading: map[string]float64{"old": 1}}
		d.send()
		d.wantNot("read 40%", "····")
	})
}

// TestRoomyListsSayMore: status and size have columns where there is room for them.
func TestRoomyListsSayMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		several(t, Options{}, 3, 4, 140, 36).wantNot("HTTP  ", "SIZE")
		several(t, Options{}, 3, 4, 178, 50).want("HTTP", "SIZE", "  200  ")
	})
}
