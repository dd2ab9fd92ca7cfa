// Package waterfall is the view of what took long: bars on an axis of time.
package waterfall

import (
	"slices"

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
	span  span
	drawn struct { // the latest scale, and what it was made of
		scale
		rows int
	}
	flat  bool // not grouped by session
	group messages.Sections
	head  int    // the session on whose heading the cursor is, or noHead
	at    uint32 // the selection of the list at the last refresh
	view.Pace
	placed bool // the window was opened around the cursor, or is of all of the time
	left   int  // cells before the bars: no fewer than names on the screen needed so far
	wide   int  // of so many
	top    int  // line of the screen that the bars begin on
}

// noHead says that the cursor is on a row.
const noHead = -100

// New makes a waterfall that shows all of the time.
func New() view.View { return &View{axis: axis{fit: true}, head: noHead} }

// Commands implements view.View.
func (v *View) Commands(h view.Host) []keymap.Command {
	bars := keymap.Unless(len(h.Rows().Visible) > 0, "there is no message to show")
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
	several := keymap.Unless(v.group.On, "the rows are not grouped by session")
	next := keymap.Lanes("session", keymap.When(v.group.On, "session"), several, keymap.Step(func(step int) {
		v.lines.Move(v.group.Next(h.Rows(), v.lines.Sel, step > 0) - v.lines.Sel)
	}))
	return []keymap.Command{
		keymap.Open("go to the message; fold a session", v.openHint(), bars, func() tea.Cmd { return v.open(h) }),
		next[0], next[1],
		keymap.Regroup("group by session, or not", keymap.When(v.Sessions() > 1, "group"), func() {
			v.flat, v.head, v.was.Lines = !v.flat, noHead, 0
		}),
		{
			ID: "waterfall.zoom-in", Key: keymap.Bind("+ =", "+ -", "a shorter, a longer time"), Title: "zoom in: a shorter time", Hint: "zoom",
			Group: keymap.Look, Why: bars, Run: zoom(true),
		},
		{ID: "waterfall.zoom-out", Key: keymap.Bind("- _", "", ""), Title: "zoom out: a longer time", Why: bars, Run: zoom(false)},
		{
			ID: "waterfall.scroll-left", Key: keymap.Bind("h left", "h l", "earlier, later"), Title: "pan to an earlier time", Hint: "pan",
			Group: keymap.Move, Why: part, Run: pan(false),
		},
		{ID: "waterfall.scroll-right", Key: keymap.Bind("l right", "", ""), Title: "pan to a later time", Why: part, Run: pan(true)},
		{
			ID: "waterfall.fit", Key: keymap.Bind("0", "0", "all of the time"), Hint: keymap.When(!v.axis.fit, "fit"),
			Group: keymap.Look, Run: keymap.Do(func() { v.axis = axis{fit: true} }),
		},
		{
			ID: "waterfall.now", Key: keymap.Bind(".", ".", "stay at the end"), Hint: keymap.When(v.axis.fit || !v.axis.ends, "now"),
			Group: keymap.Look, Run: keymap.Do(func() {
				v.axis.follow(v.extent(h.Scene()))
				h.Rows().Resume()
			}),
		},
	}
}

func (v *View) openHint() safe.Text {
	if v.head != noHead {
		return "fold"
	}
	return "message"
}

// open goes to the selected message, or folds the section of which the heading
// is selected.
func (v *View) open(h view.Host) tea.Cmd {
	if v.head != noHead {
		v.group.Fold(v.head)
		return nil
	}
	if row := v.selected(h.Rows()); row != nil {
		return h.Jump(v.Rec, uint64(row.Request))
	}
	return nil
}

var _ view.Follower = (*View)(nil)

// Follows says whether the last line is the newest message.
func (v *View) Follows() bool { return !v.group.On }

// What view.View asks for.
func (v *View) Area() keymap.Area        { return keymap.Waterfall }
func (v *View) Name() safe.Text          { return "waterfall" }
func (v *View) Scroller() *view.Scroller { return &v.lines }

// Refresh implements view.View.
func (v *View) Refresh(h view.Host) tea.Cmd {
	s, l := h.Scope(), h.Rows()
	if s.Rec == nil {
		return nil
	}
	if v.Scope != s {
		*v = View{Scope: s, axis: axis{fit: true}, flat: v.flat, head: noHead}
	}
	v.span.extend(v.Rec, l)
	grouped := v.Sessions() > 1 && !v.flat
	if grouped != v.group.On {
		v.group.On, v.was.Lines = grouped, 0
	}
	v.place(l, h.Scene())
	v.sync(h)
	return tea.Batch(v.GoOn(h, v, false, v.grows(l))...)
}

