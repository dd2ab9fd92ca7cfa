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
	// do carries out what a key means; mine is false for what is left to the
	// model. Moving comes by scroller.
	do(h host, a action) (cmd tea.Cmd, mine bool)
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
	// useful says whether a key of the view would do anything now.
	useful(h host, b binding) bool
}

// viewKeys open the views.
func viewKeys() []binding {
	return []binding{
		{actWaterfall, everywhere, []string{"w"}, "w", "", "waterfall: what took long", look},
		{actSequence, everywhere, []string{"s"}, "s", "", "sequence diagram", look},
		{actTools, everywhere, []string{"t"}, "t", "", "tools and their numbers", look},
		{actCaps, everywhere, []string{"c"}, "c", "", "capabilities of both sides", look},
		{actStreams, everywhere, []string{"S"}, "S", "", "event streams", look},
		{actHandles, everywhere, []string{"H"}, "H", "", "handles and their uses", look},
	}
}

// opensView says whether an action opens a view.
func opensView(a action) bool {
	switch a {
	case actTools, actCaps, actStreams, actHandles, actWaterfall, actSequence:
		return true
	}
	return false
}

// viewOf makes the view that an action opens, nil when it opens none.
func (m *Model) viewOf(a action) screenView {
	switch a {
	case actTools, actCaps, actStreams, actHandles:
		return insightViewOf(a, m.insights)
	case actWaterfall:
		return newWaterfall()
	case actSequence:
		return newSequence()
	}
	return nil
}

// viewDo carries out what a key means on a view.
func (m *Model) viewDo(a action) (cmd tea.Cmd, mine bool) {
	holds := m.holdsOnView(a)
	if cmd, mine = m.view.do(m, a); mine {
		return cmd, true
	}
	switch a {
	case actPaneTree, actPaneList, actPaneDetail, actDrawer, actFilter:
		m.toMessages()
	}
	return nil, !holds
}

// holdsOnView says whether an action that is the model's means anything on the
// view that is open.
func (m *Model) holdsOnView(a action) bool {
	switch m.view.area() {
	case inReplay, inDiff:
		return holdsOnScreens(a)
	case inReport:
		return holdsOnScreens(a) || a == actNextPane || a == actPrevPane || a == actNextProblem || a == actPrevProblem
	}
	return holdsInView(a) || opensView(a)
}

// holdsInView says whether an action that is the model's means anything on a
// view.
func holdsInView(a action) bool {
	return holdsOnScreens(a) || a == actFilter
}

// holdsOnScreens says whether an action that is the model's means anything on
// every screen that stands instead of the messages.
func holdsOnScreens(a action) bool {
	switch a {
	case actQuit, actInterrupt, actBack, actHelp, actPalette, actRedraw, actMouse, actFreeze, actFindings,
		actDown, actUp, actTop, actBottom, actHalfDown, actHalfUp, actPageDown, actPageUp,
		actPaneTree, actPaneList, actPaneDetail, actDrawer:
		return true
	}
	return false
}

// taker is a message that knows what to do. The screen is drawn anew after it.
type taker interface {
	take(m *Model) tea.Cmd
}
