package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/view"
)

// waterfall is the view of what took long: the rows of the list, with a bar for
// each on an axis of time. The selection is that of the list.
type waterfall struct {
	library.Scope
	lines view.Scroller
	was   view.Scroller // as refresh left it
	axis  axis
	sweep sweep
	sum   bounds // of the last sweep that came to its end, or of the first one so far
	swept bool   // up to the newest row
	known bool   // sum is of a whole sweep
	edits int    // of the list, when the sweep began
	order barOrder
	pace
	chart chart // where it stands on the screen
}

// chart is the part of the screen that shows bars.
type chart struct{ x, top, w int }

func newWaterfall() *waterfall { return &waterfall{axis: axis{fit: true}} }

func (v *waterfall) commands(h host) []command {
	bars := unless(len(h.Rows().IDs()) > 0, "there is no message to show")
	part := unless(!v.axis.fit, "all of the time is on the screen; + shows a shorter one")
	pan := func(later bool) func() tea.Cmd {
		return do(func() {
			v.axis.pan(later, v.extent(h.Scene()))
			v.selectInside(h)
		})
	}
	zoom := func(in bool) func() tea.Cmd {
		return do(func() { v.axis.zoom(in, v.middle(h), v.extent(h.Scene())) })
	}
	return []command{
		{id: "waterfall.open", key: bind("enter", "enter", "go to the message"), hint: "message", group: move, why: bars, run: func() tea.Cmd { return v.open(h) }},
		{id: "waterfall.back", key: bind("esc", "esc", "back to the messages"), hint: "back", group: move, run: func() tea.Cmd { return h.Run("global.back") }},
		{id: "waterfall.zoom-in", key: bind("+ =", "+ -", "a shorter, a longer time"), title: "zoom in: a shorter time", hint: "zoom", group: look, why: bars, run: zoom(true)},
		{id: "waterfall.zoom-out", key: bind("- _", "", ""), title: "zoom out: a longer time", why: bars, run: zoom(false)},
		{id: "waterfall.scroll-left", key: bind("h left", "h l", "earlier, later"), title: "pan to an earlier time", hint: "pan", group: move, why: part, run: pan(false)},
		{id: "waterfall.scroll-right", key: bind("l right", "", ""), title: "pan to a later time", why: part, run: pan(true)},
		{id: "waterfall.fit", key: bind("0", "0", "all of the time"), hint: when(!v.axis.fit, "fit"), group: look, run: do(func() { v.axis = axis{fit: true} })},
		{id: "waterfall.now", key: bind(".", ".", "stay at the end"), hint: when(v.axis.fit || !v.axis.ends, "now"), group: look, run: do(func() {
			v.axis.follow(v.extent(h.Scene()))
			h.Follow(true)
		})},
		{id: "waterfall.order", key: bind("o", "o", "by start, latency, method"), hint: "order", group: look, why: bars, run: do(func() {
			v.order = barOrder{by: (v.order.by + 1) % orders}
			v.was.Lines = 0
			h.Follow(false)
		})},
		{id: "waterfall.filter", key: bind("/", "/", "filter the messages"), hint: "filter", group: look, run: func() tea.Cmd { return h.Run("messages.filter") }},
		{id: "waterfall.copy-report", key: bind("y", "y", "copy the rows as a table"), hint: "copy", group: act, why: bars, run: func() tea.Cmd { return v.copy(h) }},
	}
}

// open goes to the selected message.
func (v *waterfall) open(h host) tea.Cmd {
	if row := v.selected(h.Rows()); row != nil {
		return h.Jump(v.Rec, uint64(row.Request))
	}
	return nil
}

// follows says whether the last line is the newest message.
func (v *waterfall) follows() bool { return v.order.by == barsByStart }

func (v *waterfall) area() area               { return inWaterfall }
func (v *waterfall) name() safe.Text          { return "waterfall" }
func (v *waterfall) scroller() *view.Scroller { return &v.lines }

const viewTick = 250 * time.Millisecond

// pace says what a view waits for.
type pace struct {
	working bool // the rest of its work
	ticking bool // to draw what grows
}

func (p *pace) wake(after time.Duration) {
	if after == 0 {
		p.working = false
	} else {
		p.ticking = false
	}
}

