package ui

import (
	"midwire/session/insight"
	"midwire/session/safe"
)

func (v *streamsView) draw(m *Model, sc *scene, w, h int) []string {
	list, events := v.parts(h)
	var out []string
	if list > 0 {
		out = v.drawList(m, sc, w, list)
	}
	if events > 0 {
		out = append(out, v.drawEvents(m, sc, w, events)...)
	}
	return out
}

func (v *streamsView) drawList(m *Model, sc *scene, w, h int) []string {
	s := &v.insightView.scroller
	var more []seg
	if v.left > 0 {
		more = []seg{{m.th.warn, number(v.left) + " more are not kept"}}
	}
	title := m.title(w, "Event streams", !v.reading, join(more, m.shelfState())...).finish()
	if len(v.all) == 0 {
		s.fit(0, h-1)
		d := v.emptyDoc(m, w-6)
		return m.page(w, h, title, m.words(w, &d))
	}
	var body []string
	if h > 2 {
		body = append(body, v.header(m, w))
	}
	s.fit(len(v.all), h-1-len(body))
	for i := s.top; i < min(s.top+s.height, len(v.all)); i++ {
		body = append(body, v.line(m, sc, w, i))
	}
	return m.page(w, h, title, body)
}

func (v *streamsView) header(m *Model, w int) string {
	l := newLine(w, &m.sg).gap(3)
	st := m.th.dim
	l.cell(st, "#", 7).cell(st, "kind", 14).cell(st, "opened by", streamWhat(w))
	l.right(st, "opened", 9).right(st, "for", 8).right(st, "events", 8)
	if w >= 70 {
		l.right(st, "bytes", 7)
	}
	if w >= 90 {
		l.right(st, "gap", 9)
	}
	return l.gap(2).put(st, "end").finish()
}

func streamWhat(w int) int {
	switch {
	case w >= 110:
		return w - 92
	case w >= 90:
		return w - 70
	case w >= 70:
		return w - 58
	}
	return 0
}

func (v *streamsView) line(m *Model, sc *scene, w, i int) string {
	one := &v.all[i]
	l := m.row(w, i == v.insightView.sel, !v.reading)
	sign, st := sc.sg.ended, m.th.dim
	end, endSt := streamEnd(m, one)
	switch {
	case one.Open() && sc.rec.Live:
		sign, st = sc.sg.live, m.th.ok
	case !one.Open() && !one.Clean:
		sign, st = sc.sg.warn, m.th.warn
	}
	l.put(st, safe.Text(sign)).gap(3-l.w).cell(m.th.note, frameRef(one.Request), 7)
	l.cell(plain, safe.Text(one.Kind.String()), 14).cell(plain, safe.Line(one.What), max(streamWhat(w)-1, 0)).gap(min(streamWhat(w), 1))
	l.right(plain, seconds(max(0, one.OpenedT-sc.base)), 9).right(plain, v.lasted(sc, one), 8).right(plain, number(one.Events), 8)
	if w >= 70 {
		l.right(m.th.dim, size(one.Bytes), 7)
	}
	if w >= 90 {
		l.right(m.th.dim, duration(one.Gap), 9)
	}
	l.gap(2).put(endSt, end)
	switch {
	case one.Resumes != "" && one.Of >= 0:
		l.put(m.th.dim, ", after "+frameRef(v.requestOf(one.Of)))
	case one.Resumes != "":
		l.put(m.th.warn, ", after an unknown one")
	}
	return l.finish()
}

// requestOf is the request of a stream by its index in the book.
func (v *streamsView) requestOf(index int) uint64 {
	for i := range v.all {
		if v.all[i].Index == index {
			return v.all[i].Request
		}
	}
	return 0
}

func (v *streamsView) lasted(sc *scene, one *insight.Stream) safe.Text {
	end := one.EndedT
	switch {
	case !one.Open():
	case sc.rec.Live:
		end = max(one.OpenedT, int64(sc.now.Sub(sc.rec.Started)))
	default:
		return ""
	}
	return duration(end - one.OpenedT)
}

// drawEvents draws what came on the selected stream.
func (v *streamsView) drawEvents(m *Model, sc *scene, w, h int) []string {
	one := v.selected()
	if one == nil {
		return blanks(h, w)
	}
	if v.of != one.Index {
		v.of, v.events = one.Index, scroller{}
	}
	title := m.title(w, "Events of "+frameRef(one.Request), v.reading, v.eventState(m, one)...).finish()
	var body []string
	for _, segs := range v.facts(m, sc, one) {
		if len(body) == 2 || h < 8 {
			break
		}
		l := newLine(w, &m.sg).gap(1)
		for _, s := range segs {
			l.put(s.st, s.t)
		}
		body = append(body, l.finish())
	}
	v.events.fit(len(one.List), h-1-len(body))
	if len(one.List) == 0 {
		body = append(body, newLine(w, &m.sg).gap(3).put(m.th.dim, "nothing came on it").finish())
	}
	for i := v.events.top; i < min(v.events.top+v.events.height, len(one.List)); i++ {
		body = append(body, v.event(m, sc, one, w, i))
	}
	return m.page(w, h, title, body)
}

