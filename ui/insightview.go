package ui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// insightKeys are those of the views that insights answer.
func insightKeys() []binding {
	return []binding{
		{actOpen, inTools, []string{"enter", "l", "right"}, "enter", "calls", "only the messages of it", look},
		{actDefinition, inTools, []string{"D"}, "D", "definition", "how it was defined, or not", look},
		{actNextPane, inTools, []string{"tab"}, "tab", "read", "the definition, the list", move},
		{actOrder, inTools, []string{"o"}, "o", "order", "by calls, errors, time, …", look},
		{actFrames, inTools, []string{"v"}, "v", "prompts", "tools, prompts, resources", look},
		{actCopyReport, inTools, []string{"y"}, "y", "copy", "copy the definition", act},
		{actBack, inTools, []string{"esc", "h", "left"}, "esc", "back", "back to the messages", move},
		{actOpen, inCaps, []string{"enter"}, "enter", "declared", "the message that declares it", move},
		{actNextPane, inCaps, []string{"tab", "l", "h", "right", "left"}, "tab", "side", "the other side", move},
		{actNextProblem, inCaps, []string{"]"}, "] [", "session", "next, previous session", look},
		{actPrevProblem, inCaps, []string{"["}, "", "", "", ""},
		{actCopyReport, inCaps, []string{"y"}, "y", "copy", "copy the capabilities of the side", act},
		{actBack, inCaps, []string{"esc"}, "esc", "back", "back to the messages", move},
		{actOpen, inStreams, []string{"enter", "l", "right"}, "enter", "open", "the events; go to the message", move},
		{actNextPane, inStreams, []string{"tab"}, "tab", "events", "the streams, the events", move},
		{actNextProblem, inStreams, []string{"]"}, "] [", "other", "the stream that goes on with it", look},
		{actPrevProblem, inStreams, []string{"["}, "", "", "the one it goes on with", ""},
		{actBack, inStreams, []string{"esc", "h", "left"}, "esc", "back", "back", move},
		{actOpen, inHandles, []string{"enter", "l", "right"}, "enter", "uses", "unfold, go to the message", move},
		{actLeft, inHandles, []string{"h", "left"}, "h", "", "fold", move},
		{actOrder, inHandles, []string{"o"}, "o", "order", "by time, or by use", look},
		{actCopyReport, inHandles, []string{"y"}, "y", "copy", "copy the value", act},
		{actBack, inHandles, []string{"esc"}, "esc", "back", "back to the messages", move},
	}
}

// insightViewOf makes the view that an action opens.
func insightViewOf(a action) view {
	switch a {
	case actTools:
		return &toolsView{}
	case actCaps:
		return &capsView{session: library.AllSessions}
	case actStreams:
		return &streamsView{}
	default:
		return &handlesView{opened: map[string]bool{}}
	}
}

// insightView is what the views that insights answer have in common.
type insightView struct {
	scroller
	answered bool
}

// wait asks for what the view does not know yet.
func (m *Model) wait(v asker) tea.Cmd { return m.shelf.refresh(m, v) }

// about is the question that a view asks of what the list shows.
func (m *Model) askAbout(of area) question {
	return question{rec: m.list.Rec, of: of, in: m.list.Session}
}

// shelfState is what a view says of the reading at the right of its title.
func (m *Model) shelfState() []term.Seg {
	if t := m.shelf.reading(); t != "" {
		return []term.Seg{term.S(m.th.Pend, t)}
	}
	if n := m.shelf.bad; n > 0 {
		return []term.Seg{term.S(m.th.Warn, safe.Text(m.sg.Warn+" ")+term.Count(n, "frame")+" could not be read")}
	}
	return nil
}

// join puts parts of a title beside each other, with some room between.
func join(parts ...[]term.Seg) (out []term.Seg) {
	for _, p := range parts {
		if len(p) == 0 {
			continue
		}
		if out != nil {
			out = append(out, term.S(term.Plain, "   "))
		}
		out = append(out, p...)
	}
	return out
}

// page draws a title and what stands below it: exactly h lines.
func (m *Model) page(w, h int, title string, body []string) []string {
	out := append([]string{title}, body...)
	if len(out) > h {
		out = out[:max(h, 0)]
	}
	return append(out, term.Blanks(h-len(out), w)...)
}

// words draws a document as the body of a page: why there is nothing to see,
// and what to press.
func (m *Model) words(w int, d *document.Doc) []string {
	out := term.Blanks(1, w)
	for i := range d.Lines {
		l := term.NewLine(w, &m.sg).Gap(3)
		d.Lines[i].Draw(l, &m.th)
		out = append(out, l.Finish())
	}
	return out
}

// unread says why a view that has no answer shows nothing; false when it has
// one.
func (m *Model) unread(d *document.Doc, answered bool) bool {
	r := m.list.Rec
	switch {
	case !r.Opened && !r.Loaded():
		d.Text(term.Plain, "This recording is not loaded.")
		d.Add(term.S(m.th.Key, "esc"), term.S(m.th.Dim, " goes back; "), term.S(m.th.Key, "enter"), term.S(m.th.Dim, " in the session tree loads it"))
	case !r.Loaded() && !r.Live && r.Loading < 1:
		d.Text(term.Plain, "Loading.")
	case !answered:
		d.Text(term.Plain, "Reading the recording.")
	default:
		return false
	}
	return true
}

// row begins a line of a list, with the bar before the selected one.
func (m *Model) row(w int, chosen, focus bool) *term.Line {
	l := term.NewLine(w, &m.sg)
	if chosen {
		l.Selected(&m.th, focus)
		l.Put(m.th.Key, safe.Text(m.sg.Bar))
	}
	return l.Gap(1 - l.Used)
}

// frameRef names a frame.
func frameRef(n uint64) safe.Text {
	if n == 0 {
		return ""
	}
	return safe.Text("#" + strconv.Itoa(int(n)))
}

// pickLine selects the line that was clicked; again says that it was selected
// before.
func (s *scroller) pickLine(y int) (again, ok bool) {
	i := s.top + y
	if y < 0 || i >= s.lines || y >= s.height {
		return false, false
	}
	again = s.sel == i
	s.sel = i
	return again, true
}

// scopeWords says what a view is about, for the status line.
func (m *Model) scopeWords() safe.Text {
	r := m.list.Rec
	switch n := len(r.Tracker.Sessions()); {
	case m.list.Session == library.NoSession:
		return "what belongs to no session"
	case n > 1 && m.list.Session == library.AllSessions:
		return "the whole recording: " + term.Count(n, "session")
	case n > 1:
		return "one session of " + term.Number(n)
	}
	return "the whole recording"
}
