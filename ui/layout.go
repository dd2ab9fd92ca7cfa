package ui

import "midwire/ui/term"

// Where the detail pane stands.
type detailPlace uint8

const (
	detailAuto detailPlace = iota
	detailRight
	detailBelow
	detailOff
)

// layoutOptions is what the user chose of the layout, and what there is to show.
type layoutOptions struct {
	infoPanel bool        // words about a recording instead of messages it does not have
	full      bool        // the detail pane instead of the messages
	whole     bool        // a view instead of everything
	told      bool        // something is said in the status line all the time
	detail    detailPlace // where there is room for both
}

// layout says where everything stands. An empty rectangle is not drawn. The
// frames of panes are inside their rectangles.
type layout struct {
	w, h      int
	tiny      bool
	boxed     bool // panes have boxes around them
	header    term.Rect
	infoPanel term.Rect // words about a recording without messages
	lifecycle term.Rect // the life cycle of the session, framed where it is more than a line
	list      term.Rect
	detail    term.Rect
	view      term.Rect // a view of its own
	status    term.Rect // where there is something to say; without a height it covers what stands there
	hints     term.Rect
	columns   bool // the list has a line with the names of its columns
	beside    bool // the detail pane stands right of the list
}

const (
	minWidth, minHeight = 40, 8
)

// boxed says whether a screen has room for boxes around its panes.
func boxed(w, h int) bool { return w >= 100 && h >= 24 }

// arrange computes the layout of a screen of w by h cells.
func arrange(w, h int, a layoutOptions) layout {
	l := layout{w: w, h: h, tiny: w < minWidth || h < minHeight, boxed: boxed(w, h)}
	if l.tiny {
		return l
	}
	l.header = term.Rect{X: 0, Y: 0, W: w, H: 1}
	bottom := h - 1
	l.status = term.Rect{X: 0, Y: bottom, W: w, H: 1}
	bare := h < 12 || w < 60
	if !bare {
		l.hints = term.Rect{X: 0, Y: bottom, W: w, H: 1}
		l.status.Y--
		if a.told || h < 20 {
			bottom--
		} else {
			l.status.H = 0
		}
	}
	body := term.Rect{X: 0, Y: 1, W: w, H: bottom - 1}
	if a.whole {
		l.view = body
		return l
	}
	if a.infoPanel {
		l.infoPanel = body
		return l
	}
	if !bare {
		l.lifecycle = term.Rect{X: body.X, Y: body.Y, W: body.W, H: 1}
		if l.boxed {
			l.lifecycle.H = 4
		}
		body.Y += l.lifecycle.H
		body.H -= l.lifecycle.H
	}
	l.placeDetail(body, a)
	l.columns = l.list.H >= 12 || l.list.W >= 90 && l.list.H >= 8
	return l
}

func (l *layout) placeDetail(body term.Rect, a layoutOptions) {
	l.list = body
	both := l.w >= 80 && l.h >= 20 && a.detail != detailOff
	switch {
	case a.full:
		l.list, l.detail = term.Rect{}, body
	case !both:
	case a.detail == detailRight:
		l.beside = true
		l.list.W = max(body.W*58/100, 48)
		x := l.list.W + l.gutter()
		l.detail = term.Rect{X: body.X + x, Y: body.Y, W: body.W - x, H: body.H}
	default:
		l.list.H = max(body.H*54/100, 5)
		l.detail = term.Rect{X: body.X, Y: body.Y + l.list.H, W: body.W, H: body.H - l.list.H}
	}
}

// gutter is how many cells stand between panes beside each other.
func (l *layout) gutter() int {
	if l.boxed {
		return 0
	}
	return 1
}

// inside is what is left in a rectangle after its frame was drawn.
func (l *layout) inside(r term.Rect) term.Rect {
	if l.boxed {
		return term.Rect{X: r.X + 1, Y: r.Y + 1, W: max(r.W-2, 0), H: max(r.H-2, 0)}
	}
	return term.Rect{X: r.X, Y: r.Y + 1, W: r.W, H: max(r.H-1, 0)}
}

// rows is how many messages the list can show.
func (l *layout) rows() int {
	n := l.inside(l.list).H
	if l.columns {
		n--
	}
	return max(n, 0)
}
