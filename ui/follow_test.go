package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/ui/internal/scenes"
	"midwire/ui/library"
)

// pings is a stdio session of n pings, every tenth refused.
func live(id string) Recording {
	return Recording{ID: id, Label: id, Tap: "stdio", Where: "server", Live: true, Started: started()}
}

func TestFollowAndPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		fs := scenes.Pings(60)
		s.recs["p"] = fs
		s.ch <- Batch{Recordings: []Recording{live("p")}, Frames: tagged("p", fs[:60])}
		d := drive(t, s, Options{}, 100, 30)
		d.want("● live", "▌   59")
		d.press("k")
		d.want("‖ paused", "▌   57")
		before := d.m.list.FirstIndex()
		s.ch <- Batch{Frames: tagged("p", fs[60:100])}
		d.send()
		d.want("‖ paused +20 new 2 ✗ (G)", "▌   57")
		if d.m.list.FirstIndex() != before {
			t.Error("the list moved under the cursor")
		}
		d.press("G")
		d.want("● live", "▌   99")
		d.send(tea.MouseWheelMsg{X: 50, Y: 6, Button: tea.MouseWheelUp})
		d.want("‖ paused")
		d.wantNot("▌   99")
		d.press("F")
		d.want("● live", "▌   99")
	})
}

func TestSelectionSurvivesFilter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("k", "k")
		d.want("▌   21")
		d.press("/")
		d.typed("is:error")
		d.press("enter")
		d.want("3 of 17", "▌   21")
		d.press("esc")
		d.want("15 exchanges", "▌   21")
		d.press("/")
		d.typed("is:er")
		d.want("is: error pending", "15 exchanges")
		d.typed("x")
		d.want("    ▲ is: error pending", "15 exchanges")
		d.press("esc")
		d.want("15 exchanges")
	})
}

func TestLateAnswerEntersFilter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		fs := scenes.Pings(10)
		s.recs["p"] = fs
		s.ch <- Batch{Recordings: []Recording{live("p")}, Frames: tagged("p", fs[:19])}
		d := drive(t, s, Options{}, 100, 30)
		d.press("/")
		d.typed("is:error")
		d.press("enter")
		d.want("No message matches", " /is:error    esc shows all")
		s.ch <- Batch{Frames: tagged("p", fs[19:])}
		d.send()
		d.want("1 of 10", "▌   19", "-32600 no")
	})
}

func TestPastRecordingIsLoadedOnEnter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		s.recs["old"] = scenes.HTTP()
		s.ch <- Batch{Recordings: []Recording{{ID: "old", Label: "pages", Tap: "http", Where: "x", Started: started()}}}
		d := drive(t, s, Options{}, 160, 40)
		d.want("○ pages", "read 0 of 1", "state      ended")
		d.press("enter")
		d.want("─ Timeline ─", "11 exchanges")
		d.press("esc")
		d.want("○ claude-code", "○ cursor 1", "○ cursor 2")
		d.press("j", "enter")
		d.want("pages ▸ cursor 1", "✗ closed")
	})
}

func TestLivePendingClockRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := fixedNow()
		d := drive(t, lively(), Options{Now: func() time.Time { return now }}, 120, 36)
		d.want("+7.7s")
		now = now.Add(time.Second)
		time.Sleep(300 * time.Millisecond)
		d.send()
		d.want("+8.7s")
	})
}

// TestIdleDrawsNothing holds that nothing re-arms itself while nothing is
// pending on the screen.
func TestIdleDrawsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		fs := scenes.Pings(20)
		s.recs["p"] = fs
		s.ch <- Batch{Recordings: []Recording{live("p")}, Frames: tagged("p", fs)}
		d := drive(t, s, Options{}, 120, 36)
		for range 10 { // the rate of messages comes to rest
			d.pass(time.Second)
		}
		d.m.dirty = false
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(d.ch) > 0 || d.m.dirty {
			t.Errorf("%d messages while idle, dirty %v", len(d.ch), d.m.dirty)
		}
	})
}

func TestQuitAsksWhileATapRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{TapInProcess: true}, 120, 36)
		d.press("q")
		d.want("This window runs the proxy", "Quitting disconnects", "any other key")
		d.press("enter") // only y quits
		d.wantNot("This window runs")
		if c := d.m.quit(true); c == nil {
			t.Fatal("the first ctrl+c says nothing")
		}
		d.want("ctrl+c again")
		if _, ok := d.m.quit(true)().(tea.QuitMsg); !ok {
			t.Error("the second ctrl+c does not quit")
		}
	})
}

func TestCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("[", "y")
		d.want("JSON of the request")
		d.press("esc")
		d.press("y", "r")
		d.want("sent to the terminal's clipboard: request #23, 105 bytes")
	})
}

func TestMouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("1")
		for range 2 { // a double click
			d.send(tea.MouseClickMsg{X: 8, Y: 6, Button: tea.MouseLeft})
		}
		d.want("pages ▸ cursor 1", "✗ closed")
		d.send(tea.MouseClickMsg{X: 60, Y: 9, Button: tea.MouseLeft})
		d.want("▌   33", " #33")
		for x := range 120 {
			d.send(tea.MouseClickMsg{X: x, Y: d.m.layout.Detail.Y, Button: tea.MouseLeft})
		}
		d.want("[Raw]") // the last one
	})
}

// TestHeaderCountsWhatIsShown: the numbers in the header are those of the session
// that is shown, and of the recording where all of them are.
func TestHeaderCountsWhatIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := having(Recording{ID: "http", Label: "pages", Tap: "http", Where: "x", Live: true}, scenes.HTTP())
		d := drive(t, s, Options{}, 120, 36)
		r := d.m.list.Rec
		msgs, errs, _ := r.Total()
		head := func() string { return strings.SplitN(d.screen(), "\n", 2)[0] }
		if want := fmt.Sprintf("%d msg    %d failed", msgs, errs); !strings.Contains(head(), want) {
			t.Errorf("all: no %q in %q", want, head())
		}
		d.m.show(library.Scope{Rec: r, Session: 1})
		d.send()
		one := r.Session(1)
		want := fmt.Sprintf("%d msg", one.Messages)
		if one.Errors > 0 {
			want += fmt.Sprintf("    %d failed", one.Errors)
		}
		if !strings.Contains(head(), want) || one.Messages == msgs {
			t.Errorf("one: no %q in %q", want, head())
		}
	})
}

// Progress is a bar in the row of its call, and has no rows; one that is asked for is shown.
func TestProgressIsABar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.want("━━━━━··· 2/3", "15 exchanges")
		d.wantNot("└progress")
		d.press("/")
		d.typed("progress")
		d.press("enter")
		d.want("└progress       of #12 1/3 reading", "  progress #18")
		d.wantNot("of  progress")
	})
}
