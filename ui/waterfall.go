package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/library"
)

// waterfall is the view of what took long: the rows of the list, with a bar for
// each on an axis of time. The selection is that of the list.
type waterfall struct {
	library.Scope
	lines   scroller
	was     scroller // as refresh left it
	axis    axis
	sweep   sweep
	sum     bounds // of the last sweep that came to its end, or of the first one so far
	swept   bool   // up to the newest row
	known   bool   // sum is of a whole sweep
	edits   int    // of the list, when the sweep began
	order   barOrder
	working bool // a command will ask for the rest of the work
	ticking bool
	chart   chart // where it stands on the screen
}

// chart is the part of the screen that shows bars.
type chart struct{ x, top, w int }

func newWaterfall() *waterfall { return &waterfall{axis: axis{fit: true}} }

// waterfallKeys are those on the waterfall.
func waterfallKeys() []binding {
	return []binding{
		{actOpen, inWaterfall, []string{"enter"}, "enter", "message", "go to the message", move},
		{actBack, inWaterfall, []string{"esc"}, "esc", "back", "back to the messages", move},
		{actZoomIn, inWaterfall, []string{"+", "="}, "+ -", "zoom", "a shorter, a longer time", look},
		{actZoomOut, inWaterfall, []string{"-", "_"}, "", "", "", ""},
		{actScrollLeft, inWaterfall, []string{"h", "left"}, "h l", "pan", "earlier, later", move},
		{actScrollRight, inWaterfall, []string{"l", "right"}, "", "", "", ""},
		{actFit, inWaterfall, []string{"0"}, "0", "fit", "all of the time", look},
		{actNow, inWaterfall, []string{"."}, ".", "now", "stay at the end", look},
		{actOrder, inWaterfall, []string{"o"}, "o", "order", "by start, latency, method", look},
		{actFilter, inWaterfall, []string{"/"}, "/", "filter", "filter the messages", look},
		{actCopyReport, inWaterfall, []string{"y"}, "y", "copy", "copy the rows as a table", act},
	}
}

func (v *waterfall) area() area          { return inWaterfall }
func (v *waterfall) name() safe.Text     { return "waterfall" }
func (v *waterfall) scroller() *scroller { return &v.lines }

// goOnView asks a view for the rest of its work.
type goOnView struct{ v view }

func (g goOnView) take(*Model) tea.Cmd {
	switch v := g.v.(type) {
	case *waterfall:
		v.working = false
	case *sequence:
		v.working = false
	}
	return nil
}

// tickView makes a view draw what grows.
type tickView struct{ v view }

func (t tickView) take(*Model) tea.Cmd {
	switch v := t.v.(type) {
	case *waterfall:
		v.ticking = false
	case *sequence:
		v.ticking = false
	}
	return nil
}

const viewTick = 250 * time.Millisecond

func (v *waterfall) refresh(m *Model) tea.Cmd {
	l := &m.list
	if l.Rec == nil {
		return nil
	}
	if l.frames {
		m.toggleFrames() // a bar is an exchange
	}
	if v.Scope != l.Scope {
		*v = waterfall{Scope: l.Scope, axis: axis{fit: true}, order: barOrder{by: v.order.by}, edits: l.edits}
	}
	more := v.measure(l)
	var sorting tea.Cmd
	if v.order.advance(l, m.scene().Now) {
		sorting = v.order.sort(v)
	}
	v.sync(m)
	var cmds []tea.Cmd
	if (more || v.order.gathering()) && !v.working {
		v.working, m.dirty = true, true
		cmds = append(cmds, func() tea.Msg { return goOnView{v} })
	}
	if !v.ticking && !m.frozen && v.grows(m) {
		v.ticking = true
		cmds = append(cmds, tea.Tick(viewTick, func(time.Time) tea.Msg { return tickView{v} }))
	}
	return tea.Batch(append(cmds, sorting)...)
}

// measure goes on with the sweep over the rows and says whether there is more
// to do. A sweep that runs is not disturbed by a row that comes or goes.
func (v *waterfall) measure(l *list) bool {
	if v.edits != l.edits && (v.swept || v.sweep.next > len(l.vis)) {
		v.sweep, v.swept, v.edits = sweep{}, false, l.edits
	}
	done := v.sweep.step(l.Rec, l.vis, idsPerScan)
	if done || !v.known {
		v.sum = v.sweep.bounds
	}
	v.swept, v.known = done, v.known || done
	return !done || v.edits != l.edits
}

