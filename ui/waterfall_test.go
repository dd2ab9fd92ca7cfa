package ui

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/wire"
	"midwire/ui/internal/scenes"
)

func TestWaterfallStory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("w")
		d.want("files-server ▸ waterfall", "0s … 12s", "all of it", "#25 · 9.900s", "max concurrency 2", "idle 32%")
		d.press("g", "j", "j", "j", "j", "j", "j")
		d.want("#10 · 3.870s (10:15:03.870) · end 4.272s · took 402ms", "‖ paused")
		d.press("+", "+", "+")
		d.want("×8", "‹", "›")
		d.wantNot("all of it")
		d.press("h", "h", "h", "h", "h", "h", "h", "h", "h", "h", "h", "h")
		d.want("0s … 1.5s", "#1 · 0.000s") // pan takes the selection along
		d.press("]")
		d.want("#5 · 0.049s", "0s … 1.5s")
		d.press("]", "]")
		d.want("#21 · 9.700s") // and the selection takes the time along
		d.wantNot("0s … 1.5s")
		d.press("0")
		d.want("0s … 12s   all of it")
		d.press("enter")
		d.want("files-server ▸ messages", "▌   21", "esc waterfall")
		d.press("esc")
		d.want("files-server ▸ waterfall", "#21 · 9.700s")
		d.press("esc")
		d.want("files-server ▸ messages", "▌   21")
	})
}

func TestWaterfallOrders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		fs := scenes.Stdio()
		s.recs["p"] = fs
		s.ch <- Batch{Recordings: []Recording{live("p")}, Frames: tagged("p", fs[:10])}
		d := drive(t, s, Options{}, 120, 36)
		first := regexp.MustCompile(`(?m)^│▌.? *(\d+) `)
		numbers := func() (out []string) {
			for _, l := range first.FindAllStringSubmatch(d.screen(), -1) {
				out = append(out, l[1])
			}
			return out
		}
		d.press("w", "o")
		d.want("by latency · 7")
		before := numbers()
		if got := strings.Join(before, " "); got != "10 3 8 5 1 2 6" {
			t.Errorf("by latency: %s", got)
		}
		d.news(s, "p", fs[10:16])
		d.want("+5 since")
		if got := numbers(); !slices.Equal(got[:7], before) {
			t.Errorf("what came since changed the order: %s", got)
		}
		d.press("o")
		d.want("by method · 12")
		if got := strings.Join(numbers(), " "); got != "3 6 14 13 16 1 2 15 10 12 5 8" {
			t.Errorf("by method: %s", got)
		}
		d.press("o")
		d.want("by start")
	})
}

func TestWaterfallFilterInPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("w", "/")
		d.typed("tool:search")
		d.want("by start · 1 of 17", "1 of 17 match", "3.87s … 4.27s", "10 ✓ search_files", "▆▆▆")
		d.press("enter")
		d.want("files-server ▸ waterfall")
		d.press("v") // raw frames have no bars
		d.want("by start · 1 of 17")
		d.press("esc", "esc")
		d.want("17 exchanges")
	})
}

func TestWaterfallOfRawFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("v", "w")
		d.want("waterfall", "by start · 17", "#25 · ")
		d.press("esc", "v", "s")
		d.want("sequence", "ping")
	})
}

func TestWaterfallGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := fixedNow()
		s := newFakeSource()
		var tape scenes.Tape
		tape.Line(wire.ToServer, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}`)
		tape.At(14_000).Line(wire.ToClient, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		tape.At(60_000).Line(wire.ToServer, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		s.recs["p"] = tape.Frames
		s.ch <- Batch{Recordings: []Recording{live("p")}, Frames: tagged("p", tape.Frames[:1])}
		d := drive(t, s, Options{Now: func() time.Time { return now }}, 100, 30)
		d.press("w")
		d.want("0s … 12s", "+12.0s", "▆▆▸", "pending for 12.0s", "max concurrency 1   idle 0%")
		now = now.Add(time.Second)
		d.pass(300 * time.Millisecond)
		d.want("0s … 13s", "+13.0s")
		d.press("p")
		now = now.Add(time.Second)
		d.pass(300 * time.Millisecond)
		d.want("frozen", "+13.0s")
		d.press("p")
		d.news(s, "p", tape.Frames[1:2])
		d.want("0s … 14s", "took 14s", "▆▆▆")
		d.wantNot("▆▸│")
		for range 5 {
			d.pass(time.Second)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(d.ch) > 0 {
			t.Error("the waterfall of finished calls draws")
		}
		d.press("+", ".")
		d.want("the end", "7.0s … 14.0s")
		d.news(s, "p", tape.Frames[2:])
		d.want("#3 · 60.000s", "the end")
		d.wantNot("7.0s …")
	})
}

func TestWaterfallMouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 24)
		d.press("w")
		click := tea.MouseClickMsg{X: 60, Y: 8, Button: tea.MouseLeft}
		d.send(click)
		d.want("#8 · 1.502s")
		d.send(tea.MouseWheelMsg{X: 60, Y: 9, Button: tea.MouseWheelUp})
		d.send(click, click)
		d.want("files-server ▸ messages", "esc waterfall")
		d.press("esc")
		d.want("#3 · 0.004s")
		d.send(tea.MouseClickMsg{X: 60, Y: 6, Button: tea.MouseLeft},
			tea.MouseClickMsg{X: 60, Y: 21, Button: tea.MouseLeft})
		d.want("files-server ▸ waterfall", "#3 · 0.004s", "all of it")
		d.send(tea.MouseClickMsg{X: 60, Y: 2, Button: tea.MouseLeft})
		d.want("5.2s … 6.8s", "×8") // all of the time is a place to go to
		d.wantNot("all of it")
	})
}

func crowd() *fakeSource {
	return having(Recording{ID: "http", Label: "pages", Tap: "http", Where: "x", Live: true}, scenes.Crowd())
}

func TestWaterfallSections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, crowd(), Options{}, 120, 60)
		d.press("w")
		d.want("by session", "▾ cursor-vscode 1.9 ", "▾ my-agent 0.3.0", "3 calls", "1 failed", "idle over")
		d.press("g", "g", "enter")
		d.want("▸ cursor-vscode 1.9", "▾ claude-code")
		d.wantNot("initialize cursor")
		d.press("J")
		before := d.m.view.Scroller().Sel
		d.press("enter")
		d.want("▸ claude-code")
		d.press("J", "K")
		if at := d.m.view.Scroller().Sel; at != before {
			t.Errorf("J and K went from heading %d to %d", before, at)
		}
		d.press("enter", "j", "enter")
		d.want("▸ messages", "esc waterfall")
		d.press("esc")
		d.want("▸ cursor-vscode 1.9", "▾ claude-code") // it stays folded
		d.press("z")
		d.want("by start · ")
		d.wantNot("▾ claude-code", "by session")
		d.press("z", "o")
		d.want("by latency")
		d.wantNot("by session")
	})
}

func TestWaterfallCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("w", "g")
		got := d.copied("y")
		for _, want := range []string{"| # | start |", "| 10 | 3.870 | 402ms | → tools/call search_files q=\"auth\"", "| 23 |"} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is not in\n%s", want, got)
			}
		}
	})
}

// TestWaterfallDrag draws out a time with the mouse, among the bars and in the
// overview, whose ends it takes hold of. A click alone draws nothing out.
func TestWaterfallDrag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("w")
		pull := func(y int, xs ...int) {
			d.screen()
			d.send(tea.MouseClickMsg{X: xs[0], Y: y, Button: tea.MouseLeft})
			for _, x := range xs[1:] {
				msg := tea.MouseMotionMsg{X: x, Y: y, Button: tea.MouseLeft}
				if Filter(d.m, msg) == nil {
					t.Fatalf("%v: the drag does not reach the view:\n%s", xs, d.screen())
				}
				d.send(msg)
			}
			if len(xs) > 2 {
				d.want("to be shown")
			}
			d.send(tea.MouseReleaseMsg{X: xs[len(xs)-1], Y: y, Button: tea.MouseLeft})
			if Filter(d.m, tea.MouseMotionMsg{X: 1, Y: y}) != nil {
				t.Error("the mouse is followed after the button was released")
			}
		}
		pull(9, 80)
		d.want("all of it")
		pull(11, 80, 85, 100)
		d.wantNot("all of it", "to be shown")
		window := d.m.view.State(d.m)
		pull(9, 100, 100)
		if after := d.m.view.State(d.m); !slices.Equal(after, window) {
			t.Errorf("a drag of nothing changed %v to %v", window, after)
		}
		d.press("0")
		d.want("all of it")
		pull(2, 30, 60)
		d.want("2.4s … 6.0s")
		pull(2, 60, 100)
		d.wantNot("2.4s … 6.0s")
		d.want("2.4s … ")
	})
}