func (v *streamsView) eventState(m *Model, one *insight.Stream) []seg {
	var out []seg
	if one.LeftOut > 0 {
		out = append(out, seg{m.th.warn, "the first " + number(one.LeftOut) + " are left out   "})
	}
	return append(out, seg{m.th.dim, count(one.Messages, "message") + ", " + count(one.Comments, "heartbeat")})
}

// facts are what there is to say of a stream besides its events, the most
// telling first.
func (v *streamsView) facts(m *Model, sc *scene, one *insight.Stream) [][]seg {
	dim := m.th.dim
	end, st := streamEnd(m, one)
	if !one.Open() && one.Clean {
		end = "ended " + end
	}
	first := []seg{{plain, safe.Text(one.Kind.String()) + " "}, {plain, safe.Line(one.What)}, {dim, "   head "}, {m.th.note, frameRef(one.Head)}, {plain, "   "}, {st, end}}
	if !one.Open() {
		first = append(first, seg{dim, " at " + seconds(max(0, one.EndedT-sc.base))})
	}
	var second []seg
	add := func(segs ...seg) {
		if second != nil {
			second = append(second, seg{plain, "   "})
		}
		second = append(second, segs...)
	}
	if one.Resumes != "" {
		of := seg{m.th.warn, ", an id that no stream had"}
		if one.Of >= 0 {
			of = seg{m.th.note, ", of " + frameRef(v.requestOf(one.Of))}
		}
		add(seg{dim, "Last-Event-ID "}, seg{plain, cutText(safe.Line(one.Resumes), 40, &m.sg)}, of)
	}
	if one.FollowUp >= 0 {
		add(seg{dim, "resumed by "}, seg{m.th.note, frameRef(v.requestOf(one.FollowUp))})
	}
	if one.LastID != "" {
		add(seg{dim, "last id "}, seg{plain, cutText(safe.Line(one.LastID), 40, &m.sg)})
	} else {
		add(seg{dim, "no event ids: it cannot be resumed"})
	}
	if one.Retry != "" {
		add(seg{dim, "retry "}, seg{plain, safe.Line(one.Retry) + " ms"})
	}
	add(seg{dim, "longest gap "}, seg{plain, duration(one.Gap)}, seg{dim, " from " + seconds(max(0, one.GapT-sc.base))})
	return [][]seg{first, second}
}

func (v *streamsView) event(m *Model, sc *scene, one *insight.Stream, w, i int) string {
	e := &one.List[i]
	l := m.row(w, i == v.events.sel, v.reading)
	before := one.OpenedT
	if i > 0 {
		before = one.List[i-1].T
	}
	st := plain
	if e.Empty {
		st = m.th.dim
	}
	l.gap(2-l.w).cell(m.th.note, frameRef(e.N), 7).right(plain, seconds(max(0, e.T-sc.base)), 9)
	gap := m.th.dim
	if one.Gap > 0 && e.T-before == one.Gap && len(one.List) > 2 {
		gap = bold
	}
	if i > 0 || one.LeftOut == 0 {
		l.right(gap, "+"+duration(e.T-before), 9)
	} else {
		l.gap(9)
	}
	l.right(m.th.dim, size(int64(e.Len)), 7).gap(2)
	what := safe.Line(e.What)
	switch {
	case e.Empty:
		what = "heartbeat"
	case what == "" && e.Name == "":
		what = "no message"
	}
	if e.Name != "" && e.Name != "message" {
		l.put(m.th.pend, safe.Line(e.Name)).gap(2)
	}
	id := 0
	if w >= 80 && one.LastID != "" {
		id = min(30, w/4)
	}
	room := max(l.max-l.w-id-1, 0)
	l.cell(st, what, room).gap(1)
	if id > 0 && e.ID != "" {
		l.put(m.th.dim, "id ").putMax(plain, safe.Line(e.ID), id-4)
	}
	return l.finish()
}

func (v *streamsView) emptyDoc(m *Model, w int) doc {
	d := doc{w: w}
	r := m.list.rec
	if m.unread(&d, v.answered) {
		return d
	}
	switch {
	case r.Tap == "stdio":
		d.text(plain, "No event streams: this is stdio, which has none.")
		d.text(m.th.dim, "both sides talk through the pipes of the server's process")
	case v.http:
		d.text(plain, "No event streams: every answer was a plain body, and no client listened with GET.")
		d.text(m.th.dim, "that is allowed; without a stream a server cannot say anything by itself")
	default:
		d.text(plain, "No event streams were seen.")
		if r.Live {
			d.text(m.th.dim, "they appear here as soon as a server answers with text/event-stream")
		}
	}
	d.blank()
	d.add(seg{m.th.key, "esc"}, seg{m.th.dim, " goes back"})
	return d
}
