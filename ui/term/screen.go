package term

import (
	"time"
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
	Height int
	Boxed  bool // there is room for boxes around panes
	Look   int  // another number when Theme or Glyphs are others
	ASCII  bool // no other characters
}

// Narrow says that so many cells are too few for what can be done without.
func Narrow(w int) bool { return w < 60 }

// Wide says that so many cells are enough for two parts beside each other: they are what
// is inside of a box on a screen of 100.
func Wide(w int) bool { return w >= 98 }

// Row begins a line of a list, with the bar before the selected one.
func (sc *Screen) Row(w int, chosen, focus bool) *Line {
	l := NewLine(w, sc.Glyphs)
	if chosen {
		l.Selected(sc.Theme, focus)
		l.Put(sc.Theme.Key, sc.Glyphs.Bar)
	}
	return l.Gap(1 - l.Used)
}

// Reveal is the first of n lines that are seen, height at once, when top was it
// and line at is to be among them.
func Reveal(top, at, height, n int) int {
	return max(0, min(max(min(top, at), at-height+1), n-height))
}
