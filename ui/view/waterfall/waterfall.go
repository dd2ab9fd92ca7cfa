package waterfall

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/view"
)

// View is the view of what took long: the rows of the list, with a bar for
// each on an axis of time. The selection is that of the list.
type View struct {
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
	view.Pace
	chart chart // where it stands on the screen
}

// chart is the part of the screen that shows bars.
type chart struct{ x, top, w int }

// New makes a waterfall that shows all of the time.
func New() view.View { return &View{axis: axis{fit: true}} }

// Commands implements view.View.
func (v *View) Commands(h view.Host) []keymap.Command {
	bars := keymap.Unless(len(h.Rows().IDs()) > 0, "there is no message to show")
	part := keymap.Unless(!v.axis.fit, "all of the time is on the screen; + shows a shorter one")
	pan := func(later bool) func() tea.Cmd {
		return keymap.Do(func() {
			v.axis.pan(later, v.extent(h.Scene()))
			v.selectInside(h)
		})
	}
	zoom := func(in bool) func() tea.Cmd {
		return keymap.Do(func() { v.axis.zoom(in, v.middle(h), v.extent(h.Scene())) })
	}
	return []keymap.Command{
		{ID: "waterfall.open", Key: keymap.Bind("enter", "enter", "go to the message"), Hint: "message", Group: keymap.Move, Why: bars, Run: func() tea.Cmd { return v.open(h) }},
		{ID: "waterfall.back", Key: keymap.Bind("esc", "esc", "back to the messages"), Hint: "back", Group: keymap.Move, Run: func() tea.Cmd { return h.Run("global.back") }},
		{ID: "waterfall.zoom-in", Key: keymap.Bind("+ =", "+ -", "a shorter, a longer time"), Title: "zoom in: a shorter time", Hint: "zoom", Group: keymap.Look, Why: bars, Run: zoom(true)},
		{ID: "waterfall.zoom-out", Key: keymap.Bind("- _", "", ""), Title: "zoom out: a longer time", Why: bars, Run: zoom(false)},
		{ID: "waterfall.scroll-left", Key: keymap.Bind("h left", "h l", "earlier, later"), Title: "pan to an earlier time", Hint: "pan", Group: keymap.Move, Why: part, Run: pan(false)},
		{ID: "waterfall.scroll-right", Key: keymap.Bind("l right", "", ""), Title: "pan to a later time", Why: part, Run: pan(true)},
		{
			ID: "waterfall.fit", Key: keymap.Bind("0", "0", "all of the time"), Hint: keymap.When(!v.axis.fit, "fit"),
			Group: keymap.Look, Run: keymap.Do(func() { v.axis = axis{fit: true} }),
		},
		{
			ID: "waterfall.now", Key: keymap.Bind(".", ".", "stay at the end"), Hint: keymap.When(v.axis.fit || !v.axis.ends, "now"),
			Group: keymap.Look, Run: keymap.Do(func() {
				v.axis.follow(v.extent(h.Scene()))
				h.Follow(true)
			}),
		},
		{ID: "waterfall.order", Key: keymap.Bind("o", "o", "by start, latency, method"), Hint: "order", Group: keymap.Look, Why: bars, Run: keymap.Do(func() {
			v.order = barOrder{by: (v.order.by + 1) % orders}
			v.was.Lines = 0
			h.Follow(false)
		})},
		{ID: "waterfall.filter", Key: keymap.Bind("/", "/", "filter the messages"), Hint: "filter", Group: keymap.Look, Run: func() tea.Cmd { return h.Run("messages.filter") }},
		{ID: "waterfall.copy-report", Key: keymap.Bind("y", "y", "copy the rows as a table"), Hint: "copy", Group: keymap.Act, Why: bars, Run: func() tea.Cmd { return v.copy(h) }},
	}
}

// open goes to the selected message.
func (v *View) open(h view.Host) tea.Cmd {
	if row := v.selected(h.Rows()); row != nil {
		return h.Jump(v.Rec, uint64(row.Request))
	}
	return nil
}

var _ view.Follower = (*View)(nil)

// Follows says whether the last line is the newest message.
func (v *View) Follows() bool { return v.order.by == barsByStart }

// Area implements view.View.
func (v *View) Area() keymap.Area { return keymap.Waterfall }

// Name implements view.View.
func (v *View) Name() safe.Text { return "waterfall" }

// Scroller implements view.View.
func (v *View) Scroller() *view.Scroller { return &v.lines }

// Refresh implements view.View.
func (v *View) Refresh(h view.Host) tea.Cmd {
	s, l := h.Scope(), h.Rows()
	if s.Rec == nil {
		return nil
	}
	if l.Frames() {
		h.Run("global.frames") // a bar is an exchange
	}
	if v.Scope != s {
		*v = View{Scope: s, axis: axis{fit: true}, order: barOrder{by: v.order.by}, edits: l.Edits()}
	}
	more := v.measure(l)
	var sorting tea.Cmd
	if v.order.advance(s.Rec, l, h.Scene().Now) {
		sorting = v.order.sort(v)
	}
	v.sync(h)
	return tea.Batch(append(v.GoOn(h, v, more || v.order.gathering(), v.grows(l)), sorting)...)
}

// measure goes on with the sweep over the rows and says whether there is more
// to do. A sweep that runs is not disturbed by a row that comes or goes.
func (v *View) measure(l messages.Rows) bool {
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
func (v *View) sync(h view.Host) {
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

func (v *View) row(id uint32) *session.Row { return v.Rec.Tracker.Row(int(id)) }

// seen are the rows on the screen.
func (v *View) seen(l messages.Rows) []uint32 {
	ids := v.order.ids(l)
	top := max(0, min(v.lines.Top, len(ids)))
	return ids[top:min(top+max(v.lines.Height, 0), len(ids))]
}

// grows says whether a bar on the screen does.
func (v *View) grows(l messages.Rows) bool {
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
func (v *View) selected(l messages.Rows) *session.Row {
	if id, ok := l.Selected(); ok && !l.Frames() {
		return v.row(id)
	}
	return nil
}

// Click implements view.View.
func (v *View) Click(h view.Host, x, y int) tea.Cmd {
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
