package ui

import (
	"midwire/session/safe"
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
func insightViewOf(a action, r *insightReader) view {
	base := insightView{reader: r}
	switch a {
	case actTools:
		return &toolsView{insightView: base}
	case actCaps:
		return &capsView{insightView: base, session: library.AllSessions}
	case actStreams:
		return &streamsView{insightView: base}
	default:
		return &handlesView{insightView: base, opened: map[string]bool{}}
	}
}

// insightView is what the views that insights answer have in common.
type insightView struct {
	scroller
	reader   *insightReader
	answered bool
	w, h     int // of what was drawn
}

// scopeWords says what a view is about, for the status line.
func scopeWords(s library.Scope) safe.Text {
	switch n := len(s.Rec.Tracker.Sessions()); {
	case s.Session == library.NoSession:
		return "what belongs to no session"
	case n > 1 && s.Session == library.AllSessions:
		return "the whole recording: " + term.Count(n, "session")
	case n > 1:
		return "one session of " + term.Number(n)
	}
	return "the whole recording"
}
