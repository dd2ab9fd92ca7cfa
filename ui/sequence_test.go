package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/ui/internal/scenes"
)

func TestSequenceStory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 40)
		d.press("s")
		d.want("files-server ▸ sequence", "claude-code 2.1", "files-server 1.4.0", "● live", " idle ", "… index_repo path=\"src\" pending for 7.7s")
		d.want("◀╌╌ -32002 Server not initialized ╌", "╌ 4ms ╌", "✗ A request came before", "◂──", "─▸")
		d.press("g", "j", "j", "j")
		d.want("‖ paused", "#4 · 0.045s (10:15:00.045) · files-server 1.4.0, tools, resources, 2025-06-18  41ms")
		d.press("j")
		d.want("#5 · 0.049s", "tools/list  id 1  ✗ A request came before")
		d.press("enter")
		d.want("files-server ▸ messages", "▌✗   5", "esc sequence")
		d.press("esc")
		d.want("files-server ▸ sequence", "#5 · 0.049s")
		d.press("]")
		d.want("stdout noise")
		d.press("w")
		d.want("files-server ▸ waterfall", "▌!  15")
		d.press("s", "/")
		d.typed("tool:index")
		d.press("enter")
		d.want("filtered", "index_repo", "1 of 17")
		d.wantNot("initialize")
		d.press("esc", "esc")
		d.want("15 exchanges")
	})
}

func TestSequenceFolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, busySource(), Options{}, 120, 36)
		d.press("s")
		d.want("5 pings folded", "◆", "5 pings ✓", "progress of #14 4/4 ─", " ×4 ", "⊘ cancelled", "↯ lost", "… pending")
		d.press("g")
		for range 11 {
			d.press("j")
		}
		d.want("#28 · 4.000s")
		d.press("z")
		d.want("#28 · 4.000s", "ping  id 10", "├── ping ─") // the selection stays where it was
		d.wantNot("folded", "5 pings")
		d.press("z", "enter")
		d.want("▌   28", "esc sequence")
	})
}

func TestSequenceFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := fixedNow()
		s := newFakeSource()
		fs := scenes.Busy()
		s.recs["p"] = fs
		s.ch <- Batch{Recordings: []Recording{live("p")}, Frames: tagged("p", fs[:14])}
		d := drive(t, s, Options{Now: func() time.Time { return now }}, 100, 12)
		d.press("s")
		d.want("pending for 11.6s")
		now = now.Add(time.Second)
		d.pass(300 * time.Millisecond)
		d.want("pending for 12.6s")
		d.news(s, "p", fs[14:26])
		d.want("● live", "indexed")
		d.wantNot("pending for")
		d.send(tea.MouseWheelMsg{X: 50, Y: 9, Button: tea.MouseWheelUp})
		d.want("‖ paused")
		before := d.m.view.Scroller().Top
		d.news(s, "p", fs[26:])
		if d.m.view.Scroller().Top != before {
			t.Error("the diagram moved while it was paused")
		}
		d.press("G")
		d.want("● live", "pending for")
		d.send(tea.MouseClickMsg{X: 50, Y: 6, Button: tea.MouseLeft})
		d.want("‖ paused")
		d.send(tea.MouseClickMsg{X: 50, Y: 6, Button: tea.MouseLeft})
		d.want("esc sequence")
	})
}

func TestSequenceOfSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := having(Recording{ID: "http", Label: "pages", Tap: "http", Where: "x", Live: true}, scenes.HTTP())
		d := drive(t, s, Options{}, 120, 40)
		d.press("s", "g")
		d.want("claude-code   cursor 1", "├── initialize ─", "│            ├── initialize ─", "├── add a=0")
		d.press("esc", "1", "2", "s", "g")
		d.want("claude-code 2.1", "pages 0.3", "├── initialize claude-code")
		d.wantNot("cursor")
	})
}

// TestSequenceLanes has a lane for each client, and all latencies in one column.
func TestSequenceLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, crowd(), Options{}, 120, 60)
		d.press("s", "g")
		d.want("cursor-vscode", "claude-code", "goose", "VS Code", "ci-bot", "my-agent", "2 pings ✓", " idle ", "┊", "◆")
		column := map[int]bool{}
		for line := range strings.Lines(d.screen()) {
			if i := strings.Index(line, "ms ╌╌│"); i > 0 {
				column[len([]rune(line[:i]))] = true
			}
		}
		if len(column) != 1 {
			t.Errorf("latencies end in columns %v", column)
		}
		d.press("J")
		d.want("claude-code · ")
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.want("clients")
		d.wantNot("+4")
	})
}

// TestSequenceOfManyClients has lanes for those that are seen, and counts the
// others.
func TestSequenceOfManyClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := having(Recording{ID: "http", Label: "pages", Tap: "http", Where: "x", Live: true}, clientsScene(12))
		d := drive(t, s, Options{}, 120, 36)
		d.press("s")
		d.want("+4", "c12", "c11") // the latest are on the screen
		d.wantNot(" c3 ")
		d.press("g")
		d.want("+4", "c1 ", "c2 ")
		d.wantNot(" c12 ")
	})
}
