package sessions

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/notes"
	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/view"
)

// WriteFilter has the filter of the start screen written; see view.Host.
type WriteFilter struct{}

// Commands implements view.View.
func (v *View) Commands(h view.Host) []keymap.Command {
	opens := safe.Text("open")
	if l := v.line(); l != nil && l.row == nil {
		opens = "fold"
	}
	return append([]keymap.Command{
		keymap.Open("the messages of the session", opens, keymap.Unless(v.line() != nil, "there is no session"), v.open),
		{ID: "view.fold", Key: keymap.Bind("h left", "h", "fold the group"), Group: keymap.Move, Run: keymap.Do(func() { v.fold(true) })},
		{
			ID: "view.filter", Key: keymap.Bind("/", "/", "filter the sessions"), Words: "search find query failing", Hint: "filter",
			Group: keymap.Look, Run: func() tea.Cmd { return v.h.Do(WriteFilter{}) },
		},
		keymap.Regroup("by day, client, server", "group", v.regroup),
	}, v.about()...)
}

func (v *View) about() []keymap.Command {
	r := v.row()
	some := keymap.Unless(r != nil, "choose a session")
	ended := keymap.Unless(r != nil && !r.rec.Live, "a recording can be deleted when its proxy has ended")
	return []keymap.Command{
		{
			ID: "sessions.all", Key: keymap.Bind("a", "a", "all sessions of its recording"), Title: "show all sessions of the recording", Words: "whole",
			Group: keymap.Move, Why: some, Run: func() tea.Cmd { return v.h.Do(view.ShowScope{Scope: whole(r.rec)}) },
		},
		{
			ID: "sessions.name", Key: keymap.Bind("N", "N ,", "name the session, the recording"), Title: "name the session", Words: "rename label",
			Group: keymap.Act, Why: some, Run: func() tea.Cmd { return v.name(r) },
		},
		{
			ID: "sessions.name-recording", Key: keymap.Bind(",", "", ""), Title: "name the recording", Words: "rename label",
			Group: keymap.Act, Why: some, Run: func() tea.Cmd { return v.ask(r.rec, notes.Key{}, "of the recording") },
		},
		{
			ID: "sessions.delete", Key: keymap.Bind("X", "X", "delete the recording"), Title: "delete the recording", Words: "remove",
			Group: keymap.Act, Why: ended, Run: func() tea.Cmd { return v.h.Do(view.AskDelete{Rec: r.rec}) },
		},
		keymap.Copy("copy the session id, the URL", "", some, func() tea.Cmd { return v.copy(r) }),
	}
}

// ChooseSelected makes the selected session what commands are about; false where a
// heading is selected.
func (v *View) ChooseSelected(read bool) (tea.Cmd, bool) {
	r := v.row()
	if r == nil {
		return nil, false
	}
	return v.h.Do(view.Choose{Scope: r.scope(), Read: read}), true
}

func whole(r *library.Recording) library.Scope {
	return library.Scope{Rec: r, Session: library.AllSessions}
}

// open shows the messages of the selected session; a heading it folds and unfolds.
func (v *View) open() tea.Cmd {
	l := v.line()
	if l.row != nil {
		return v.h.Do(view.ShowScope{Scope: l.row.scope()})
	}
	v.fold(!l.group.folded)
	return nil
}

// fold folds the group of the selection, or unfolds it.
func (v *View) fold(folded bool) {
	l := v.line()
	if l == nil {
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

// Back implements view.Backer: it shows all sessions.
func (v *View) Back() bool {
	was := v.Line.Text() != ""
	if was {
		v.Line.Write(v.h, "")
	}
	return was
}

func (v *View) name(r *row) tea.Cmd {
	switch {
	case r.sum == nil || r.rec.SessionCount() < 2:
		return v.ask(r.rec, notes.Key{}, "of the recording")
	case r.sum.Frame == 0:
		return v.h.Complain("this session has no message yet")
	}
	return v.ask(r.rec, r.sum.Key(), "of the session")
}

func (v *View) ask(rec *library.Recording, of notes.Key, what safe.Text) tea.Cmd {
	return v.h.Do(view.AskName{Rec: rec, Of: of, What: what})
}

func (v *View) copy(r *row) tea.Cmd {
	switch {
	case r.sum != nil && r.sum.ID != "":
		return v.h.Copy(r.sum.ID, "session id")
	case OwnTap(r.rec, v.URL):
		return v.h.Run("empty.copy-config")
	}
	return v.h.Copy(r.rec.ID, "id of the recording")
}
