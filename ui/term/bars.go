package term

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"midwire/session/safe"
)

// Slot is one cell of a sparkline: how much happened in it, and whether some of
// it failed.
type Slot struct {
	N      int
	Failed bool
}

// Add adds what happened in another slot.
func (s *Slot) Add(o Slot) { s.N, s.Failed = s.N+o.N, s.Failed || o.Failed }

// Spark draws slots as bars of an eighth of a cell and more, each in its own
// cell: the lowest bar for nothing; what failed in the colour of errors. The highest
// is of the largest number.
func Spark(sc *Screen, st Style, slots []Slot) []Seg {
	most := 1
	for _, s := range slots {
		most = max(most, s.N)
	}
	bars := sc.Glyphs.Bars
	var out []Seg
	for _, s := range slots {
		g := bars[0]
		if s.N > 0 {
			g = bars[1+(s.N*(len(bars)-2))/most]
		}
		style := st
		if s.Failed {
			style = sc.Theme.Err
		}
		if k := len(out) - 1; k >= 0 && out[k].Style == style {
			out[k].Text += g
		} else {
			out = append(out, S(style, g))
		}
	}
	return out
}

// Fold adds neighbouring slots up, so that n are left. Fewer than n stay as they
// are.
func Fold(slots []Slot, n int) []Slot {
	if len(slots) <= n || n <= 0 {
		return slots
	}
	out := make([]Slot, n)
	for i, s := range slots {
		out[i*n/len(slots)].Add(s)
	}
	return out
}

// Progress is a line on a terminal that says how far a command has come, written over with
// each step, and the bar that terminals have for that beside their window or tab (OSC 9;4). It
// shows nothing before a second, and never in a pipe. One goroutine at a time may use it.
type Progress struct {
	w     io.Writer // nil for not a terminal
	bar   bool      // it has one beside its tab
	began time.Time
	shown bool
}

// progressLine is how wide the line gets at most.
const progressLine = 78

// NewProgress is progress on w, which is a terminal that may have a bar beside its tab; nil for
// what is none.
func NewProgress(w io.Writer, bar bool) *Progress {
	return &Progress{w: w, bar: bar, began: time.Now()}
}

// Show says that so many steps of all are done, and what is done now, which may be text from
// the wire.
func (p *Progress) Show(done, all int, what string) {
	if p.w == nil || time.Since(p.began) < time.Second {
		return
	}
	const cells = 16
	done = min(max(done, 0), all)
	percent := 100 * done / max(all, 1)
	full := cells * percent / 100
	bar := strings.Repeat("█", full) + strings.Repeat("░", cells-full)
	line := Cut(safe.Line(fmt.Sprintf("%s %d of %d  %s", bar, done, all, what)), progressLine, "…")
	fmt.Fprint(p.w, "\r"+string(line)+ansi.EraseLineRight)
	if p.bar {
		fmt.Fprint(p.w, ansi.SetProgressBar(percent))
	}
	p.shown = true
}

// End takes the line and the bar away.
func (p *Progress) End() {
	if p.shown {
		fmt.Fprint(p.w, "\r"+ansi.EraseLineRight)
		if p.bar {
			fmt.Fprint(p.w, ansi.ResetProgressBar)
		}
	}
}
