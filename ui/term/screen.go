package term

import (
	"time"
)

// TimeFormat is what the columns of time say.
type TimeFormat uint8

// The forms of time: since the recording or session started, by the clock.
const (
	SinceStart TimeFormat = iota
	ClockTime
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

// Rect is a rectangle of cells.
type Rect struct{ X, Y, W, H int }

// Has says whether a cell is in the rectangle.
func (r Rect) Has(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// Profile counts what happens over time in a fixed number of slots, which get wider as
// time goes on. NewProfile makes one.
type Profile struct {
	unit  int64 // of a slot, in nanoseconds
	slots []Slot
}

// NewProfile makes one of so many slots, an even number.
func NewProfile(slots int) Profile { return Profile{1, make([]Slot, slots)} }

// At is the place of the slot of a moment, in nanoseconds since the first.
func (p *Profile) At(t int64) int {
	n := len(p.slots)
	for t = max(t, 0); t/p.unit >= int64(n); p.unit *= 2 {
		copy(p.slots, Fold(p.slots, n/2))
		clear(p.slots[n/2:])
	}
	return int(t / p.unit)
}

// Add counts n things of a moment, some of which failed, or none.
func (p *Profile) Add(t int64, n int, failed bool) {
	p.slots[p.At(t)].Add(Slot{n, failed})
}

// Begin is the moment at which a slot begins.
func (p *Profile) Begin(slot int) int64 { return int64(slot) * p.unit }

// Until are the slots up to a moment.
func (p *Profile) Until(t int64) []Slot { return p.slots[:p.At(t)+1] }
