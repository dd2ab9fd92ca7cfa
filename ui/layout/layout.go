// Package layout says where the parts of the screen stand. It is pure.
package layout

import (
	"midwire/ui/term"
	"midwire/ui/timeline"
)

// Options is what the user chose of the layout, and what there is to show.
type Options struct {
	InfoPanel bool // words about a recording instead of messages it does not have
	Full      bool // the detail pane instead of the messages
	Whole     bool // a view instead of everything
	Told      bool // something is said in the status line all the time
	Reading   bool // the detail pane has the focus: it gets most of the room
	Held      int  // messages that wait at the gate: they stand above the list
	Sessions  int  // how many are shown together
	Lines     int  // of the list, which needs no more room than for these; 0 for what is not known

	// Account is how many lines of so many cells the account of what is shown fills, nil where
	// nothing went wrong.
	Account func(w int) int
}

// Layout says where everything stands. An empty rectangle is not drawn. The
// frames of panes are inside their rectangles.
type Layout struct {
	W, H      int
	Tiny      bool
	Boxed     bool      // panes have boxes around them
	InfoPanel term.Rect // words about a recording without messages
	Lifecycle term.Rect // the life cycle of the session, framed where it is more than a line
	List      term.Rect
	Detail    term.Rect
	View      term.Rect // a view of its own
	Status    term.Rect // where there is something to say; without a height it covers what stands there
	Hints     term.Rect
	Above     int  // lines of the list in which it says what is held
	Columns   bool // the list has a line with the names of its columns
}

const (
	minWidth, minHeight = 40, 8

	aroundHeld = 2 // lines: what follows is held, and what follows is not
)

// Boxed says whether a screen has room for boxes around its panes.
func Boxed(w, h int) bool { return term.Wide(w-2) && h >= 24 }

// Roomy says whether there is room for words that are not needed.
func (l *Layout) Roomy() bool { return term.Wide(l.W - 2) }

// Of computes the layout of a screen of w by h cells.
func Of(w, h int, a Options) Layout {
	l := Layout{W: w, H: h, Tiny: w < minWidth || h < minHeight, Boxed: Boxed(w, h)}
	if l.Tiny {
		return l
	}
	bottom := h - 1
	l.Status = term.Rect{X: 0, Y: bottom, W: w, H: 1}
	bare := h < 12 || term.Narrow(w)
	if !bare {
		l.Hints = term.Rect{X: 0, Y: bottom, W: w, H: 1}
		l.Status.Y--
		if a.Told || h < 20 {
			bottom--
		} else {
			l.Status.H = 0
		}
	}
	body := term.Rect{X: 0, Y: 1, W: w, H: bottom - 1}
	if a.Whole {
		l.View = body
		return l
	}
	if a.InfoPanel {
		l.InfoPanel = body
		return l
	}
	if !bare {
		l.Lifecycle = term.Rect{X: body.X, Y: body.Y, W: body.W, H: timeline.Height(a.Sessions, h, l.Boxed)}
		body.Y += l.Lifecycle.H
		body.H -= l.Lifecycle.H
	}
	l.placeDetail(body, a)
	l.Columns = l.List.H >= 12 || term.Wide(l.List.W) && l.List.H >= 6
	if a.Held > 0 {
		if l.Above = min(a.Held+aroundHeld, l.Rows()/2); l.Above <= aroundHeld {
			l.Above = 0
		}
	}
	return l
}

func (l *Layout) placeDetail(body term.Rect, a Options) {
	l.List = body
	both := !term.Narrow(l.W) && l.H >= 20
	switch {
	case a.Full:
		l.List, l.Detail = term.Rect{}, body
	case !both:
	case a.Account != nil && l.W >= besideW:
		l.List.W = l.W * 12 / 25
		l.Detail = term.Rect{X: l.List.W, Y: body.Y, W: body.W - l.List.W, H: body.H}
	default:
		l.List.H = body.H - l.detailHeight(body.H, a)
		l.Detail = term.Rect{X: body.X, Y: body.Y + l.List.H, W: body.W, H: body.H - l.List.H}
	}
}

const (
	leastRows   = 6 // of the list, while it is not read
	leastDetail = 3

	besideW = 180 // cells of a screen on which an account stands beside the list
)

// Beside says whether the detail pane is beside the list.
func (l *Layout) Beside() bool { return l.Detail.X > 0 }

// detailHeight is how many lines the detail pane below the list gets of h: about
// a quarter, and two thirds while it is read.
func (l *Layout) detailHeight(h int, a Options) int {
	frame := h - l.Inside(term.Rect{H: h}).H
	n, least := max(((l.H-2)*26+50)/100, 6), leastRows
	if a.Reading {
		n = h * 2 / 3
	}
	if a.Account != nil {
		least = leastDetail
		n = max(n, min(a.Account(l.Inside(term.Rect{W: l.W}).W)+frame, h-max(h*2/5, leastRows+frame+1)))
	}
	if a.Lines > 0 { // what the list does not need
		n = max(n, h-max(a.Lines+1, least)-frame)
	}
	return max(min(n, h-least-frame-1), leastDetail+frame)
}

// Inside is what is left in a rectangle after its frame was drawn.
func (l *Layout) Inside(r term.Rect) term.Rect {
	if l.Boxed {
		return term.Rect{X: r.X + 1, Y: r.Y + 1, W: max(r.W-2, 0), H: max(r.H-2, 0)}
	}
	return term.Rect{X: r.X, Y: r.Y + 1, W: r.W, H: max(r.H-1, 0)}
}

// Rows is how many messages the list can show.
func (l *Layout) Rows() int {
	n := l.Inside(l.List).H
	if l.Columns {
		n--
	}
	return max(n-l.Above, 0)
}

// ListWidth is how many cells a row of the list has.
func (l *Layout) ListWidth() int {
	return max(l.Inside(l.List).W, 0)
}