// goOn lets a view work on, and draw what grows.
func (p *pace) goOn(h host, v sleeper, more, grows bool) (cmds []tea.Cmd) {
	if more && !p.working {
		p.working = true
		cmds = append(cmds, h.Later(v, 0))
	}
	if grows && !p.ticking && !h.Scene().Frozen {
		p.ticking = true
		cmds = append(cmds, h.Later(v, viewTick))
	}
	return cmds
}

func (v *waterfall) refresh(h host) tea.Cmd {
	s, l := h.Scope(), h.Rows()
	if s.Rec == nil {
		return nil
	}
	if l.Frames() {
		h.Run("global.frames") // a bar is an exchange
	}
	if v.Scope != s {
		*v = waterfall{Scope: s, axis: axis{fit: true}, order: barOrder{by: v.order.by}, edits: l.Edits()}
	}
	more := v.measure(l)
	var sorting tea.Cmd
	if v.order.advance(s.Rec, l, h.Scene().Now) {
		sorting = v.order.sort(v)
	}
	v.sync(h)
	return tea.Batch(append(v.goOn(h, v, more || v.order.gathering(), v.grows(l)), sorting)...)
}

// measure goes on with the sweep over the rows and says whether there is more
// to do. A sweep that runs is not disturbed by a row that comes or goes.
func (v *waterfall) measure(l messages.Rows) bool {
	if v.edits != l.Edits() && (v.swept || v.sweep.next > len(l.IDs())) {
		v.sweep, v.swept, v.edits = sweep{}, false, l.Edits()
	}
	done := v.sweep.step(v.Rec, l.IDs(), view.Batch)
	if done || !v.known {
		v.sum = v.sweep.bounds
	}
	v.swept, v.known = done, v.known || done
	return !done || v.edits != l.Edits()
}

// sync makes one selection of that of the list and that of the view. What was
// moved by a key wins.
func (v *waterfall) sync(h host) {
	l, sc := h.Rows(), h.Scene()
	ids := v.order.ids(l)
	if len(ids) == 0 {
		v.lines.Fit(0, v.lines.Height)
		v.was = v.lines
		return
	}
	moved := v.lines.Sel != v.was.Sel && v.was.Lines > 0
	if moved || v.lines.Top < v.was.Top {
		h.Follow(false)
	}
	v.lines.Lines = len(ids)
	if moved {
		v.lines.Sel = max(0, min(v.lines.Sel, len(ids)-1))
		h.Select(ids[v.lines.Sel])
		v.axis.reveal(v.row(ids[v.lines.Sel]), v.extent(sc))
	} else if at := v.order.position(l, v.lines.Sel); at != v.lines.Sel || v.was.Lines == 0 {
		v.lines.Sel = at
		v.lines.Move(0)
		if !l.Following() && v.was.Lines > 0 {
			v.axis.reveal(v.row(ids[at]), v.extent(sc))
		}
	}
	v.lines.Scroll(0)
	v.was = v.lines
}

func (v *waterfall) row(id uint32) *session.Row { return v.Rec.Tracker.Row(int(id)) }

// seen are the rows on the screen.
func (v *waterfall) seen(l messages.Rows) []uint32 {
	ids := v.order.ids(l)
	top := max(0, min(v.lines.Top, len(ids)))
	return ids[top:min(top+max(v.lines.Height, 0), len(ids))]
}

// grows says whether a bar on the screen does.
func (v *waterfall) grows(l messages.Rows) bool {
	if !v.Rec.Live {
		return false
	}
	for _, id := range v.seen(l) {
		if library.Unfinished(v.row(id)) {
			return true
		}
	}
	return false
}

// selected is the selected row, nil when there is none.
func (v *waterfall) selected(l messages.Rows) *session.Row {
	if id, ok := l.Selected(); ok && !l.Frames() {
		return v.row(id)
	}
	return nil
}

func (v *waterfall) click(h host, x, y int) tea.Cmd {
	ids := v.order.ids(h.Rows())
	i := v.lines.Top + y - v.chart.top
	if y < v.chart.top || y >= v.chart.top+v.lines.Height || i >= len(ids) {
		return nil
	}
	v.lines.Sel = i
	if h.Clicked(ids[i]) {
		v.sync(h)
		return v.open(h)
	}
	return nil
}
