package ui

import (
	"midwire/ui/term"
	"midwire/ui/timeline"
)

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
	reading   bool        // the detail pane has the focus: it gets most of the room
	sessions  int         // how many are shown together
	grown     [2]int      // lines that the detail pane got besides its share, while not reading and while reading
	wider     int         // columns that the list got besides its share, beside the detail pane
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
	bar       bool // the list has a scroll bar
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
		l.lifecycle = term.Rect{X: body.X, Y: body.Y, W: body.W, H: timeline.Height(a.sessions, h, l.boxed)}
		body.Y += l.lifecycle.H
		body.H -= l.lifecycle.H
	}
	l.placeDetail(body, a)
	l.bar = l.list.W >= 60
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
		l.list.W = max(min(body.W*58/100+a.wider, body.W-30), 48)
		x := l.list.W + l.gutter()
		l.detail = term.Rect{X: body.X + x, Y: body.Y, W: body.W - x, H: body.H}
	default:
		l.list.H = body.H - l.detailHeight(body.H, a)
		l.detail = term.Rect{X: body.X, Y: body.Y + l.list.H, W: body.W, H: body.H - l.list.H}
	}
}

const (
	leastRows   = 6 // of the list, while it is not read
	leastDetail = 3
)

// detailHeight is how many lines the detail pane below the list gets of h: about
// a quarter, and two thirds while it is read.
func (l *layout) detailHeight(h int, a layoutOptions) int {
	frame := h - l.inside(term.Rect{H: h}).H
	n := max(((l.h-2)*26+50)/100, 6)
	if a.reading {
		n = h * 2 / 3
	}
	n += a.grown[a.mode()]
	return max(min(n, h-leastRows-frame-1), leastDetail+frame)
}

// mode is which of the two shares of the panes holds.
func (a *layoutOptions) mode() int {
	if a.reading {
		return 1
	}
	return 0
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

// listWidth is how many cells a row of the list has.
func (l *layout) listWidth() int {
	w := l.inside(l.list).W
	if l.bar && !l.boxed {
		w--
	}
	return max(w, 0)
}

// Grow gives the pane with the focus n lines more, or columns where the panes
// stand beside each other, within the bounds of the layout.
func (m *Model) Grow(n int) {
	if (m.focus == paneDetail) == m.layout.beside {
		n = -n
	}
	if m.layout.beside {
		n *= 2
	}
	m.moveDivider(n)
}

// moveDivider moves the line between list and detail up, or right. What the bounds
// of the layout do not allow is forgotten.
func (m *Model) moveDivider(n int) {
	l, a := &m.layout, &m.layoutOptions
	size, grown := &l.detail.H, &a.grown[a.mode()]
	if l.beside {
		size, grown = &l.list.W, &a.wider
	}
	if before := *size; l.list.W > 0 && l.detail.W > 0 {
		*grown += n
		m.rearrange()
		*grown += *size - before - n
	}
}

// onDivider says whether a cell is on the line between list and detail, and not on
// the name of a tab.
func (m *Model) onDivider(x, y int) bool {
	list, detail := m.layout.list, m.layout.detail
	switch {
	case list.W == 0 || detail.W == 0:
		return false
	case m.layout.beside:
		return y >= list.Y && y < list.Y+list.H && (x == detail.X || x == detail.X-1)
	}
	tabs := detail.X + m.tabSpans()[0][0]
	return x >= list.X && x < list.X+list.W && (y == detail.Y && x < tabs || m.layout.boxed && y == detail.Y-1)
}

// dragTo moves the divider to where the mouse is.
func (m *Model) dragTo(x, y int) {
	m.dirty = true
	if m.layout.beside {
		m.moveDivider(x - m.layout.detail.X)
	} else {
		m.moveDivider(m.layout.detail.Y - y)
	}
}

// clickLane chooses the session of a lane; a second click shows it alone.
func (m *Model) clickLane(line int) {
	if m.layout.boxed {
		line--
	}
	i := m.strip.At(line)
	if i < 0 {
		return
	}
	m.focusPane(paneList)
	if again := m.Clicked(uint32(i) | 1<<31); m.list.GoToSession(i) && again {
		m.Narrow(i)
	}
}
