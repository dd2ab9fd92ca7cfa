package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"midwire/session/wire"
)

// TestNewsElsewhere: what is found in another session is told, for a while, and
// one key goes there; what is on the screen is no news.
func TestNewsElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		fs := framesOf(t, brokenStdio)
		now := started()
		s.recs["a"], s.recs["b"] = fs, fs
		a, b := live("a"), live("b")
		a.Label, b.Label = "first", "second"
		s.ch <- Batch{Recordings: []Recording{a, b}, Frames: tagged("a", fs[:2])}
		opts := Options{Now: func() time.Time { return now }, Settings: Settings{Alert: "bell"}}
		d := drive(t, s, opts, 120, 36)
		now = now.Add(5 * time.Second)
		b.Started = now
		s.ch <- Batch{Recordings: []Recording{b}, Frames: tagged("b", fs[:6])}
		d.send()
		d.pass(1500 * time.Millisecond)
		d.want("first ▸ messages", "✗ agent: A request came before notifications/initialized", "^n goes there")
		if got := strings.Join(d.raw, ""); got != "\a" {
			t.Errorf("it writes %q", got)
		}
		d.press("ctrl+n")
		d.want("second ▸ messages", "▌✗   4")
		d.wantNot("^n goes there")
		d.press("backspace")
		d.want("first ▸ messages")
		d.press("ctrl+n")
		d.want("nothing new elsewhere")

		s.ch <- Batch{Frames: tagged("a", fs[2:6])} // on the screen
		d.send()
		d.pass(1500 * time.Millisecond)
		d.wantNot("^n goes there")
		if got := d.m.View().WindowTitle; got != "first - midwire ✗2" {
			t.Errorf("title %q", got)
		}
	})
}

// TestNewsGoesAway: after a few seconds nothing of it is on the screen, and the
// rate of messages has come to rest.
func TestNewsGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		fs := framesOf(t, brokenStdio)
		s.recs["a"], s.recs["b"] = fs, fs
		s.ch <- Batch{Recordings: []Recording{live("a"), live("b")}, Frames: tagged("a", fs[:2])}
		d := drive(t, s, Options{Now: time.Now}, 120, 36)
		d.want("live   2/s")
		for range 5 {
			d.pass(time.Second)
		}
		d.want("live idle")
		b := live("b")
		b.Started = time.Now()
		s.ch <- Batch{Recordings: []Recording{b}, Frames: []Tagged{{Rec: "b", Frame: wire.Frame{N: 1, Kind: wire.KindLine, Dir: wire.ToServer, Data: fs[1].Data, Len: len(fs[1].Data)}}}}
		d.send()
		d.pass(500 * time.Millisecond)
		d.want("connected", "^n goes there")
		for range 5 {
			d.pass(time.Second)
		}
		d.wantNot("connected")
	})
}

// TestNoNewsOfTheList: what the start screen lists anyway is not told besides.
func TestNoNewsOfTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		fs := framesOf(t, brokenStdio)
		s.recs["a"], s.recs["b"] = fs, fs
		s.ch <- Batch{Recordings: []Recording{live("a"), live("b")}, Frames: tagged("a", fs[:2])}
		d := drive(t, s, Options{Now: time.Now}, 120, 36)
		d.press("1")
		for range 5 {
			d.pass(time.Second)
		}
		b := live("b")
		b.Started = time.Now()
		s.ch <- Batch{Recordings: []Recording{b}, Frames: tagged("b", fs[:6])}
		d.send()
		d.pass(1500 * time.Millisecond)
		d.want("─ Sessions ─")
		d.wantNot("goes there")
		d.press("2")
		d.wantNot("goes there")
	})
}
