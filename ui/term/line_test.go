package term

import (
	"testing"

	"midwire/session/safe"
)

// TestFitting: what can be done without gives way, the least important first, and what
// must be seen stays.
func TestFitting(t *testing.T) {
	segs := append(Spare(2, S(Plain, "● REC ")), S(Plain, "3 failed"))
	segs = append(segs, Spare(1, S(Plain, " 2 findings"))...)
	for room, want := range map[int]safe.Text{
		40: "● REC 3 failed 2 findings", 20: "3 failed 2 findings", 10: "3 failed", 2: "3 failed",
	} {
		got := safe.Text("")
		for _, s := range Fitting(segs, room) {
			got += s.Text
		}
		if got != want {
			t.Errorf("%d cells: %q, want %q", room, got, want)
		}
	}
}
