package insight

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
	"midwire/ui/view/reading"
)

// streamsView lists the event streams, and the events of the selected one.
type streamsView struct {
	halves
	all    []insight.Stream
	left   int
	http   bool
	chosen int // index of the selected stream in the book
	of     int // index of the stream that below is about
	// eventsTop is how many lines stand above the first event in its panel.
	eventsTop int
}

func (v *streamsView) Area() keymap.Area           { return keymap.Streams }
func (v *streamsView) Refresh(h view.Host) tea.Cmd { return v.reader.Refresh(h, v) }
func (v *streamsView) Name() safe.Text             { return "streams" }
func (v *streamsView) Told(h view.Host) safe.Text  { return scopeWords(h.Scope()) }
func (v *streamsView) Question(h view.Host) reading.Question {
	return reading.Question{Scope: h.Scope()}
}

func (v *streamsView) Ask(q reading.Question, b *insight.Book) func(view.Host) {
	http := b.HTTP()
	all, left := b.Streams(q.Session)
	return func(view.Host) {
		if one := v.selected(); one != nil {
			v.chosen = one.Index
		}
		v.all, v.left, v.http, v.answered = all, left, http, true
		if v.Lines.Lines = len(all); v.indexOf(v.chosen) != v.Lines.Sel {
			v.to(v.chosen)
		}
	}
}

func (v *streamsView) selected() *insight.Stream { return view.Selected(&v.Lines, v.all) }

// NewStreams is the view of event streams.
func NewStreams(r *reading.Reader) view.View {
	return &streamsView{halves: halves{base: base{reader: r}}}
}

func (v *streamsView) Commands(h view.Host) []keymap.Command {
	one := v.selected()
	chosen := keymap.Unless(one != nil, "no stream is selected")
	linked := one != nil && (one.FollowUp >= 0 || one.Of >= 0)
	other := keymap.Problems("stream of the same responses", keymap.When(linked, "other"), chosen, func(step int) tea.Cmd {
		to := one.FollowUp
		if step < 0 {
			to = one.Of
		}
		if to < 0 {
			return h.Complain("no stream goes on with this one, or it goes on with none")
		}
		v.to(to)
		return nil
	})
	return []keymap.Command{
		keymap.Open("the events; go to the message", "open", chosen, func() tea.Cmd { return v.open(h) }),
		keymap.Pane("the streams, the events", "events", chosen, v.Turn),
		other[0], other[1],
	}
}

// indexOf is where a stream stands by its index in the book, -1 for nowhere.
func (v *streamsView) indexOf(index int) int {
	return slices.IndexFunc(v.all, func(one insight.Stream) bool { return one.Index == index })
}

// to selects a stream by its index in the book.
func (v *streamsView) to(index int) {
	view.Select(&v.Lines, v.all, func(one *insight.Stream) bool { return one.Index == index })
}

// open goes to the events of a stream, and from there to the message.
func (v *streamsView) open(h view.Host) tea.Cmd {
	one := v.selected()
	switch {
	case one == nil:
		return nil
	case !v.Reading:
		v.Reading = true
		return nil
	case v.Below.Sel < 0 || v.Below.Sel >= len(one.List):
		return h.Jump(h.Scope().Rec, one.Request)
	}
	return h.Jump(h.Scope().Rec, one.List[v.Below.Sel].N)
}

func (v *streamsView) State(h view.Host) []term.Seg {
	sc := h.Scene()
	if !v.answered {
		return v.reader.State(sc)
	}
	open, events := 0, 0
	for i := range v.all {
		events += v.all[i].Events
		if v.all[i].Open() {
			open++
		}
	}
	dot := " " + sc.Glyphs.Dot + " "
	t := term.Count(len(v.all), "stream") + dot + term.Count(events, "event")
	if open == 0 {
		return []term.Seg{term.S(sc.Theme.Dim, t)}
	}
	if !h.Scope().Rec.Live {
		return []term.Seg{term.S(sc.Theme.Dim, t+dot+term.Number(open)+" not ended")}
	}
	return []term.Seg{term.S(sc.Theme.Dim, t+dot), term.S(sc.Theme.Ok, term.Number(open)+" open")}
}

// click selects a stream or an event; again it opens it.
func (v *streamsView) Click(h view.Host, _, y int) tea.Cmd {
	list, detail := v.parts(v.h)
	if v.Reading && list == 0 || y >= list && detail > 0 {
		was := v.Reading
		v.Reading = v.selected() != nil
		again, ok := v.Below.PickLine(y - list - v.eventsTop)
		if ok && again && was {
			return v.open(h)
		}
		return nil
	}
	v.Reading = false
	again, ok := v.Lines.PickLine(y - headed)
	if ok && again {
		return v.open(h)
	}
	return nil
}

func (v *streamsView) parts(h int) (list, events int) {
	switch {
	case len(v.all) == 0 || h < 14 && !v.Reading:
		return h, 0
	case h < 14:
		return 0, h
	}
	list = min(len(v.all)+3, h/2)
	return list, h - list
}

func streamEnd(sc *library.Scene, one *insight.Stream) (safe.Text, term.Style) {
	by := [...]safe.Text{"somebody", "client", "server", "midwire"}[max(0, slices.Index([]string{"", wire.ByClient, wire.ByServer, wire.ByUs}, one.By))]
	switch {
	case one.Open() && sc.Rec.Live:
		return "open", sc.Theme.Ok
	case one.Open():
		return "not ended", sc.Theme.Dim
	case !one.Clean:
		return "cut by " + by, sc.Theme.Warn
	}
	return "by " + by, term.Plain
}
