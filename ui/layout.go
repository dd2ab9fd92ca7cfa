package ui

// rect is a rectangle of cells.
type rect struct{ x, y, w, h int }

func (r rect) has(x, y int) bool {
	return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h
}

// Where the detail pane stands.
type detailPlace uint8

const (
	detailAuto detailPlace = iota
	detailRight
	detailBelow
	detailOff
)

// arrangement is what the user chose of the layout.
type arrangement struct {
	drawer bool        // the session tree instead of the messages, where there is no room beside them
	card   bool        // words about a recording instead of messages it does not have
	full   bool        // the detail pane instead of the messages
	whole  bool        // a view instead of everything
	detail detailPlace // where there is room for both
}

// layout says where everything stands. An empty rectangle is not drawn. The
// title lines of panes are inside their rectangles, at the top.
type layout struct {
	w, h    int
	tiny    bool
	header  rect
	tree    rect
	card    rect // what the selected line of the tree stands for
	strip   rect // two lines and a title, or one line without
	list    rect
	detail  rect
	view    rect // a view of its own
	rule    rect // the line above the status line
	status  rect
	hints   rect
	columns bool // the list has a line with the names of its columns
	drawer  bool // the tree has the whole width, there is no list
	beside  bool // the detail pane stands right of the list
}

const (
	minWidth, minHeight = 40, 8
	treeBeside          = 110 // from here on there is room for the tree beside the rest
	gutter              = 1   // the line between the tree and the rest
	cardHeight          = 9   // of the words below a tree of the whole width
)

// arrange computes the layout of a screen of w by h cells.
func arrange(w, h int, a arrangement) layout {
	l := layout{w: w, h: h, tiny: w < minWidth || h < minHeight}
	if l.tiny {
		return l
	}
	l.header = rect{0, 0, w, 1}
	bottom := h - 1
	l.status = rect{0, bottom, w, 1}
	bare := h < 12 || w < 60
	if !bare {
		l.hints = rect{0, bottom, w, 1}
		bottom--
		l.status.y = bottom
	}
	if h >= 20 {
		bottom--
		l.rule = rect{0, bottom, w, 1}
	}
	body := rect{0, 1, w, bottom - 1}
	if a.whole {
		l.view = body
		return l
	}
	body = l.placeTree(body, a)
	switch {
	case l.drawer:
		return l
	case a.card:
		l.card = body
		return l
	}
	if !bare {
		l.strip = rect{body.x, body.y, body.w, 1}
		if w >= 110 && h >= 24 {
			l.strip.h = 3
		}
		body.y += l.strip.h
		body.h -= l.strip.h
	}
	l.placeDetail(body, a)
	l.columns = l.list.h >= 12 || l.list.w >= 90 && l.list.h >= 8
	return l
}

func (l *layout) placeTree(body rect, a arrangement) rect {
	switch {
	case l.w >= 160:
		l.tree = rect{0, body.y, 32, body.h}
	case l.w >= treeBeside:
		l.tree = rect{0, body.y, 27, body.h}
	default:
		if l.drawer = a.drawer; l.drawer {
			l.tree = body
			if l.h >= 20 {
				l.card = rect{0, body.y + body.h - cardHeight, body.w, cardHeight}
				l.tree.h -= cardHeight
			}
		}
		return body
	}
	body.x = l.tree.w + gutter
	body.w -= body.x
	return body
}

func (l *layout) placeDetail(body rect, a arrangement) {
	l.list = body
	both := l.w >= 80 && l.h >= 20 && a.detail != detailOff
	switch {
	case a.full:
		l.list, l.detail = rect{}, body
	case !both:
	case a.detail == detailRight || a.detail == detailAuto && l.w >= 160:
		l.beside = true
		l.list.w = max(body.w*58/100, 48)
		l.detail = rect{body.x + l.list.w + gutter, body.y, body.w - l.list.w - gutter, body.h}
	default:
		l.list.h = max(body.h*48/100, 5)
		l.detail = rect{body.x, body.y + l.list.h, body.w, body.h - l.list.h}
	}
}

// rows is how many messages the list can show.
func (l *layout) rows() int {
	n := l.list.h - 1
	if l.columns {
		n--
	}
	return max(n, 0)
}
