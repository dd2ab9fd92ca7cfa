package ui

import (
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"midwire/ui/term"
)

func TestPaletteRunsCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press(":")
		d.want("Command", "the message in detail", "group the messages by session")
		d.typed("goto")
		d.want("goto N")
		d.press("esc", ":")
		d.typed("frozen")
		d.want("nothing fits")
		d.press("esc", ":")
		d.typed("gantt") // another word for it
		d.want("▌ show the waterfall")
		d.press("esc", ":")
		d.typed("column of ti")
		d.want("▌ change the column of time")
		d.press("enter")
		d.want("10:15:00")
		d.press(":")
		d.typed("what broke")
		d.press("enter")
		d.want("─ Cause ─")
		d.press(":")
		d.typed("column of time")
		d.press("enter")
		d.want("not here")
	})
}

func TestPaletteVerbs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{Filters: &filterShelf{}}, 120, 36)
		run := func(text string) {
			d.press(":")
			d.send(tea.PasteMsg{Content: text})
			d.press("enter")
		}
		run("goto 10")
		d.want("▌   10")
		run("21")
		d.want("▌   21", "tools/call #21")
		run("goto 999")
		d.want("there is no #999; the last one is #26")
		run("filter tool:search or is:error")
		d.want("4 of 17")
		run("filter is:bad")
		d.want("is: error pending", "4 of 17")
		run("goto 12")
		d.want("▌   12", "15 exchanges")
		run("turn the mouse")
		if !d.m.noMouse || d.m.View().MouseMode != tea.MouseModeNone {
			t.Error("the mouse is on")
		}
		run("turn the mouse")
		run("theme light")
		if d.m.theme != term.Coloured(false) {
			t.Error("the theme is not light")
		}
		run("theme d")
		if d.m.theme != term.Coloured(true) {
			t.Error("the theme is not dark")
		}
		run("session 77b0")
		d.want("Session not found")
		d.press(":")
		d.typed("theme")
		d.press("tab")
		d.want(": theme", "▌ theme auto", "theme dark")
	})
}

func TestPaletteOpensRecordings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := lively()
		d := drive(t, s, Options{}, 80, 24)
		d.press(":")
		d.typed("session pages")
		for range 10 {
			d.press("down")
			if c, _ := d.m.dialog.pick.Chosen(); strings.HasPrefix(string(c.Keys), "11-20") {
				break
			}
		}
		d.press("enter")
		if r := d.m.list.Rec; r.ID != "old" || !r.Opened {
			t.Errorf("%s is shown, asked for: %v", r.ID, r.Opened)
		}
		d.want("─ Messages ─")
	})
}

func TestHelpIsSearchedAndRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("?")
		d.want("MOVE", "LOOK", "ACT", "commands by name")
		d.press("up")
		d.want("ELSEWHERE")
		d.press("esc", "?")
		d.typed("freeze")
		d.want("pause the screen, recording continues")
		d.wantNot("MOVE", "mark a row")
		d.press("enter")
		d.want("paused (p resumes)")
		d.press("p", "?", "T")
		d.want("▌T        time: start, clock, delta")
		d.press("esc", "?", "down", "down", "down", "down")
		d.want("▌!        what broke")
		d.press("esc", "?", "enter")
		d.wantNot("Help")
		d.press("?")
		d.typed("zzzz")
		d.want("no key is about that")
	})
}

func TestHelpAndPaletteByMouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		click := func(text string) {
			t.Helper()
			for y, line := range strings.Split(d.screen(), "\n") {
				if before, _, ok := strings.Cut(line, text); ok {
					d.send(tea.MouseClickMsg{X: len([]rune(before)), Y: y, Button: tea.MouseLeft})
					return
				}
			}
			t.Fatalf("no %q on the screen:\n%s", text, d.screen())
		}
		d.press("?")
		click("only what failed")
		d.want("3 of 17")
		d.press(":")
		d.typed("what failed")
		click("only what failed")
		d.want("15 exchanges")
		d.press(":")
		d.send(tea.MouseClickMsg{X: 1, Y: 1, Button: tea.MouseLeft})
		d.wantNot("Command")
	})
}

