package messages

import (
	"slices"

	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Chosen is the session of the selected line, -1 for none.
func (l *List) Chosen() int {
	if l.Rec == nil || len(l.Visible) == 0 {
		return -1
	}
	return int(l.Rec.Tracker.Row(int(l.Visible[l.SelectedIndex()])).Session)
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

// Narrow shows one session, or all: some of it at once. The selection stays on its
// message, on its line when the list has its new height.
func (l *List) Narrow(session, some int, resize func()) {
	id, line, follow := l.Selection, l.SelectedLine()-l.FirstIndex(), l.Follow
	l.Reset(library.Scope{Rec: l.Rec, Session: session}, l.Query)
	l.Scan(some)
	l.Pick(id)
	resize()
	l.PutOnLine(line)
	l.Follow = follow
}

// Waits says whether a call without a response is on the screen.
func (l *List) Waits() bool {
	if l.Rec == nil || !l.Rec.Live {
		return false
	}
	return slices.ContainsFunc(l.OnScreen(), func(id uint32) bool {
		row := l.Rec.Tracker.Row(int(id))
		return row.End == 0 && row.Ending.Open()
	})
}

// Failing is the filter for what failed, and the one that stood before.
type Failing struct{ Now, Before string }

func (l *List) loading() bool {
	r := l.Rec
	return r != nil && r.Opened && !r.Live && (r.Loading > 0 && r.Loading < 1 || !r.Loaded() && r.Loading < 1)
}

// nothing says why no rows are shown, and what to do about it.
func (l *List) nothing() (why, hint safe.Text) {
	switch {
	case l.Rec == nil:
		return "Choose a session.", "b or 1 shows the sessions, enter opens one"
	case l.Scanned < l.Total():
		return "Filtering.", ""
	case l.Searching():
		return "Searching the payloads.", "esc ends it"
	case l.Query != nil && l.Total() > 0:
		return "No message matches the filter.", "esc shows all"
	case l.loading():
		return l.read(), ""
	case !l.Rec.Opened:
		return "This recording is not loaded.", "enter among the sessions loads it"
	case !l.Rec.Loaded() && !l.Rec.Live:
		return "This recording holds no messages.", ""
	case l.Rec.Live:
		return "No message so far.", "Messages appear here as soon as the client speaks."
	}
	return "No message was recorded.", ""
}

// DrawNothing says why there are no messages.
func (l *List) DrawNothing(sc *library.Scene, w int) []string { return l.drawNothing(sc, w, "") }

// drawNothing says why there are no messages, and what filter hides them.
func (l *List) drawNothing(sc *library.Scene, w int, filter safe.Text) []string {
	why, hint := l.nothing()
	line := func() *term.Line { return term.NewLine(w, sc.Glyphs).Gap(3) }
	out := append(term.Blanks(1, w), line().Put(term.Plain, why).Finish())
	switch {
	case l.Query != nil && l.Total() > 0 && filter != "":
		chip := sc.Theme.Badge(sc.Theme.Key, term.Shorten("/"+filter, max(w-24, 8), sc.Glyphs))
		out = append(out, line().Segs([]term.Seg{chip}).Gap(3).Put(sc.Theme.Key, "esc").Put(sc.Theme.Dim, " shows all").Finish())
	case hint != "":
		out = append(out, line().Put(sc.Theme.Dim, hint).Finish())
	}
	return out
}

// drawSkeleton draws a row that is not read yet, as long as rows are.
func drawSkeleton(sc *library.Scene, w, i int) string {
	return term.NewLine(w, sc.Glyphs).Gap(3).Fill(sc.Theme.Frame, sc.Glyphs.Dot, w*(4+(i*7)%5)/9).Finish()
}
