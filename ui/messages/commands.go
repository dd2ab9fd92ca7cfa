package messages

import (
	"slices"

	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/library"
)

// Host is what the commands of the list need of the screen around it.
type Host interface {
	Scene() *library.Scene
	// Menu opens a menu.
	Menu(c *Chooser)
	// Narrow shows one session, or all; the selection stays where it can.
	Narrow(session int)
	// Grow gives the pane with the focus more lines, or fewer.
	Grow(n int)
	FilterText() string
	KeepOnly(text string)
	WhyNotFilter() safe.Text
}

// Commands change how the list shows its rows.
func (l *List) Commands(h Host) []keymap.Command {
	several := func() bool { return l.Rec != nil && len(l.Rec.Tracker.Sessions()) > 1 }
	alone := keymap.Except(several, "this recording has one session")
	nothing := keymap.Except(func() bool { return l.Rec != nil }, "no recording is shown")
	do := keymap.Do
	return []keymap.Command{
		{
			ID: "messages.group", Key: keymap.Bind("z", "z", "group by session, or by time"), Title: "group the messages by session",
			Words: "sections fold time", Says: keymap.If(func() bool { return several() && l.Session < 0 }, "group"), Group: keymap.Look,
			Why: alone, Run: do(l.Group),
		},
		{ID: "view.fold", In: keymap.List, Key: keymap.Bind("h left", "", ""), Title: "fold the group", Run: do(func() { l.FoldAround() })},
		{
			ID: "messages.next-session", Key: keymap.Bind("J", "J K", "next, previous session"), Title: "go to the next session",
			Says: keymap.If(several, "session"), Group: keymap.Move, Why: alone, Run: do(func() { l.toSession(h, 1) }),
		},
		{
			ID: "messages.previous-session", Key: keymap.Bind("K", "", ""), Title: "go to the previous session",
			Why: alone, Run: do(func() { l.toSession(h, -1) }),
		},
		{
			ID: "messages.only-session", Key: keymap.Bind("i", "i", "only this session, or all"), Title: "show only this session, or all",
			Words: "isolate narrow", Says: keymap.If(several, "only this"), Group: keymap.Look, Why: alone,
			Run: do(func() { l.onlySession(h) }),
		},
		{
			ID: "messages.failing", Key: keymap.Bind("e", "e", "only what failed, or all"), Title: "show only what failed, or all",
			Words: "errors", Group: keymap.Look, Why: h.WhyNotFilter, Run: do(func() { l.onlyFailing(h) }),
		},
		{
			ID: "messages.sort", Key: keymap.Bind("o", "o ^o", "sort by, reverse"), Title: "sort the messages", Words: "order latency size method verdict time",
			Group: keymap.Look, Why: nothing, Run: do(func() { h.Menu(l.SortChooser(&h.Scene().Screen)) }),
		},
		{ID: "messages.reverse", Key: keymap.Bind("ctrl+o", "", ""), Title: "reverse the order", Run: do(l.Reverse)},
		{
			ID: "messages.columns", Key: keymap.Bind("C", "C", "choose the columns"), Title: "choose the columns", Words: "status id size bytes",
			Group: keymap.Look, Why: nothing, Run: do(func() { h.Menu(l.ColumnChooser()) }),
		},
		{
			ID: "global.grow", Key: keymap.Bind(">", "> <", "a larger, smaller pane"), Title: "make the pane larger", Words: "resize divider",
			Group: keymap.Look, Run: do(func() { h.Grow(1) }),
		},
		{ID: "global.shrink", Key: keymap.Bind("<", "", ""), Title: "make the pane smaller", Run: do(func() { h.Grow(-1) })},
	}
}

// Chosen is the session of the selected line, -1 for none.
func (l *List) Chosen() int {
	if l.Rec == nil || len(l.Visible) == 0 {
		return -1
	}
	id := l.Visible[l.SelectedIndex()]
	if l.RawFrames {
		if f := l.Rec.Frame(uint64(id)); f != nil {
			return int(f.Session)
		}
		return -1
	}
	return int(l.Rec.Tracker.Row(int(id)).Session)
}

// toSession goes to the next or an earlier session: to its message nearest to the
// selected one, or where only one session is shown, to that one alone.
func (l *List) toSession(h Host, step int) {
	n, at := len(l.Rec.Tracker.Sessions()), l.Chosen()
	if l.Session >= 0 {
		h.Narrow((l.Session + step + n) % n)
		return
	}
	if at < 0 && step < 0 {
		at = 0
	}
	for k := 1; k <= n; k++ {
		if l.GoToSession((at + step*k + n*k) % n) {
			return
		}
	}
}

// GoToSession selects the message of a session that is nearest to the selected
// one, and says whether there is one.
func (l *List) GoToSession(i int) bool {
	id, ok := l.nearestOf(i)
	if ok {
		l.Pause()
		l.Choose(id)
	}
	return ok
}

// onlySession shows the session of the selected message alone, or all again.
func (l *List) onlySession(h Host) {
	switch at := l.Chosen(); {
	case l.Session >= 0:
		h.Narrow(library.AllSessions)
	case at >= 0:
		h.Narrow(at)
	}
}

// Narrow shows one session, or all: some of it at once. The selection stays on its
// message, on its line when the list has its new height.
func (l *List) Narrow(session, some int, resize func()) {
	id, line, follow := l.Selection, l.SelectedLine()-l.FirstIndex(), l.Follow
	l.Reset(library.Scope{Rec: l.Rec, Session: session}, l.RawFrames, l.Query)
	l.Scan(some)
	l.Pick(id)
	resize()
	l.PutOnLine(line)
	l.Follow = follow
}

// onlyFailing shows only what failed, of what the filter keeps, or all again.
func (l *List) onlyFailing(h Host) {
	const failed = "is:error or is:lost"
	text, f := h.FilterText(), &l.failing
	if f.now != "" && text == f.now {
		h.KeepOnly(f.before)
		*f = failing{}
		return
	}
	*f = failing{failed, text}
	if text != "" {
		f.now = "(" + text + ") (" + failed + ")"
	}
	h.KeepOnly(f.now)
}

// failing is the filter for what failed, and the one that stood before.
type failing struct{ now, before string }

// ToggleFrames turns between exchanges and raw frames and keeps the place. It
// looks at some of the list at once.
func (l *List) ToggleFrames(some int) {
	if l.Rec == nil {
		return
	}
	id, ok := l.Selected()
	if ok && l.RawFrames {
		if f := l.Rec.Frame(uint64(id)); f != nil && f.Row >= 0 {
			id = uint32(f.Row)
		}
	} else if ok {
		id = l.Rec.Tracker.Row(int(id)).Request
	}
	follow := l.Follow
	l.Reset(l.Scope, !l.RawFrames, l.Query)
	l.Scan(some)
	l.Selection, l.Top, l.Follow = id, id, follow
	l.Scroll(-l.Height / 2)
	l.Follow = follow
	l.Reveal()
}

// Waits says whether a call without a response is on the screen.
func (l *List) Waits() bool {
	if l.Rec == nil || !l.Rec.Live || l.RawFrames {
		return false
	}
	return slices.ContainsFunc(l.OnScreen(), func(id uint32) bool {
		row := l.Rec.Tracker.Row(int(id))
		return row.End == 0 && row.Ending.Open()
	})
}
