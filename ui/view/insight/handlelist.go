package insight

import (
	"slices"
	"strings"

	"midwire/session/insight"
	"midwire/session/mcp"
	"midwire/session/safe"
	"midwire/session/words"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

func (v *handlesView) Draw(_ view.Host, sc *library.Scene, w, h int) []string {
	v.h = h
	if len(v.rows) == 0 {
		v.listH, v.usesAt = h, 0
		return v.drawEmpty(sc, w, h)
	}
	edge := edges(sc)
	list := min(len(v.rows)+1+edge, max(8, h/4))
	path := 0
	if w >= 100 && h >= 27 {
		path = edge + 2 + 2*len(v.lanes(h))
	}
	switch {
	case h < 12:
		list = h
	case h < 18:
		list = min(len(v.rows)+1+edge, h-1)
		if h-list < 4 {
			list = h - 1
		}
	}
	v.listH, v.usesAt = list, 0
	out := v.drawList(sc, w, list)
	if path > 0 {
		out = append(out, v.drawPath(sc, w, path)...)
	}
	switch rest := h - len(out); {
	case rest == 1:
		out = append(out, v.useLine(sc, v.useTable(sc, w), w, v.below.Sel))
	case rest > 1:
		v.usesAt = len(out)
		out = append(out, v.drawUses(sc, w, rest)...)
	}
	return out
}

func (v *handlesView) drawEmpty(sc *library.Scene, w, h int) []string {
	p := term.Panel{Name: title(sc, "Handles"), State: v.reader.State(sc), Focus: true}
	return nothing(sc, &p, w, h, &v.lines, func(w int) document.Doc { return v.emptyDoc(sc, w) })
}

func (v *handlesView) emptyDoc(sc *library.Scene, w int) document.Doc {
	d := document.Doc{Width: w}
	if view.Unread(sc, &d, sc.Rec, v.answered) {
		return d
	}
	rows := sc.Rec.Tracker.Rows()
	d.Add(term.S(sc.Theme.Ok, sc.Glyphs.Ok+" "), term.S(term.Plain, "No handles: no value that a server issued was used."))
	d.Text(sc.Theme.Dim, "looked for in "+term.Count(rows, "message")+": session ids, cursors, task ids, requestState, progress tokens, and ids that a tool issues and wants to see again")
	view.GoesBack(sc, &d)
	return d
}

func (v *handlesView) drawList(sc *library.Scene, w, h int) []string {
	state := []term.Seg{term.S(sc.Theme.Dim, "sort "), term.S(sc.Theme.Key, v.order.String())}
	if v.left > 0 {
		state = view.Join([]term.Seg{term.S(sc.Theme.Dim, term.Number(v.left)+" values were too many, or too long")}, state)
	}
	p := term.Panel{Name: title(sc, "Handles"), State: view.Join(v.reader.State(sc), state), Focus: !v.reading}
	iw, ih := p.Inner(&sc.Screen, w, h)
	t := v.handleTable(sc, iw)
	head := []string{t.Header(term.NewLine(iw, sc.Glyphs).Gap(4), sc.Theme.Faint).Finish()}
	line := func(i int) string { return v.handleLine(sc, t, iw, i) }
	return p.Draw(&sc.Screen, w, h, rows(&v.lines, len(v.rows), ih, head, line))
}

// handleTable is the columns of the list. What is left of a line is for the
// verdict.
func (v *handlesView) handleTable(sc *library.Scene, w int) view.Table {
	kind, uses, issued, used := 0, 6, 14, 12
	for _, h := range v.rows[:min(len(v.rows), 200)] {
		kind, uses = max(kind, len(h.Kind)+2), max(uses, len(h.Uses)+3)
		l := term.NewLine(w, sc.Glyphs)
		drawIssuer(l, sc, h, w)
		issued = max(issued, l.Used+2)
		at := l.Used
		drawSessions(l, sc, h, w)
		used = max(used, l.Used-at+2)
	}
	const verdict = 22
	value, from, in := 20, 0, 0
	uses = min(uses, max(w/8, 14))
	switch {
	case w >= 98:
		if w >= 150 {
			value = 38
		}
		rest := w - 4 - kind - value - uses - verdict
		from = min(issued, max(rest/2, rest-used))
		in = rest - from
	case w >= 76:
		value, from = 18, w-4-18-uses-20
	case w < 56:
		value = 15
	}
	return view.NewTable(w,
		view.Column{Name: "KIND", W: kind, After: 2, From: 98},
		view.Column{Name: "VALUE", W: value, After: 2},
		view.Column{Name: "ISSUED BY", W: from, After: 2},
		view.Column{Name: "USED IN", W: in, After: 2},
		view.Column{Name: "USES", W: uses, After: 2, From: 50},
		view.Column{Name: "VERDICT", W: verdict, From: 30})
}

func (v *handlesView) handleLine(sc *library.Scene, t view.Table, w, i int) string {
	h := v.rows[i]
	chosen := i == v.lines.Sel
	l := hueRow(sc, w, sc.Rec.Hue(sc.Theme, issuer(h)), chosen, !v.reading)
	sign, st, verdict := handleVerdict(sc, h)
	l.Put(st, sign).Gap(4 - l.Used)
	name := term.Plain
	if chosen {
		name = term.Bold
	}
	row := t.Row(l).Put(sc.Theme.Dim, safe.Line(h.Kind))
	row.Draw(func(l *term.Line, c *view.Column) { l.Put(name, handleValue(h, c.W-c.After, sc.Glyphs)) })
	row.Draw(func(l *term.Line, c *view.Column) { drawIssuer(l, sc, h, l.Used+c.W-c.After) })
	row.Draw(func(l *term.Line, c *view.Column) { drawSessions(l, sc, h, l.Used+c.W-c.After) })
	row.Draw(func(l *term.Line, c *view.Column) { l.Segs(handleSigns(sc, h, c.W-c.After)) })
	row.Put(st, verdict)
	return l.Finish()
}

// issuer is the session that a handle was issued in, -1 where that was not seen.
func issuer(h *insight.Handle) int {
	if h.From.N == 0 {
		return library.NoSession
	}
	return h.From.Session
}

// handleVerdict says in words what became of a handle.
func handleVerdict(sc *library.Scene, h *insight.Handle) (safe.Text, term.Style, safe.Text) {
	g, th := sc.Glyphs, sc.Theme
	word := safe.Text(" refused")
	if h.Refused == 0 {
		word = " failed"
	}
	bad := term.Number(h.Bad()) + " of " + term.Number(h.Times) + word
	_, _, broken := h.Break()
	switch {
	case broken:
		return g.Err, th.Err + term.Bold, bad
	case h.Bad() > 0:
		return g.Warn, th.Warn, bad + ", not at the end"
	case h.LeftOut > 0:
		return g.Warn, th.Warn, "left out " + term.Number(h.LeftOut) + " of " + term.Number(h.Times+h.LeftOut)
	case h.Times == 0:
		return g.Ended, th.Dim, "never used"
	case h.Worked == 0:
		return g.Pend, th.Pend, "no response to its use"
	}
	return g.Ok, th.Ok, "used " + term.Number(h.Times) + g.Times
}

// stepSign is what a use looks like in a row of signs.
func stepSign(sc *library.Scene, u *insight.Use) (safe.Text, term.Style) {
	switch {
	case u.Worked():
		return sc.Glyphs.Ok, sc.Theme.Ok
	case u.Ending.Bad():
		return sc.Glyphs.Err, sc.Theme.Err
	case u.LeftOut:
		return sc.Glyphs.Dot, sc.Theme.Warn
	}
	return sc.Glyphs.Pend, sc.Theme.Pend
}

// handleSigns are all uses in order, the middle left out where there is no room
// for it.
func handleSigns(sc *library.Scene, h *insight.Handle, room int) []term.Seg {
	out := []term.Seg{issuedSign(sc, h)}
	skip := max(len(h.Uses)+1-room, 0)
	if skip > 0 || h.Between > 0 {
		skip = max(skip+term.Width(sc.Glyphs.Ellipsis), 1)
	}
	first := min((len(h.Uses)-skip+1)/2, insight.FirstUses)
	for i := range h.Uses {
		switch {
		case skip > 0 && i == first:
			out = append(out, term.S(sc.Theme.Dim, sc.Glyphs.Ellipsis))
		case skip == 0 || i < first || i >= first+skip:
			sign, st := stepSign(sc, &h.Uses[i])
			out = append(out, term.S(st, sign))
		}
	}
	return out
}

// issuedSign says whether it was seen where a handle was issued.
func issuedSign(sc *library.Scene, h *insight.Handle) term.Seg {
	if h.From.N == 0 {
		return term.S(sc.Theme.Dim, sc.Glyphs.Ended)
	}
	return term.S(sc.Rec.Hue(sc.Theme, h.From.Session), sc.Glyphs.Issued)
}

// unknownIssuer says that it was not seen who issued a handle.
const unknownIssuer safe.Text = "issuer not in this recording"

// drawIssuer says up to column end which message issued a handle.
func drawIssuer(l *term.Line, sc *library.Scene, h *insight.Handle, end int) {
	from := &h.From
	if from.N == 0 {
		if term.Width(unknownIssuer)+2 > end-l.Used {
			l.PutMax(sc.Theme.Dim, sc.Glyphs.Ended+" not in recording", end-l.Used)
			return
		}
		l.Put(sc.Theme.Dim, sc.Glyphs.Ended+" "+unknownIssuer)
		return
	}
	ref := view.FrameRef(from.N)
	l.PutMax(sc.Rec.Hue(sc.Theme, from.Session), sc.Rec.SessionName(from.Session), end-l.Used-term.Width(ref)-1).Gap(1)
	l.Put(sc.Theme.Key, ref)
	if l.Used+6 < end {
		_, what := whatOf(from)
		l.Gap(1).PutMax(sc.Theme.Dim, what, end-l.Used)
	}
}

// drawSessions names up to column end the sessions in which a handle was used.
func drawSessions(l *term.Line, sc *library.Scene, h *insight.Handle, end int) {
	var all []int
	for i := range h.Uses {
		if s := h.Uses[i].Session; !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	drawNames(l, sc, all, end)
}

// drawNames names sessions up to column end, in their hues.
func drawNames(l *term.Line, sc *library.Scene, all []int, end int) {
	for i, s := range all {
		name := sc.Rec.SessionName(s)
		more := safe.Text("")
		if i < len(all)-1 {
			more = " +" + term.Number(len(all)-i-1)
		}
		if i > 0 && l.Used+1+term.Width(name)+term.Width(more) > end {
			l.PutMax(sc.Theme.Dim, " +"+term.Number(len(all)-i), end-l.Used)
			return
		}
		if i > 0 {
			l.Gap(1)
		}
		l.PutMax(sc.Rec.Hue(sc.Theme, s), name, end-l.Used-term.Width(more))
	}
}

// whatOf is the method of a use, and what it is about: its target, or the method
// itself.
func whatOf(u *insight.Use) (method, what safe.Text) {
	m, target, ok := strings.Cut(u.What, " ")
	if !ok {
		return safe.Line(m), safe.Line(strings.TrimPrefix(m, mcp.NotificationPrefix))
	}
	return safe.Line(m), safe.Line(target)
}

// handleValue is a value that fits into n cells: its two ends, and of a secret
// little more than nothing.
func handleValue(h *insight.Handle, n int, sg *term.Glyphs) safe.Text {
	switch {
	case strings.HasPrefix(h.Value, "redacted:"):
		return "redacted"
	case h.Secret && len(h.Value) > 12:
		return safe.Line(words.Clip(h.Value, 2)) + sg.Ellipsis + " hidden, " + term.Number(len(h.Value)) + " bytes"
	case h.Secret:
		return "hidden, " + term.Number(len(h.Value)) + " bytes"
	}
	t := safe.Line(h.Value)
	if term.Width(t) <= n {
		return t
	}
	tail := min(4, max(n/3, 1))
	head := max(min(6, n-tail-term.Width(sg.Ellipsis)), 1)
	return term.Cut(t, head, "") + sg.Ellipsis + term.CutLeft(t, term.Width(t)-tail, "")
}
