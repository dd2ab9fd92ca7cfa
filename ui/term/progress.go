package term

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"midwire/session/safe"
)

// Progress is a line on a terminal that says how far a command has come, written over with
// each step, and the bar that terminals have for that beside their window or tab (OSC 9;4). It
// shows nothing before a second, and never in a pipe. One goroutine at a time may use it.
type Progress struct {
	w     io.Writer // nil for not a terminal
	began time.Time
	shown bool
}

// progressLine is how wide the line gets at most.
const progressLine = 78

// NewProgress is progress on w, which is a terminal; nil for what is none.
func NewProgress(w io.Writer) *Progress { return &Progress{w: w, began: time.Now()} }

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
	line := ansi.Truncate(fmt.Sprintf("%s %d of %d  %s", bar, done, all, safe.Clean(what)), progressLine, "…")
	fmt.Fprint(p.w, "\r"+line+ansi.EraseLineRight+ansi.SetProgressBar(percent))
	p.shown = true
}

// End takes the line and the bar away.
func (p *Progress) End() {
	if p.shown {
		fmt.Fprint(p.w, "\r"+ansi.EraseLineRight+ansi.ResetProgressBar)
	}
}
