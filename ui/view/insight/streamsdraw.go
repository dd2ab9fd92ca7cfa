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
		State: view.Join(more, v.reader.State(sc)), Focus: !v.reading,
	}
	if len(v.all) == 0 {
		return nothing(sc, &p, w, h, &v.lines, func(w int) document.Doc { return v.emptyDoc(sc, w) })
	}
	iw, ih := p.Inner(&sc.Screen, w, h)
	t := streamTable(iw)
	var body []string
	if ih > 1 {
		l := term.NewLine(iw, sc.Glyphs).Gap(4)
		body = append(body, t.Header(l, sc.Theme.Faint).Gap(2).Put(sc.Theme.Faint, "END").Finish())
	}
	line := func(i int) string { return v.line(sc, t, iw, i) }
	return p.Draw(&sc.Screen, w, h, rows(&v.lines, len(v.all), ih, body, line))
}

// streamTable is the columns of the list. What is left of a line is for the end.
func streamTable(w int) view.Table {
	what, bytes := 0, 7
	switch {
	case w >= 130:
		what = min(w-106, 44)
	case w >= 108:
		what, bytes = w-98, 0
	case w >= 90:
		what, bytes = w-88, 0
	case w < 76:
		bytes = 0
	}
	return view.NewTable(w,
		view.Column{Name: "#", W: 6},
		view.Column{Name: "SESSION", W: 14, After: 2, From: 108},
		view.Column{Name: "KIND", W: 15, After: 2},
		view.Column{Name: "OPENED BY", W: what, After: 2},
		view.Column{Name: "OPENED", W: 9, Right: true, From: 66},
		view.Column{Name: "DURATION", W: 10, Right: true, From: 50},
		view.Column{Name: "EVENTS", W: 8, Right: true},
		view.Column{Name: "BYTES", W: bytes, Right: true},
		view.Column{Name: "LONGEST GAP", W: 13, Right: true, From: 98})
}

func (v *streamsView) line(sc *library.Scene, t view.Table, w, i int) string {
	one := &v.all[i]
	hue := sc.Rec.Hue(sc.Theme, one.Session)
	l := hueRow(sc, w, hue, i == v.lines.Sel, !v.reading)
	sign, st := sc.Glyphs.Ended, sc.Theme.Dim
	end, endSt := streamEnd(sc, one)
	switch {
	case one.Open() && sc.Rec.Live:
		sign, st = sc.Glyphs.Live, sc.Theme.Ok
	case !one.Open() && !one.Clean:
		sign, st = sc.Glyphs.Warn, sc.Theme.Warn
	}
	l.Put(st, sign).Gap(4 - l.Used)
	t.Row(l).Put(sc.Theme.Key, view.FrameRef(one.Request)).Put(hue, sc.Rec.SessionName(one.Session)).
		Put(term.Plain, safe.Line(one.Kind.String())).Put(opener(one)).
		Put(term.Plain, term.Seconds(max(0, one.OpenedT-sc.Base))).
		Put(term.Plain, v.lasted(sc, one)).Put(term.Plain, term.Number(one.Events)).
		Put(sc.Theme.Dim, term.Size(one.Bytes)).Put(sc.Theme.Dim, term.Duration(one.Gap))
	segs := []term.Seg{term.S(endSt, end)}
	switch {
	case one.Resumes != "" && one.Of >= 0:
		segs = append(segs, term.S(sc.Theme.Dim, ", after "+view.FrameRef(v.requestOf(one.Of))))
	case one.Resumes != "":
		segs = append(segs, term.S(sc.Theme.Warn, ", after an unknown one"))
	}
	l.Gap(2)
	for _, s := range segs {
		l.PutMax(s.Style, s.Text, w-1-l.Used) // the last cell stays free
	}
	return l.Finish()
}

// opener is what opened a stream: the tool, the method, or the path.
func opener(one *insight.Stream) (term.Style, safe.Text) {
	if tool, ok := strings.CutPrefix(one.What, mcp.ToolsCall+" "); ok {
		return term.Bold, safe.Line(tool)
	}
	return term.Plain, safe.Line(one.What)
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

// drawEvents draws what came on the selected stream.
func (v *streamsView) drawEvents(sc *library.Scene, w, h int) []string {
	one := v.selected()
	if one == nil {
		return term.Blanks(h, w)
	}
	if v.of != one.Index {
		v.of, v.below = one.Index, view.Scroller{}
	}
	p := term.Panel{
		Name:  []term.Seg{term.S(sc.Theme.Title, "Events of "), term.S(sc.Theme.Key, view.FrameRef(one.Request))},
		State: v.eventState(sc, one), Focus: v.reading,
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
	line := func(i int) string { return v.event(sc, one, iw, i) }
	return p.Draw(&sc.Screen, w, h, rows(&v.below, len(one.List), ih, body, line))
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

func (v *streamsView) event(sc *library.Scene, one *insight.Stream, w, i int) string {
	e := &one.List[i]
	l := hueRow(sc, w, sc.Rec.Hue(sc.Theme, one.Session), i == v.below.Sel, v.reading)
	before := one.OpenedT
	if i > 0 {
		before = one.List[i-1].T
	}
	st := term.Plain
	if e.Empty {
		st = sc.Theme.Dim
	}
	l.Gap(2-l.Used).Cell(sc.Theme.Note, view.FrameRef(e.N), 7).Right(term.Plain, term.Seconds(max(0, e.T-sc.Base)), 9)
	gap := sc.Theme.Dim
	if one.Gap > 0 && e.T-before == one.Gap && len(one.List) > 2 {
		gap = term.Bold
	}
	if i > 0 || one.LeftOut == 0 {
		l.Right(gap, "+"+term.Duration(e.T-before), 9)
	} else {
		l.Gap(9)
	}
	l.Right(sc.Theme.Dim, term.Size(int64(e.Len)), 7).Gap(2)
	what := safe.Line(e.What)
	switch {
	case e.Empty:
		what = "heartbeat"
	case what == "" && e.Name == "":
		what = "no message"
	}
	if e.Name != "" && e.Name != "message" {
		l.Put(sc.Theme.Pend, safe.Line(e.Name)).Gap(2)
	}
	id := 0
	if w >= 80 && one.LastID != "" {
		id = min(30, w/4)
	}
	room := max(l.Max-l.Used-id-1, 0)
	l.Cell(st, what, room).Gap(1)
	if id > 0 && e.ID != "" {
		l.Put(sc.Theme.Dim, "id ").PutMax(term.Plain, safe.Line(e.ID), id-4)
	}
	return l.Finish()
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
