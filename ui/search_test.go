package ui

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/wire"
	"midwire/ui/internal/scenes"
	"midwire/ui/messages"
)

// noteCalls is a stdio session of n calls; the text of every hundredth answer has a
// needle far behind what the row says in words.
func noteCalls(n int) []wire.Frame {
	var t scenes.Tape
	for i := range n {
		end := "hay"
		if i%100 == 99 {
			end = "Needle"
		}
		t.Line(wire.ToServer, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read","arguments":{"n":%d}}}`, i, i)
		t.Line(wire.ToClient, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s %s"}]}}`, i, strings.Repeat("straw ", 60), end)
	}
	return t.Frames
}

func stack(t *testing.T, n int) (*fakeSource, *driver) {
	s := newFakeSource()
	fs := noteCalls(n)
	s.recs["p"] = fs
	s.ch <- Batch{Recordings: []Recording{live("p")}, Frames: tagged("p", fs)}
	return s, drive(t, s, Options{}, 120, 36)
}

// pass lets time pass and delivers what it brings.
func (d *driver) pass(t time.Duration) {
	time.Sleep(t)
	d.send()
}

func TestWordsOfPayloadsAreFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := stack(t, 500)
		d.press("/")
		d.typed("needle")
		d.want("0 of 500", "Searching the payloads")
		d.pass(time.Second)
		d.want("5 of 500 match", "n=99", "n=499")
		d.press("enter")
		s.ch <- Batch{Frames: tagged("p", late(s, "another Needle"))}
		d.send()
		d.pass(time.Second)
		d.want("6 of 501")
		d.press("g", "enter", "l", "l")
		if n := len(d.m.detail.Search.Hits); n != 1 {
			t.Errorf("%d places shown in the response, want 1", n)
		}
		d.press("2")
		d.press("esc")
		d.want("501 exchanges")
	})
}

// late adds one exchange to a recording.
func late(s *fakeSource, text string) []wire.Frame {
	var t scenes.Tape
	t.Frames = s.recs["p"]
	n := len(t.Frames)
	t.Line(wire.ToServer, `{"jsonrpc":"2.0","id":"late","method":"tools/call","params":{"name":"read"}}`)
	t.Line(wire.ToClient, `{"jsonrpc":"2.0","id":"late","result":{"content":[{"type":"text","text":"%s %s"}]}}`, strings.Repeat("straw ", 60), text)
	s.recs["p"] = t.Frames
	return t.Frames[n:]
}

func TestPayloadSearchCanExclude(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, d := stack(t, 300)
		d.press("/")
		d.typed("!needle")
		d.pass(time.Second)
		d.want("297 of 300 match")
	})
}

func TestNextKeyCancelsTheSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, d := stack(t, 10_000)
		d.press("/")
		d.typed("needle")
		gen := d.m.list.Search.Gen
		d.typed("s")
		if d.m.list.Search.Gen == gen {
			t.Fatal("the search goes on")
		}
		d.update(messages.HitsMsg{Gen: gen, Done: 200, Hits: []messages.Hit{{ID: 99, Text: 0}}})
		d.pass(time.Second)
		d.want("0 of 10 000 match")
		d.press("backspace")
		d.pass(time.Second)
		d.want("100 of 10 000 match")
	})
}

// TestFilterInDetail: the text of the filter is lit in the message that is read; n and N go from one place to the next.
func TestFilterInDetail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("[", "[", "3", "l", "l", "n")
		d.want("no text of a filter is in this tab")
		d.press("/")
		d.typed("e")
		d.press("enter")
		hits := &d.m.detail.Search
		n := len(hits.Hits)
		if n < 3 {
			t.Fatalf("%d hits:\n%s", n, d.screen())
		}
		d.press("n", "n")
		if hits.At != 2 {
			t.Errorf("n goes to place %d", hits.At)
		}
		d.press("N")
		if hits.At != 1 {
			t.Errorf("N goes back to place %d", hits.At)
		}
	})
}

// TestFilterAcrossTheEndOfALine looks for text that does not fit on one line.
func TestFilterAcrossTheEndOfALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, d := stack(t, 100)
		d.press("3", "l", "l", "/")
		d.typed(`"` + strings.Repeat("straw ", 30) + `"`)
		d.pass(time.Second)
		if hits := d.m.detail.Search.Hits; len(hits) != 2 || len(hits[0]) < 2 {
			t.Errorf("%d hits, the first on %d lines", len(hits), len(hits[0]))
		}
	})
}

func TestTroubleStaysUntilEsc(t *testing.T) {
	trouble := func(t *testing.T, w, h int) *driver {
		s := lively()
		s.ch <- Batch{Err: errors.New("not recording: no space left on device")}
		d := drive(t, s, Options{}, w, h)
		d.press("j", "k")
		d.pass(time.Minute)
		d.want("not recording: ")
		return d
	}
	screens(t, "trouble", trouble)
	for _, size := range sizes.layout {
		synctest.Test(t, func(t *testing.T) {
			d := trouble(t, size[0], size[1])
			d.press("esc")
			d.wantNot("not recording")
		})
	}
}

func TestFreezeKeepsTheScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		fs := scenes.Pings(60)
		s.recs["p"] = fs
		s.ch <- Batch{Recordings: []Recording{live("p")}, Frames: tagged("p", fs[:60])}
		d := drive(t, s, Options{}, 100, 30)
		d.press("p")
		d.want("paused (p resumes)", "30 exchanges")
		s.ch <- Batch{Frames: tagged("p", fs[60:100])}
		d.send()
		d.want("30 exchanges")
		d.press("p")
		d.want("50 exchanges", "● live")
	})
}

func TestDoubleClickOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 80, 15)
		click := tea.MouseClickMsg{X: 20, Y: 5, Button: tea.MouseLeft}
		d.send(click)
		if d.m.focus != paneList {
			t.Fatal("one click opens")
		}
		d.send(click)
		d.want("[Body]")
	})
}

func TestWheelIsAddedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, d := stack(t, 200)
		up := tea.MouseWheelMsg{X: 60, Y: 8, Button: tea.MouseWheelUp}
		before := d.m.list.FirstIndex()
		for range 10 {
			if msg := Filter(d.m, up); msg != nil {
				d.update(msg)
			}
		}
		if got := before - d.m.list.FirstIndex(); got != 3 {
			t.Errorf("%d lines before the pause, want 3", got)
		}
		d.pass(time.Second)
		if got := before - d.m.list.FirstIndex(); got != 30 {
			t.Errorf("%d lines, want 30", got)
		}
		d.pass(time.Second)
		if d.m.spin.busy {
			t.Error("the wheel never rests")
		}
	})
}

func TestNobodyLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := stack(t, 100)
		d.send(tea.BlurMsg{})
		s.ch <- Batch{Frames: tagged("p", late(s, "x"))}
		d.send()
		d.want("101 exchanges")
		s.ch <- Batch{Frames: tagged("p", late(s, "y"))}
		d.send()
		d.want("101 exchanges")
		d.pass(300 * time.Millisecond)
		d.want("102 exchanges")
		s.ch <- Batch{Frames: tagged("p", late(s, "z"))}
		d.send()
		d.send(tea.FocusMsg{})
		d.want("103 exchanges")
	})
}

func TestUnreadableRecordingSaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, pastOnly(), Options{}, 120, 36)
		d.press("G", "enter")
		d.want("it cannot be opened", "its format is newer than this program")
	})
}
