package ui

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// view is a screen that stands instead of the messages and shows what the list
// shows in another way, like the waterfall. The model owns it and calls it from
// Update and View only.
type view interface {
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
	scroller() *scroller
	// draw draws exactly height lines of w cells, the title among them. It sets the
	// height of the scroller.
	draw(h host, sc *library.Scene, w, height int) []string
	// click is told of a click on line y and column x of what was drawn.
	click(h host, x, y int) tea.Cmd
	// state sums the view up for the header, told for the status line.
	state(h host) []term.Seg
	told(h host) safe.Text
}

// scroller is a number of lines of which one is selected. Where nothing is
// selected, sel is the line at the top.
type scroller struct {
	sel, top, lines, height int
	page                    bool // nothing is selected: keys scroll
}

// move goes n lines further.
func (s *scroller) move(n int) {
	if s.page {
		s.scroll(n)
		return
	}
	s.sel = max(0, min(s.sel+n, s.lines-1))
	if s.height > 0 {
		s.top = max(min(s.top, s.sel), s.sel-s.height+1)
		s.scroll(0)
	}
}

// scroll moves what is seen and not the selection.
func (s *scroller) scroll(n int) {
	s.top = max(0, min(s.top+n, s.lines-s.height))
}

// fit takes in how many lines there are, and how many can be seen.
func (s *scroller) fit(lines, height int) {
	grown := height != s.height
	s.lines, s.height = lines, height
	s.sel = max(0, min(s.sel, lines-1))
	if grown && !s.page {
		s.top = max(min(s.top, s.sel), s.sel-s.height+1)
	}
	s.scroll(0)
}

// pickLine selects the line that was clicked; again says that it was selected
// before.
func (s *scroller) pickLine(y int) (again, ok bool) {
	i := s.top + y
	if y < 0 || i >= s.lines || y >= s.height {
		return false, false
	}
	again = s.sel == i
	s.sel = i
	return again, true
}
