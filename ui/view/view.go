// Package view holds what full screens have in common: titles, pages, lists
// that scroll, and tables whose columns drop by width.
package view

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/term"
)

// View is a screen that stands instead of the messages and shows what the list
// shows in another way, like the waterfall. The model owns it and calls it from
// Update and View only.
type View interface {
	// Area is where the view's own keys hold.
	Area() keymap.Area
	// Name is what the view is called in the line of crumbs.
	Name() safe.Text
	// Refresh takes in what is new since the last call: it is called after
	// every message, before anything is drawn. It returns the commands it needs.
	Refresh(h Host) tea.Cmd
	// Commands are what can be done here, in the order of help and footer. Moving
	// comes by Scroller.
	Commands(h Host) []keymap.Command
	// Scroller is the lines of the view, for the keys that move.
	Scroller() *Scroller
	// Draw draws exactly height lines of w cells, the title among them. It sets the
	// height of the scroller.
	Draw(h Host, sc *library.Scene, w, height int) []string
	// Click is told of a click on line y and column x of what was drawn.
	Click(h Host, x, y int) tea.Cmd
	// State sums the view up for the header, Told for the status line.
	State(h Host) []term.Seg
	Told(h Host) safe.Text
}

// What a view may also be. Each says so where it is declared, as in
// var _ view.Follower = (*Waterfall)(nil).
type (
	// Crumbed says itself what stands in the line of crumbs.
	Crumbed interface {
		Crumbs(sc *library.Scene) []safe.Text
	}
	// Split has parts that the wheel scrolls each by itself: ScrollerAt is the
	// lines of the part at column x and line y.
	Split interface {
		ScrollerAt(x, y int) *Scroller
	}
	// Writer has a text that the user writes. While it does, it takes the keys,
	// and Hints says what they do.
	Writer interface {
		Writes() bool
		Write(h Host, msg tea.Msg) tea.Cmd // a key press, or what else there is to put in
		Hints() [][2]safe.Text
	}
	// Backer has something to undo before the view is left, and says whether it had.
	Backer interface {
		Back() bool
	}
	// Worker has work that takes a while: how much of it is done, of all; 0 for none.
	Worker interface {
		Progress() (done, all int)
	}
	// Follower may have the newest message on its last line.
	Follower interface {
		Follows() bool
	}
)

// Then is the message of a command that has ended: what to do with the outcome, in
// Update. The screen is drawn again after it.
type Then func(h Host) tea.Cmd

// Sleeper is a view that has something to do later.
type Sleeper interface {
	// Wake is called when so much time has passed, before the view's refresh.
	Wake(after time.Duration)
}

// Later wakes a view after a while, or after the keys had a turn.
func Later(v Sleeper, d time.Duration) tea.Cmd {
	return After(d, func() { v.Wake(d) })
}

// After does something in Update after a while, or after the keys had a turn.
func After(d time.Duration, do func()) tea.Cmd {
	then := Then(func(Host) tea.Cmd {
		do()
		return nil
	})
	if d == 0 {
		return func() tea.Msg { return then }
	}
	return tea.Tick(d, func(time.Time) tea.Msg { return then })
}

// Tick is how often a view is drawn that shows what grows.
const Tick = 250 * time.Millisecond

// Pace says what a view waits for.
type Pace struct {
	working bool // the rest of its work
	ticking bool // to draw what grows
}

// Wake notes that the wait is over.
func (p *Pace) Wake(after time.Duration) {
	if after == 0 {
		p.working = false
	} else {
		p.ticking = false
	}
}

// GoOn lets a view work on, and draw what grows.
func (p *Pace) GoOn(h Host, v Sleeper, more, grows bool) (cmds []tea.Cmd) {
	if more && !p.working {
		p.working = true
		cmds = append(cmds, Later(v, 0))
	}
	if grows && !p.ticking && !h.Scene().Frozen {
		p.ticking = true
		cmds = append(cmds, Later(v, Tick))
	}
	return cmds
}