// sync makes one selection of that of the list and that of the view. What was
// moved by a key wins.
func (v *waterfall) sync(m *Model) {
	l := &m.list
	ids := v.order.ids(l)
	if len(ids) == 0 {
		v.lines.fit(0, v.lines.height)
		v.was = v.lines
		return
	}
	moved := v.lines.sel != v.was.sel && v.was.lines > 0
	if moved || v.lines.top < v.was.top {
		l.pause()
	}
	v.lines.lines = len(ids)
	if moved {
		v.lines.sel = max(0, min(v.lines.sel, len(ids)-1))
		l.sel = ids[v.lines.sel]
		v.axis.reveal(l.Rec.Tracker.Row(int(l.sel)), v.extent(m))
	} else if at := v.order.position(l, v.lines.sel); at != v.lines.sel || v.was.lines == 0 {
		v.lines.sel = at
		v.lines.move(0)
		if !l.follow && v.was.lines > 0 {
			v.axis.reveal(l.Rec.Tracker.Row(int(ids[at])), v.extent(m))
		}
	}
	v.lines.scroll(0)
	v.was = v.lines
}

// seen are the rows on the screen.
func (v *waterfall) seen(m *Model) []uint32 {
	ids := v.order.ids(&m.list)
	top := max(0, min(v.lines.top, len(ids)))
	return ids[top:min(top+max(v.lines.height, 0), len(ids))]
}

// grows says whether a bar on the screen does.
func (v *waterfall) grows(m *Model) bool {
	if !m.list.Rec.Live {
		return false
	}
	for _, id := range v.seen(m) {
		if unfinished(m.list.Rec.Tracker.Row(int(id))) {
			return true
		}
	}
	return false
}

// unfinished says whether something of a row is still to come.
func unfinished(row *session.Row) bool {
	return row.End == 0 && (row.Verdict == session.VerdictPending || row.Kind == session.RowHTTP && row.Verdict == session.VerdictOK)
}

func (v *waterfall) do(m *Model, a action) (tea.Cmd, bool) {
	all := v.extent(m)
	switch a {
	case actZoomIn, actZoomOut:
		v.axis.zoom(a == actZoomIn, v.middle(m), all)
	case actScrollLeft, actScrollRight:
		v.axis.pan(a == actScrollRight, all)
		v.selectInside(m)
	case actFit:
		v.axis = axis{fit: true}
	case actNow:
		v.axis.follow(all)
		m.list.resume()
	case actOrder:
		v.order = barOrder{by: (v.order.by + 1) % orders}
		v.was.lines = 0
		m.list.pause()
	case actOpen:
		if row := v.selected(m); row != nil {
			return m.jump(m.list.Rec, uint64(row.Request)), true
		}
	case actCopyReport:
		return v.copy(m), true
	case actFilter:
		return m.filter.edit(m), true
	case actBottom:
		if v.order.by != barsByStart {
			return nil, false
		}
		m.list.resume()
	case actNextProblem, actPrevProblem, actTime, actFollow, actMark:
		m.doView(a)
	default:
		return nil, false
	}
	return nil, true
}

// selected is the selected row, nil when there is none.
func (v *waterfall) selected(m *Model) *session.Row {
	if id, ok := m.list.selected(); ok && !m.list.frames {
		return m.list.Rec.Tracker.Row(int(id))
	}
	return nil
}

func (v *waterfall) click(m *Model, x, y int) tea.Cmd {
	ids := v.order.ids(&m.list)
	i := v.lines.top + y - v.chart.top
	if y < v.chart.top || y >= v.chart.top+v.lines.height || i >= len(ids) {
		return nil
	}
	v.lines.sel = i
	last, now := m.lastRow, m.opts.Now()
	m.lastRow = clicked{ids[i], now}
	if last.id == ids[i] && !last.at.IsZero() && now.Sub(last.at) < doubleClick {
		m.lastRow = clicked{}
		v.sync(m)
		cmd, _ := v.do(m, actOpen)
		return cmd
	}
	return nil
}

func (v *waterfall) useful(m *Model, b binding) bool {
	switch b.do {
	case actBack:
		return true
	case actFit:
		return !v.axis.fit
	case actNow:
		return v.axis.fit || !v.axis.ends
	case actScrollLeft:
		return !v.axis.fit
	}
	return len(m.list.vis) > 0 || b.do == actFilter
}
