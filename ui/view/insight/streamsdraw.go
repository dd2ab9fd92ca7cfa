package insight

import (
	"strings"

	"midwire/session/insight"
	"midwire/session/mcp"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

func (v *streamsView) Draw(_ view.Host, sc *library.Scene, w, h int) []string {
	v.h = h
	list, events := v.parts(h)
	var out []string
	if list > 0 {
		out = v.drawList(sc, w, list)
	}
	if events > 0 {
		out = append(out, v.drawEvents(sc, w, events)...)
	}
	return out
}

func (v *streamsView) drawList(sc *library.Scene, w, h int) []string {
	var more []term.Seg
	if v.left > 0 {
		more = []term.Seg{term.S(sc.Theme.Warn, term.Number(v.left)+" more are not kept")}
	}
	p := term.Panel{
		Name:  title(sc, "Event streams"),
		State: view.Join(more, v.reader.State(sc)), Focus: !v.Reading,
	}
	if len(v.all) == 0 {
		return nothing(sc, &p, w, h, &v.Lines, func(w int) document.Doc { return v.emptyDoc(sc, w) })
	}
	row := func(i int) *insight.Stream { return &v.all[i] }
	return view.Rows(&p, v.table(sc), &v.Lines, len(v.all), row, w, h)
}

// table is the columns of the list.
func (v *streamsView) table(sc *library.Scene) *term.Table[*insight.Stream] {
	plain := func(of func(*insight.Stream) safe.Text) func(*insight.Stream) term.Seg {
		return func(one *insight.Stream) term.Seg { return term.S(term.Plain, of(one)) }
	}
	return &term.Table[*insight.Stream]{
		Screen: &sc.Screen,
		Lead: func(one *insight.Stream) (term.Style, term.Seg) {
			return sc.Rec.Hue(sc.Theme, one.Session), streamSign(sc, one)
		},
		Columns: []term.Column[*insight.Stream]{
			{Head: "#", Min: 5, Cell: func(one *insight.Stream) term.Seg {
				return term.S(sc.Theme.Key, view.FrameRef(one.Request))
			}},
			{Head: "SESSION", Min: 12, Gap: 1, Rank: 6, Cell: func(one *insight.Stream) term.Seg {
				return term.S(sc.Rec.Hue(sc.Theme, one.Session), sc.Rec.SessionName(one.Session))
			}},
			{Head: "KIND", Min: 13, Cell: plain(func(one *insight.Stream) safe.Text {
				return safe.Line(one.Kind.String())
			})},
			{Head: "OPENED BY", Min: 10, Max: 42, Gap: 1, Rank: 4, Cell: opener},
			{Head: "OPENED", Min: 8, Right: true, Rank: 3, Cell: plain(func(one *insight.Stream) safe.Text {
				return term.Seconds(max(0, one.OpenedT-sc.Base))
			})},
			{Head: "DURATION", Min: 9, Right: true, Rank: 2, Cell: plain(func(one *insight.Stream) safe.Text {
				return v.lasted(sc, one)
			})},
			{Head: "EVENTS", Min: 7, Right: true, Cell: plain(func(one *insight.Stream) safe.Text {
				return term.Number(one.Events)
			})},
			{Head: "BYTES", Min: 6, Right: true, Rank: 8, Cell: func(one *insight.Stream) term.Seg {
				return term.S(sc.Theme.Dim, term.Size(one.Bytes))
			}},
			{Head: "LONGEST GAP", Min: 12, Right: true, Rank: 7, Cell: func(one *insight.Stream) term.Seg {
				return term.S(sc.Theme.Dim, term.Duration(one.Gap))
			}},
			{Head: "END", Rank: 1, Min: 9, Max: 28, Flex: 1, Gap: 1, Draw: func(l *term.Line, one *insight.Stream) {
				v.drawEnd(l, sc, one)
			}},
		},
	}
}

func streamSign(sc *library.Scene, one *insight.Stream) term.Seg {
	switch {
	case one.Open() && sc.Rec.Live:
		return term.S(sc.Theme.Ok, sc.Glyphs.Live)
	case !one.Open() && !one.Clean:
		return term.S(sc.Theme.Warn, sc.Glyphs.Warn)
	}
	return term.S(sc.Theme.Dim, sc.Glyphs.Ended)
}

func (v *streamsView) drawEnd(l *term.Line, sc *library.Scene, one *insight.Stream) {
	end, st := streamEnd(sc, one)
	l.Put(st, end)
	switch {
	case one.Resumes != "" && one.Of >= 0:
		l.Put(sc.Theme.Dim, ", after "+view.FrameRef(v.requestOf(one.Of)))
	case one.Resumes != "":
		l.Put(sc.Theme.Warn, ", after an unknown one")
	}
}

// opener is what opened a stream: the tool, the method, or the path.
func opener(one *insight.Stream) term.Seg {
	if tool, ok := strings.CutPrefix(one.What, mcp.ToolsCall+" "); ok {
		return term.S(term.Bold, safe.Line(tool))
	}
	return term.S(term.Plain, safe.Line(one.What))
}

// requestOf is the request of a stream by its index in the book.
func (v *streamsView) requestOf(index int) uint64 {
	if i := v.indexOf(index); i >= 0 {
		return v.all[i].Request
	}
	return 0
}

func (v *streamsView) lasted(sc *library.Scene, one *insight.Stream) safe.Text {
	end := one.EndedT
	switch {
	case !one.Open():
	case sc.Rec.Live:
		end = max(one.OpenedT, int64(sc.Now.Sub(sc.Rec.Started)))
	default:
		return ""
	}
	return term.Duration(end - one.OpenedT)
}

func (v *streamsView) drawEvents(sc *library.Scene, w, h int) []string {
	one := v.selected()
	if one == nil {
		return term.Blanks(h, w)
	}
	if v.of != one.Index {
		v.of, v.Below = one.Index, view.Scroller{}
	}
	p := term.Panel{
		Name:  []term.Seg{term.S(sc.Theme.Title, "Events of "), term.S(sc.Theme.Key, view.FrameRef(one.Request))},
		State: v.eventState(sc, one), Focus: v.Reading,
	}
	hue := sc.Rec.Hue(sc.Theme, one.Session)
	p.Name = append(p.Name, term.S(sc.Theme.Dim, " of "), term.S(hue, sc.Rec.SessionName(one.Session)))
	iw, ih := p.Inner(&sc.Screen, w, h)
	var body []string
	for _, segs := range v.facts(sc, one) {
		if len(body) == 2 || ih < 7 {
			break
		}
		body = append(body, term.NewLine(iw, sc.Glyphs).Gap(1).Segs(segs).Finish())
	}
	if len(one.List) == 0 {
		body = append(body, term.NewLine(iw, sc.Glyphs).Gap(3).Put(sc.Theme.Dim, "nothing came on it").Finish())
	}
	v.eventsTop = 1 + len(body)
	if len(one.List) > 0 && ih > len(body)+1 {
		v.eventsTop++
	}
	return view.Rows(&p, v.eventTable(sc, one), &v.Below, len(one.List), func(i int) int { return i }, w, h, body...)
}

func (v *streamsView) eventState(sc *library.Scene, one *insight.Stream) []term.Seg {
	var out []term.Seg
	if one.LeftOut > 0 {
		out = append(out, term.S(sc.Theme.Warn, "the first "+term.Number(one.LeftOut)+" are left out   "))
	}
	return append(out, term.S(sc.Theme.Dim, term.Count(one.Messages, "message")+", "+term.Count(one.Comments, "heartbeat")))
}

// facts are what there is to say of a stream besides its events, the most
// telling first.
func (v *streamsView) facts(sc *library.Scene, one *insight.Stream) [][]term.Seg {
	dim := sc.Theme.Dim
	end, st := streamEnd(sc, one)
	if !one.Open() && one.Clean {
		end = "ended " + end
	}
	first := []term.Seg{
		term.S(term.Plain, safe.Line(one.Kind.String())+" "), term.S(term.Plain, safe.Line(one.What)),
		term.S(dim, "   head "), term.S(sc.Theme.Note, view.FrameRef(one.Head)), term.S(term.Plain, "   "), term.S(st, end),
	}
	if !one.Open() {
		first = append(first, term.S(dim, " at "+term.Seconds(max(0, one.EndedT-sc.Base))))
	}
	var second []term.Seg
	add := func(segs ...term.Seg) {
		if second != nil {
			second = append(second, term.S(term.Plain, "   "))
		}
		second = append(second, segs...)
	}
	if one.Resumes != "" {
		of := term.S(sc.Theme.Warn, ", an id that no stream had")
		if one.Of >= 0 {
			of = term.S(sc.Theme.Note, ", of "+view.FrameRef(v.requestOf(one.Of)))
		}
		add(term.S(dim, "Last-Event-ID "), term.S(term.Plain, term.Shorten(safe.Line(one.Resumes), 40, sc.Glyphs)), of)
	}
	if one.FollowUp >= 0 {
		add(term.S(dim, "resumed by "), term.S(sc.Theme.Note, view.FrameRef(v.requestOf(one.FollowUp))))
	}
	if one.LastID != "" {
		add(term.S(dim, "last id "), term.S(term.Plain, term.Shorten(safe.Line(one.LastID), 40, sc.Glyphs)))
	} else {
		add(term.S(dim, "no event ids: it cannot be resumed"))
	}
	if one.Retry != "" {
		add(term.S(dim, "retry "), term.S(term.Plain, safe.Line(one.Retry)+" ms"))
	}
	add(term.S(dim, "longest gap "), term.S(term.Plain, term.Duration(one.Gap)), term.S(dim, " from "+term.Seconds(max(0, one.GapT-sc.Base))))
	return [][]term.Seg{first, second}
}

// eventTable is the columns of the events, which are known by their place.
func (v *streamsView) eventTable(sc *library.Scene, one *insight.Stream) *term.Table[int] {
	th := sc.Theme
	return &term.Table[int]{
		Screen: &sc.Screen,
		Hue:    func(int) term.Style { return sc.Rec.Hue(th, one.Session) },
		Columns: []term.Column[int]{
			{Head: "#", Min: 6, Cell: func(i int) term.Seg { return term.S(th.Note, view.FrameRef(one.List[i].N)) }},
			{Head: "TIME", Min: 8, Right: true, Cell: func(i int) term.Seg {
				return term.S(term.Plain, term.Seconds(max(0, one.List[i].T-sc.Base)))
			}},
			{Head: "GAP", Min: 8, Right: true, Cell: func(i int) term.Seg { return eventGap(sc, one, i) }},
			{Head: "BYTES", Min: 6, Right: true, Cell: func(i int) term.Seg {
				return term.S(th.Dim, term.Size(int64(one.List[i].Len)))
			}},
			{Head: "MESSAGE", Min: 12, Flex: 1, Gap: 1, Draw: func(l *term.Line, i int) { drawEvent(l, sc, &one.List[i]) }},
			{Head: "ID", Min: 3, Max: 30, Gap: 1, Rank: 1, Cell: func(i int) term.Seg {
				return term.S(th.Dim, safe.Line(one.List[i].ID))
			}},
		},
	}
}

// eventGap is how long nothing came before an event; the longest stands out.
func eventGap(sc *library.Scene, one *insight.Stream, i int) term.Seg {
	before := one.OpenedT
	if i > 0 {
		before = one.List[i-1].T
	} else if one.LeftOut > 0 {
		return term.Seg{}
	}
	gap := one.List[i].T - before
	st := sc.Theme.Dim
	if one.Gap > 0 && gap == one.Gap && len(one.List) > 2 {
		st = term.Bold
	}
	return term.S(st, "+"+term.Duration(gap))
}

func drawEvent(l *term.Line, sc *library.Scene, e *insight.StreamEvent) {
	st, what := term.Plain, safe.Line(e.What)
	switch {
	case e.Empty:
		st, what = sc.Theme.Dim, "heartbeat"
	case what == "" && e.Name == "":
		what = "no message"
	}
	if e.Name != "" && e.Name != "message" {
		l.Put(sc.Theme.Pend, safe.Line(e.Name)).Gap(2)
	}
	l.Put(st, what)
}

func (v *streamsView) emptyDoc(sc *library.Scene, w int) document.Doc {
	d := document.Doc{Width: w}
	r := sc.Rec
	if view.Unread(sc, &d, sc.Rec, v.answered) {
		return d
	}
	switch {
	case r.Tap == "stdio":
		d.Text(term.Plain, "No event streams: this is stdio, which has none.")
		d.Text(sc.Theme.Dim, "both sides talk through the pipes of the server's process")
	case v.http:
		d.Text(term.Plain, "No event streams: every response was a plain body, and no client listened with GET.")
		d.Text(sc.Theme.Dim, "that is allowed; without a stream a server cannot say anything by itself")
	default:
		d.Text(term.Plain, "No event streams were seen.")
		if r.Live {
			d.Text(sc.Theme.Dim, "they appear here as soon as a server responds with text/event-stream")
		}
	}
	view.GoesBack(sc, &d)
	return d
}