func TestPaletteScreens(t *testing.T) {
	for name, keys := range map[string]string{
		"palette": ":", "palette-found": ": c o p y", "palette-session": ": s e s s i o n space", "help-found": "? c o p y",
	} {
		screens(t, name, func(t *testing.T, w, h int) *driver {
			d := drive(t, lively(), Options{}, w, h)
			d.press(strings.Fields(keys)...)
			return d
		})
	}
}

// TestHintsSuitThePlace: the footer names what does something here, fits, and
// always has help and quit.
func TestHintsSuitThePlace(t *testing.T) {
	for _, tt := range []struct{ keys, has, not string }{
		{"", "F pause", "find "},
		{"3", "filter", "find "},
		{"1", "open", "wrap"},
		{"!", "only these", "follow"},
		{"/ n o w h e r e enter", "filter", "copy"},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := drive(t, lively(), Options{}, 120, 30)
			d.press(strings.Fields(tt.keys)...)
			for _, w := range []int{60, 80, 120, 160} {
				d.send(tea.WindowSizeMsg{Width: w, Height: 30})
				lines := strings.Split(strings.TrimRight(d.screen(), "\n"), "\n")
				foot := lines[len(lines)-1]
				if !strings.Contains(foot, "? help  q "+map[string]string{"!": "back"}[tt.keys]) || w >= 120 &&
					!strings.Contains(foot, tt.has) || strings.Contains(foot, tt.not) {
					t.Errorf("%d cells, after %q: %s", w, tt.keys, foot)
				}
			}
		})
	}
}

// TestPaletteOnEveryScreen: it opens wherever it is asked for, also where a
// configuration leaves an action without a key.
func TestPaletteOnEveryScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		none := map[string][]string{"messages.filter": {}, "global.follow": {}, "global.down": {}, "waterfall.zoom-in": {}, "findings.mute": {}}
		d := drive(t, lively(), Options{Settings: Settings{Keys: none}}, 120, 36)
		for _, at := range []string{"", "!", "w", "s", "t", "c", "H"} {
			d.press(strings.Fields(at)...)
			d.press(":")
			d.want("Command", "tab completes")
			d.press("esc", "?")
			d.want("Help", "MOVE")
			d.press("esc", "esc")
		}
	})
}

// TestPaletteKnowsOtherWords: commands are found by what people call them elsewhere.
func TestPaletteKnowsOtherWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		for text, first := range map[string]string{
			"diff": "compare two sessions", "share": "export the session", "errors": "show only what failed, or all",
			"problems": "show the findings", "exit": "quit", "clock": "change the column of time",
			"search": "search in all recordings", "query": "filter the messages", "check": "show the findings",
		} {
			d.press(":")
			d.send(tea.PasteMsg{Content: text})
			if c, _ := d.m.dialog.pick.Chosen(); string(c.Name()) != first {
				t.Errorf("%q offers %q first:\n%s", text, c.Name(), d.screen())
			}
			d.wantNot("clear the filter", "go back")
			d.press("esc")
		}
	})
}

// TestGoToAnything: sessions, tools, findings, frames and views are in one list.
func TestGoToAnything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("ctrl+k")
		d.want("Go to anything", "finding", "tool")
		d.typed("#10")
		d.press("enter")
		d.want("▌   10")
		d.press("ctrl+p")
		d.typed("77b0")
		d.want("▌ session")
		d.press("enter")
		d.want("Session not found")
		d.press("ctrl+k")
		d.typed("waterfall")
		d.press("enter", "esc", "ctrl+k")
		d.want("▌ command    show the waterfall") // the last one is the first
		d.typed("tool add")
		d.press("enter")
		d.want("tool:add")
	})
}

// TestEscAndAKey: what a terminal sends as alt with a character is esc and the
// character where the two mean nothing together.
func TestEscAndAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("!")
		d.send(tea.KeyPressMsg{Code: '3', Mod: tea.ModAlt})
		if d.m.view != nil || d.m.focus != paneDetail {
			t.Error("alt+3 is not esc, 3")
		}
		d.send(tea.KeyPressMsg{Code: 'm', Mod: tea.ModAlt})
		if !d.m.noMouse {
			t.Error("alt+m is not that")
		}
	})
}
