package view

import (
	tea "charm.land/bubbletea/v2"

	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/messages"
)

// ListCommands change how the list shows its rows.
func ListCommands(h Host, l *messages.List) []keymap.Command {
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
			Says: keymap.If(several, "session"), Group: keymap.Move, Why: alone, Run: do(func() { toSession(h, l, 1) }),
		},
		{
			ID: "messages.previous-session", Key: keymap.Bind("K", "", ""), Title: "go to the previous session",
			Why: alone, Run: do(func() { toSession(h, l, -1) }),
		},
		{
			ID: "messages.only-session", Key: keymap.Bind("i", "i", "only this session, or all"), Title: "show only this session, or all",
			Words: "isolate narrow", Says: keymap.If(several, "only this"), Group: keymap.Look, Why: alone,
			Run: do(func() { onlySession(h, l) }),
		},
		{
			ID: "messages.failing", Key: keymap.Bind("e", "e", "only what failed, or all"), Title: "show only what failed, or all",
			Words: "errors", Group: keymap.Look, Why: nothing, Run: do(func() { onlyFailing(h, l) }),
		},
		{
			ID: "messages.sort", Key: keymap.Bind("o", "o", "sort by"), Title: "sort the messages", Words: "order latency slow slowest size time",
			Group: keymap.Look, Why: nothing,
			Run: func() tea.Cmd { return h.Do(Menu{l.SortMenu(&h.Scene().Screen)}) },
		},
	}
}

// toSession goes to the next or an earlier session: to its message nearest to the
// selected one, or where only one session is shown, to that one alone.
func toSession(h Host, l *messages.List, step int) {
	n, at := len(l.Rec.Tracker.Sessions()), l.Chosen()
	if l.Session >= 0 {
		h.Do(Narrow{(l.Session + step + n) % n})
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

// onlySession shows the session of the selected message alone, or all again.
func onlySession(h Host, l *messages.List) {
	switch at := l.Chosen(); {
	case l.Session >= 0:
		h.Do(Narrow{library.AllSessions})
	case at >= 0:
		h.Do(Narrow{at})
	}
}

// onlyFailing shows only what failed, of what the filter keeps, or all again.
func onlyFailing(h Host, l *messages.List) {
	const failed = "is:error or is:lost"
	f, text := &l.Failing, ""
	if l.Query != nil {
		text = l.Query.Text
	}
	if f.Now != "" && text == f.Now {
		text, *f = f.Before, messages.Failing{}
		h.Do(KeepOnly{text})
		return
	}
	*f = messages.Failing{Now: failed, Before: text}
	if text != "" {
		f.Now = "(" + text + ") (" + failed + ")"
	}
	h.Do(KeepOnly{f.Now})
}
