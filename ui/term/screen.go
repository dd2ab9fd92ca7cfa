package term

import (
	"time"

	"github.com/charmbracelet/x/ansi"
)

// TimeFormat is what the columns of time say.
type TimeFormat uint8

// The forms of time: since the recording or session started, by the clock, since
// the row above.
const (
	SinceStart TimeFormat = iota
	ClockTime
	SincePrevious
	TimeFormats // how many there are
)

// Screen is what drawing depends on and the user has chosen. It is read only.
type Screen struct {
	Theme  *Theme
	Glyphs *Glyphs
	Time   TimeFormat
	Now    time.Time
	Frozen bool // Now stands still
	Width  int
	Look   int  // another number when Theme or Glyphs are others
	ASCII  bool // no other characters
}

// Overlay puts a block of w cells over the screen at x, y.
func Overlay(screen, block []string, x, y, w int) []string {
	for i, s := range block {
		if y+i >= len(screen) {
			break
		}
		base := screen[y+i]
		screen[y+i] = ansi.Truncate(base, x, "") + "\x1b[m" + s + "\x1b[m" + ansi.TruncateLeft(base, x+w, "")
	}
	return screen
}
