package sessions

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/notes"
	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/view"
)

// Commands implements view.View.
func (v *View) Commands(h view.Host) []keymap.Command {
	opens := safe.Text("open")
	if l := v.line(); len(v.together()) > 1 {
		opens = "all in one list"
	} else if l != nil && l.row == nil {
		opens = "fold"
	}
	return append([]keymap.Command{
		{
			ID: "sessions.open", Key: keymap.Bind("enter l right", "enter", "the messages of the session"), Title: "show the session", Words: "load open unfold",
			Hint: opens, Group: keymap.Move, Why: keymap.Unless(v.line() != nil, "there is no session"), Run: v.open,
		},
		{ID: "sessions.left", Key: keymap.Bind("h left", "h", "fold the group"), Title: "fold the group", Group: keymap.Move, Run: keymap.Do(func() { v.fold(true) })},
		{
			ID: "sessions.find", Key: keymap.Bind("/", "/", "filter the sessions"), Title: "filter the sessions", Words: "search find query failing", Hint: "filter",
			Group: keymap.Look, Run: v.h.WriteFilter,
		},
		{ID: "sessions.group", Key: keymap.Bind("z", "z", "by day, client, server, flow"), Title: "group by the next thing", Words: "day client server flow sections", Hint: "group", Group: keymap.Look, Run: keymap.Do(v.regroup)},
		{
			ID: "sessions.sort", Key: keymap.Bind("o", "o", "newest, errors, calls, p95, client"), Title: "order by the next column", Words: "sort newest errors calls latency", Hint: "sort",
			Group: keymap.Look, Run: keymap.Do(func() { v.orderBy((v.sort + 1) % sortings) }),
		},
		{ID: "sessions.back", Key: keymap.Bind("esc", "esc", "clear the filter, back"), Title: "clear the filter, or go back", Group: keymap.Move, Run: func() tea.Cmd { return v.back(h) }},
	}, v.about(h)...)
}

// about are the commands that are about the selected session.
func (v *View) about(h view.Host) []keymap.Command {
	r := v.row()
	some := keymap.Unless(r != nil, "choose a session")
	ended := keymap.Unless(r != nil && !r.rec.Live, "a recording can be deleted when its proxy has ended")
	on := func(id string, read bool) func() tea.Cmd {
		return func() tea.Cmd { return tea.Batch(v.h.Choose(r.scope(), read), h.Run(id)) }
	}
	out := []keymap.Command{
		{
			ID: "sessions.findings", Key: keymap.Bind("!", "!", "what broke, and why"), Title: "show the findings of the session", Words: "problems errors",
			Hint: "findings", Group: keymap.Look, Why: some, Run: on("global.findings", true),
		},
		{
			ID: "sessions.replay", Key: keymap.Bind("R", "R", "replay the session"), Title: "replay the session", Words: "run again",
			Hint: "replay", Group: keymap.Act, Why: some, Run: on("global.replay", false),
		},
		{
			ID: "sessions.compare", Key: keymap.Bind("d", "d", "compare two sessions"), Title: "compare two sessions", Words: "diff",
			Hint: "diff", Group: keymap.Act, Why: some, Run: on("global.compare", false),
		},
		{
			ID: "sessions.export", Key: keymap.Bind("x", "x", "share the session"), Title: "share the session", Words: "export save HTML HAR",
			Hint: "share", Group: keymap.Act, Why: some, Run: on("global.export", false),
		},
		{
			ID: "sessions.all", Key: keymap.Bind("a", "a", "all sessions of its recording"), Title: "show all sessions of the recording", Words: "whole",
			Group: keymap.Move, Why: some, Run: func() tea.Cmd { return v.h.ShowScope(whole(r.rec)) },
		},
		{
			ID: "sessions.name", Key: keymap.Bind("N", "N ,", "name the session, the recording"), Title: "name the session", Words: "rename label",
			Group: keymap.Act, Why: some, Run: func() tea.Cmd { return v.name(r) },
		},
		{
			ID: "sessions.name-recording", Key: keymap.Bind(",", "", ""), Title: "name the recording", Words: "rename label",
			Group: keymap.Act, Why: some, Run: func() tea.Cmd { return v.h.AskName(r.rec, notes.Key{}, "of the recording") },
		},
		{
			ID: "sessions.delete", Key: keymap.Bind("D X", "D", "delete the recording"), Title: "delete the recording", Words: "remove",
			Group: keymap.Act, Why: ended, Run: func() tea.Cmd { return v.h.AskDelete(r.rec) },
		},
		{
			ID: "sessions.copy", Key: keymap.Bind("y", "y", "copy the session id, the URL"), Title: "copy the session id, or the URL for clients", Words: "clipboard",
			Group: keymap.Act, Why: some, Run: func() tea.Cmd { return v.copy(r) },
		},
	}
	for _, to := range []struct{ key, id, what string }{
		{"w", "waterfall", "the waterfall"},
		{"s", "sequence", "the sequence diagram"},
		{"t", "tools", "the tools"},
		{"c", "capabilities", "the capabilities"},
		{"S", "streams", "the event streams"},
		{"H", "handles", "the handles"},
	} {
		out = append(out, keymap.Command{
			ID: "sessions." + to.id, Key: keymap.Bind(to.key, to.key, to.what+" of the session"), Group: keymap.Look,
			Why: some, Run: on("global."+to.id, true),
		})
	}
	return out
}

// whole is all of a recording.
func whole(r *library.Recording) library.Scope {
	return library.Scope{Rec: r, Session: library.AllSessions}
}

// open shows the messages of the selected session, on a heading those of all live
// ones, or folds and unfolds.
func (v *View) open() tea.Cmd {
	l := v.line()
	if l.row != nil {
		return v.h.ShowScope(l.row.scope())
	}
	if ids := v.together(); len(ids) > 1 {
		return v.h.Merge(ids)
	}
	v.fold(!l.group.folded)
	return nil
}

// fold folds the group of the selection, or unfolds it.
func (v *View) fold(folded bool) {
	l := v.line()
	if l == nil || v.group == ungrouped {
		return
	}
	v.moved = true
	v.folded[l.group.id], v.stale = folded, true
	v.rearrange()
}

// regroup puts the sessions together by something else.
func (v *View) regroup() {
	v.group, v.stale = (v.group+1)%groupings, true
	v.moved = true
	v.rearrange()
}

// orderBy orders, and goes to the top.
func (v *View) orderBy(by sorting) {
	v.sort, v.stale, v.moved = by, true, false
	v.at.Sel, v.at.Top = v.first(), 0
	v.rearrange()
}

// back shows all sessions, or else leaves.
func (v *View) back(h view.Host) tea.Cmd {
	if v.Line.Text() != "" {
		v.Line.Write(v.h, "")
		return nil
	}
	return h.Run("global.back")
}

func (v *View) name(r *row) tea.Cmd {
	switch {
	case r.sum == nil || r.rec.SessionCount() < 2:
		return v.h.AskName(r.rec, notes.Key{}, "of the recording")
	case r.sum.Frame == 0:
		return v.h.Complain("this session has no message yet")
	}
	return v.h.AskName(r.rec, r.sum.Key(), "of the session")
}

func (v *View) copy(r *row) tea.Cmd {
	switch url, _ := v.h.Tap(); {
	case r.sum != nil && r.sum.ID != "":
		return v.h.Copy(r.sum.ID, "session id")
	case OwnTap(r.rec, url):
		return v.h.Run("empty.copy-config")
	}
	return v.h.Copy(r.rec.ID, "id of the recording")
}
