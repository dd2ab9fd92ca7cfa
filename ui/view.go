package ui

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// screenView is a screen that stands instead of the messages and shows what the list
// shows in another way, like the waterfall. The model owns it and calls it from
// Update and View only.
type screenView interface {
	// area is where the view's own keys hold.
	area() area
	// name is what the view is called in the line of crumbs.
	name() safe.Text
	// refresh takes in what is new since the last call: it is called after
	// every message, before anything is drawn. It returns the commands it needs.
	refresh(h host) tea.Cmd
	// commands are what can be done here, in the order of help and footer. Moving
	// comes by scroller.
	commands(h host) []command
	// scroller is the lines of the view, for the keys that move.
	scroller() *view.Scroller
	// draw draws exactly height lines of w cells, the title among them. It sets the
	// height of the scroller.
	draw(h host, sc *library.Scene, w, height int) []string
	// click is told of a click on line y and column x of what was drawn.
	click(h host, x, y int) tea.Cmd
	// state sums the view up for the header, told for the status line.
	state(h host) []term.Seg
	told(h host) safe.Text
}
