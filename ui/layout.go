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

// arrangement is what the user chose of the layout.
type layoutOptions struct {
	drawer    bool        // the session tree instead of the messages, where there is no room beside them
	infoPanel bool        // words about a recording instead of messages it does not have
	full      bool        // the detail pane instead of the messages
	whole     bool        // a view instead of everything
	detail    detailPlace // where there is room for both
}

// layout says where everything stands. An empty rectangle is not drawn. The
// title lines of panes are inside their rectangles, at the top.
type layout struct {
	w, h      int
	tiny      bool
	header    term.Rect
	tree      term.Rect
	infoPanel term.Rect // what the selected line of the tree stands for
	lifecycle term.Rect // two lines and a title, or one line without
	list      term.Rect
	detail    term.Rect
	view      term.Rect // a view of its own
	rule      term.Rect // the line above the status line
	status    term.Rect
	hints     term.Rect
	columns   bool // the list has a line with the names of its columns
	drawer    bool // the tree has the whole width, there is no list
	beside    bool // the detail pane stands right of the list
}

const (
	minWidth, minHeight = 40, 8
	treeBeside          = 110 // from here on there is room for the tree beside the rest
	gutter              = 1   // the line between the tree and the rest
	infoPanelHeight     = 9   // of the words below a tree of the whole width
)

// arrange computes the layout of a screen of w by h cells.
func arrange(w, h int, a layoutOptions) layout {
	l := layout{w: w, h: h, tiny: w < minWidth || h < minHeight}
	if l.tiny {
		return l
	}
	l.header = term.Rect{X: 0, Y: 0, W: w, H: 1}
	bottom := h - 1
	l.status = term.Rect{X: 0, Y: bottom, W: w, H: 1}
	bare := h < 12 || w < 60
	if !bare {
		l.hints = term.Rect{X: 0, Y: bottom, W: w, H: 1}
		bottom--
		l.status.Y = bottom
	}
	if h >= 20 {
		bottom--
		l.rule = term.Rect{X: 0, Y: bottom, W: w, H: 1}
	}
	body := term.Rect{X: 0, Y: 1, W: w, H: bottom - 1}
	if a.whole {
		l.view = body
		return l
	}
	body = l.placeTree(body, a)
	switch {
	case l.drawer:
		return l
	case a.infoPanel:
		l.infoPanel = body
		return l
	}
	if !bare {
		l.lifecycle = term.Rect{X: body.X, Y: body.Y, W: body.W, H: 1}
		if w >= 110 && h >= 24 {
			l.lifecycle.H = 3
		}
		body.Y += l.lifecycle.H
		body.H -= l.lifecycle.H
	}
	l.placeDetail(body, a)
	l.columns = l.list.H >= 12 || l.list.W >= 90 && l.list.H >= 8
	return l
}

func (l *layout) placeTree(body term.Rect, a layoutOptions) term.Rect {
	switch {
	case l.w >= 160:
		l.tree = term.Rect{X: 0, Y: body.Y, W: 32, H: body.H}
	case l.w >= treeBeside:
		l.tree = term.Rect{X: 0, Y: body.Y, W: 27, H: body.H}
	default:
		if l.drawer = a.drawer; l.drawer {
			l.tree = body
			if l.h >= 20 {
				l.infoPanel = term.Rect{X: 0, Y: body.Y + body.H - infoPanelHeight, W: body.W, H: infoPanelHeight}
				l.tree.H -= infoPanelHeight
			}
		}
		return body
	}
	body.X = l.tree.W + gutter
	body.W -= body.X
	return body
}

func (l *layout) placeDetail(body term.Rect, a layoutOptions) {
	l.list = body
	both := l.w >= 80 && l.h >= 20 && a.detail != detailOff
	switch {
	case a.full:
		l.list, l.detail = term.Rect{}, body
	case !both:
	case a.detail == detailRight || a.detail == detailAuto && l.w >= 160:
		l.beside = true
		l.list.W = max(body.W*58/100, 48)
		l.detail = term.Rect{X: body.X + l.list.W + gutter, Y: body.Y, W: body.W - l.list.W - gutter, H: body.H}
	default:
		l.list.H = max(body.H*48/100, 5)
		l.detail = term.Rect{X: body.X, Y: body.Y + l.list.H, W: body.W, H: body.H - l.list.H}
	}
}

// rows is how many messages the list can show.
func (l *layout) rows() int {
	n := l.list.H - 1
	if l.columns {
		n--
	}
	return max(n, 0)
}