func (v *View) count(l *messages.List) int {
	if v.group.On {
		return v.group.Lines(l)
	}
	return len(l.Visible)
}

// line is what stands on a line: a row, or the heading of a session.
func (v *View) line(l *messages.List, i int) (id uint32, head int) {
	if v.group.On {
		at := v.group.LineAt(l, i)
		if at.Heading {
			return 0, int(v.row(at.ID).Session)
		}
		return at.ID, noHead
	}
	return l.Visible[i], noHead
}

// position is where the cursor belongs.
func (v *View) position(l *messages.List) int {
	id, _ := l.Selected()
	if !v.group.On {
		return l.Nearest(id)
	}
	if line, ok := v.group.HeadingOf(l, v.head); ok {
		return line
	}
	session := int(v.row(id).Session)
	if v.group.Folded(session) && l.Selection != v.at && !l.Follow {
		v.group.Fold(session)
	}
	return v.group.LineOf(l, id)
}

// sync makes one selection of that of the list and that of the view. What was
// moved by a key wins.
func (v *View) sync(h view.Host) {
	l, sc := h.Rows(), h.Scene()
	n := v.count(l)
	if n == 0 {
		v.lines.Fit(0, v.lines.Height)
		v.was = v.lines
		return
	}
	moved := v.lines.Sel != v.was.Sel && v.was.Lines > 0
	if moved || v.lines.Top < v.was.Top {
		h.Rows().Pause()
	}
	v.lines.Lines = n
	if moved {
		v.lines.Sel = max(0, min(v.lines.Sel, n-1))
		var id uint32
		if id, v.head = v.line(l, v.lines.Sel); v.head == noHead {
			h.Rows().Selection = id
			v.axis.reveal(v.row(id), v.extent(sc))
		}
	} else {
		v.find(h)
	}
	v.lines.Scroll(0)
	v.was, v.at = v.lines, l.Selection
}

// find moves the cursor to where the selection of the list is. What comes in
// above it does not move it on the screen.
func (v *View) find(h view.Host) {
	l := h.Rows()
	same := l.Selection == v.at && v.was.Lines > 0
	if !same {
		v.head = noHead
	}
	at := v.position(l)
	if at == v.lines.Sel && v.was.Lines > 0 {
		return
	}
	if same && v.group.On {
		v.lines.Top += at - v.lines.Sel
	}
	v.lines.Sel = at
	v.lines.Move(0)
	if row := v.selected(l); row != nil && !l.Follow && v.was.Lines > 0 && v.head == noHead {
		v.axis.reveal(row, v.extent(h.Scene()))
	}
}

func (v *View) row(id uint32) *session.Row { return v.Rec.Tracker.Row(int(id)) }

func (v *View) seen(l *messages.List) (out []uint32) {
	for i := max(v.lines.Top, 0); i < min(v.lines.Top+v.lines.Height, v.count(l)); i++ {
		if id, head := v.line(l, i); head == noHead {
			out = append(out, id)
		}
	}
	return out
}

func (v *View) grows(l *messages.List) bool {
	if !v.Rec.Live {
		return false
	}
	unfinished := func(id uint32) bool { return library.Unfinished(v.row(id)) }
	return slices.ContainsFunc(v.seen(l), unfinished) || v.group.On && v.span.open()
}

// selected is the selected row, nil when there is none.
func (v *View) selected(l *messages.List) *session.Row {
	if id, ok := l.Selected(); ok {
		return v.row(id)
	}
	return nil
}

// Click implements view.View.
func (v *View) Click(h view.Host, _, y int) tea.Cmd {
	l := h.Rows()
	i := v.lines.Top + y - v.top
	if y < v.top || y >= v.top+v.lines.Height || i >= v.count(l) {
		return nil
	}
	_, head := v.line(l, i)
	again := i == v.lines.Sel
	v.lines.Sel = i
	if head != noHead {
		v.sync(h)
		v.head = head
		return v.open(h)
	}
	if again {
		v.sync(h)
		return v.open(h)
	}
	return nil
}
