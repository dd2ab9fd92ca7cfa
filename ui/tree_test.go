package ui

import (
	"testing"
	"testing/synctest"

	"midwire/ui/internal/scenes"
)

// TestCompareFromTheTree: one session is marked, d on another compares them.
func TestCompareFromTheTree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{Replayer: newFakeReplayer()}, 160, 40)
		d.press("1", "j", "j", "d")
		d.want("● d cursor 2.0", "d compare with pages cursor 2.0")
		d.press("j")
		d.want("● d cursor 2.0", "is marked; d on another session compares the two")
		d.press("d")
		d.wantNot("● d cursor 2.0", "d compare with")
	})
}

// TestFindInTheTree: what matches stays, with what it is in; esc shows all.
func TestFindInTheTree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 160, 40)
		d.press("1", "/")
		d.typed("CLAUDE")
		d.want("2 found", "LIVE", "HTTP :7000", "9f3c…00a1 claude-code")
		d.wantNot("cursor", "RECORDED")
		d.press("enter", "j", "j")
		d.want("/ CLAUDE", "▌  ▸ ● 9f3c…00a1 claude-code")
		d.press("/")
		d.typed(" nobody")
		d.want("0 found", "Nothing has this text.")
		d.press("esc")
		d.want("/ CLAUDE")
		d.press("esc")
		d.want("RECORDED", "cursor 2.0", "▌  ▸ ● 9f3c…00a1 claude-code")
		d.press("/")
		d.typed("localhost:3000 pages")
		d.want("RECORDED", "HTTP :7000")
		d.wantNot("LIVE")
	})
}

// TestRecordingWithoutAPlace: a header may leave out where a tap listens.
func TestRecordingWithoutAPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		s.give(Recording{ID: "bare", Label: "bare", Tap: "http", Live: true}, scenes.HTTP())
		drive(t, s, Options{}, 160, 40).want("HTTP bare")
	})
}
