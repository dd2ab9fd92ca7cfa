// Package sequence is the view of who said what when: arrows between a client
// and a server.
package sequence

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/term"
	"midwire/ui/view"
)

// View is the view of who said what when: arrows between a client and a
// server. It tells of the rows that the list shows; the selection is that of
// the list.
type View struct {
	library.Scope
	lines view.Scroller
	was   view.Scroller // as refresh left it
	at    uint32        // the selection of the list then
	log   eventLog
	edits int  // of the list, when reading began
	whole bool // nothing is folded
	view.Pace
	top int // line of the screen where the arrows begin
}

// New makes a sequence diagram.
func New() view.View { return &View{} }

// Commands implements view.View.
func (v *View) Commands(h view.Host) []keymap.Command {
	some := keymap.Unless(v.count() > 0, "there is no message to show")
	several := keymap.Unless(v.Sessions() > 1, "there is one lane")
	lanes := keymap.Lanes("lane", keymap.When(v.Sessions() > 1, "lane"), several, keymap.Step(v.goLane))
	return []keymap.Command{
		keymap.Open("go to the message", "message", some, func() tea.Cmd { return v.open(h) }),
		lanes[0], lanes[1],
		keymap.Regroup("fold pings, progress, or not", keymap.When(v.folds(), "fold"), func() {
			v.whole = !v.whole
			v.begin(h.Rows())
		}),
	}
}

// session is that of a line, everyone when it has none.
func (v *View) session(i int) int {
	if e := v.event(i); e.row >= 0 && e.kind != eventGap {
		return int(v.Rec.Tracker.Row(int(e.row)).Session)
	}
	return everyone
}

func (v *View) seen(height int) (out []int) {
	top := term.Reveal(v.lines.Top, v.lines.Sel, height, v.count())
	for i := top; i < min(top+height, v.count()); i++ {
		if s := v.session(i); s != everyone && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// goLane selects the nearest line of the next lane that has one, or of the one
// before.
func (v *View) goLane(by int) {
	n := v.Sessions()
	for want := v.session(v.lines.Sel) + by; want >= 0 && want < n; want += by {
		for d := 1; d < min(v.count(), view.Batch); d++ {
			for _, i := range []int{v.lines.Sel + d, v.lines.Sel - d} {
				if i >= 0 && i < v.count() && v.session(i) == want {
					v.lines.Move(i - v.lines.Sel)
					return
				}
			}
		}
	}
}

var _ view.Follower = (*View)(nil)

// Follows says that the last line is the newest message.
func (v *View) Follows() bool { return true }

// What view.View asks for.
func (v *View) Area() keymap.Area        { return keymap.Sequence }
func (v *View) Name() safe.Text          { return "sequence" }
func (v *View) Scroller() *view.Scroller { return &v.lines }

// Refresh implements view.View.
func (v *View) Refresh(h view.Host) tea.Cmd {
	s, l := h.Scope(), h.Rows()
	if s.Rec == nil {
		return nil
	}
	switch {
	case v.Scope != s:
		*v = View{Scope: s, edits: l.Edits, whole: v.whole}
	case v.edits != l.Edits && !v.log.more:
		v.begin(l)
	}
	v.log.read(s.Rec, l, !v.whole, view.Batch)
	v.sync(h)
	return tea.Batch(v.GoOn(h, v, v.log.more, v.grows())...)
}

// begin reads everything again. The selection is found by the message.
func (v *View) begin(l *messages.List) {
	v.log, v.edits = eventLog{}, l.Edits
	v.was.Lines = 0
}

// count is how many lines there are: the events, and what is waited for.
func (v *View) count() int { return len(v.log.events) + len(v.log.tail) }

func (v *View) event(i int) event {
	switch s := &v.log; {
	case i < 0 || i >= v.count():
		return event{row: -1}
	case i < len(s.events):
		return s.events[i]
	default:
		return event{kind: eventWaits, row: s.tail[i-len(s.events)]}
	}
}

// sync makes one selection of that of the list and that of the view. What was
// moved by a key wins.
func (v *View) sync(h view.Host) {
	l, n := h.Rows(), v.count()
	moved := v.lines.Sel != v.was.Sel && v.was.Lines > 0
	if moved || v.lines.Top < v.was.Top {
		h.Rows().Pause()
	}
	v.lines.Lines = n
	switch {
	case moved:
		v.lines.Sel = max(0, min(v.lines.Sel, n-1))
		if e := v.event(v.lines.Sel); e.kind != eventGap && e.row >= 0 {
			h.Rows().Selection = uint32(e.row)
		}
	case l.Follow:
		v.lines.Sel = n - 1
		v.lines.Move(0)
	case v.was.Lines == 0 || l.Selection != v.at:
		id, _ := l.Selected()
		if i := v.log.find(id); i >= 0 {
			v.lines.Sel = i
		}
		v.lines.Move(0)
	}
	v.lines.Scroll(0)
	v.was, v.at = v.lines, l.Selection
}

func (v *View) grows() bool {
	return v.Rec.Live && len(v.log.tail) > 0 && v.lines.Top+v.lines.Height > len(v.log.events)
}

func (v *View) open(h view.Host) tea.Cmd {
	e := v.event(v.lines.Sel)
	switch {
	case e.row < 0 || e.kind == eventGap:
		return nil
	case e.n == 0:
		return h.Jump(v.Rec, uint64(v.Rec.Tracker.Row(int(e.row)).Request))
	}
	return h.Jump(v.Rec, uint64(e.n))
}

func (v *View) folds() bool { return v.whole || v.log.pings+v.log.progress > 0 }

// Click implements view.View.
func (v *View) Click(h view.Host, _, y int) tea.Cmd {
	i := v.lines.Top + y - v.top
	if y < v.top || y >= v.top+v.lines.Height || i >= v.count() {
		return nil
	}
	again := i == v.lines.Sel
	if v.lines.Sel = i; again {
		return v.open(h)
	}
	return nil
}
