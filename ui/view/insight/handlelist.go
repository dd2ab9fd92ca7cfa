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
		v.BelowAt = h
		return v.drawEmpty(sc, w, h)
	}
	edge := edges(sc)
	path := 0
	if term.Wide(w) && h >= 27 {
		path = edge + 2 + 2*len(v.lanes(h))
	}
	const ends = 7 // lines of both ends of the value and of the verdict
	list := min(len(v.rows)+1+edge, max(8, h/4, h-path-min(len(v.steps), 8)-1-edge-ends))
	switch {
	case h < 12:
		list = h
	case h < 18:
		list = min(len(v.rows)+1+edge, h-1)
		if h-list < 4 {
			list = h - 1
		}
	}
	v.BelowAt = h
	out := v.drawList(sc, w, list)
	if path > 0 {
		out = append(out, v.drawPath(sc, w, path)...)
	}
	switch rest := h - len(out); {
	case rest == 1:
		v.Below.Fit(len(v.steps), 1)
		out = append(out, v.useTable(sc).Fit(w, len(v.steps), v.stepAt).Row(v.stepAt(v.Below.Sel), true, v.Reading))
	case rest > 1:
		v.BelowAt = len(out)
		out = append(out, v.drawUses(sc, w, rest)...)
	}
	return out
}

func (v *handlesView) drawEmpty(sc *library.Scene, w, h int) []string {
	p := term.Panel{Name: title(sc, "Handles"), State: v.reader.State(sc), Focus: true}
	return nothing(sc, &p, w, h, &v.Lines, func(w int) document.Doc { return v.emptyDoc(sc, w) })
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
	var state []term.Seg
	if v.left > 0 {
		state = append(state, term.S(sc.Theme.Dim, term.Number(v.left)+" values were too many, or too long"))
	}
	p := term.Panel{Name: title(sc, "Handles"), State: view.Join(v.reader.State(sc), state), Focus: !v.Reading}
	row := func(i int) *insight.Handle { return v.rows[i] }
	return view.Rows(&p, handleTable(sc), &v.Lines, len(v.rows), row, w, h)
}

// handleTable is the columns of the list.
func handleTable(sc *library.Scene) *term.Table[*insight.Handle] {
	return &term.Table[*insight.Handle]{
		Screen: &sc.Screen,
		Lead: func(h *insight.Handle) (term.Style, term.Seg) {
			sign, st, _ := handleVerdict(sc, h)
			return sc.Rec.Hue(sc.Theme, issuer(h)), term.S(st, sign)
		},
		Columns: []term.Column[*insight.Handle]{
			{Head: "KIND", Rank: 4, Min: 6, Max: 24, Cell: func(h *insight.Handle) term.Seg {
				return term.S(sc.Theme.Dim, safe.Line(h.Kind))
			}},
			{Head: "VALUE", Min: 13, Max: 18, Flex: 3, Gap: 1, Draw: func(l *term.Line, h *insight.Handle) {
				l.Put(term.Plain, handleValue(h, l.Max-l.Used, sc.Glyphs))
			}},
			{Head: "ISSUED BY", Rank: 2, Min: 12, Max: 30, Flex: 1, Gap: 1, Draw: func(l *term.Line, h *insight.Handle) {
				drawIssuer(l, sc, h, l.Max)
			}},
			{Head: "USED IN", Rank: 3, Min: 10, Max: 26, Gap: 1, Draw: func(l *term.Line, h *insight.Handle) {
				drawSessions(l, sc, h, l.Max)
			}},
			{Head: "USES", Rank: 1, Min: 6, Max: 16, Gap: 1, Draw: func(l *term.Line, h *insight.Handle) {
				l.Segs(handleSigns(sc, h, l.Max-l.Used))
			}},
			{Head: "VERDICT", Min: 9, Max: 26, Gap: 1, Cell: func(h *insight.Handle) term.Seg {
				_, st, verdict := handleVerdict(sc, h)
				return term.S(st, verdict)
			}},
		},
	}
}

// issuer is the session that a handle was issued in, -1 where that was not seen.
func issuer(h *insight.Handle) int {
	if h.From.N == 0 {
		return library.NoSession
	}
	return h.From.Session
}

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
