package ui

import (
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
		d.want("files-server ▸ waterfall", "0s … 12s", "all of it", "#25 · 9.900s")
		d.press("g", "j", "j", "j", "j", "j", "j")
		d.want("#10 · 3.870s (10:15:03.870) · end 4.272s · took 402ms", "‖ paused")
		d.press("+", "+", "+")
		d.want(" of 12s", "‹", "›")
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

func TestWaterfallFilterInPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("w", "/")
		d.typed("tool:search")
		d.want("─ 1 of 17 exchanges ─", "1 of 17 match", "3.87s … 4.27s", "10 ✓ search_files", "▆▆▆")
		d.press("enter")
		d.want("files-server ▸ waterfall")
		d.press("v") // raw frames have no bars
		d.want("─ 1 of 17 exchanges ─")
		d.press("esc", "esc")
		d.want("15 exchanges")
	})
}

func TestWaterfallOfRawFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("v", "w")
		d.want("waterfall", "─ 15 exchanges ─", "#25 · ")
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
		d.want("0s … 12s", "+12.0s", "▆▆▸", "pending for 12.0s")
		now = now.Add(time.Second)
		d.pass(300 * time.Millisecond)
		d.want("0s … 13s", "+13.0s")
		d.press("p")
		now = now.Add(time.Second)
		d.pass(300 * time.Millisecond)
		d.want("paused (p resumes)", "+13.0s")
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
		d := drive(t, lively(), Options{}, 120, 20)
		d.press("w")
		click := tea.MouseClickMsg{X: 60, Y: 5, Button: tea.MouseLeft}
		d.send(click)
		d.want("#5 · 0.049s")
		d.send(tea.MouseWheelMsg{X: 60, Y: 5, Button: tea.MouseWheelUp})
		d.send(click, click)
		d.want("files-server ▸ messages", "esc waterfall")
		d.press("esc")
		d.want("#3 · 0.004s")
		d.send(tea.MouseClickMsg{X: 60, Y: 1, Button: tea.MouseLeft},
			tea.MouseClickMsg{X: 60, Y: 17, Button: tea.MouseLeft})
		d.want("files-server ▸ waterfall", "#3 · 0.004s", "all of it")
	})
}

func crowd() *fakeSource {
	return having(Recording{ID: "http", Label: "pages", Tap: "http", Where: "x", Live: true}, crowdScene())
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
		d.wantNot("▾ claude-code", "by session")
		d.press("z")
		d.want("by session")
	})
}
