package insight

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// table is the columns of the list.
func (v *toolsView) table(sc *library.Scene) *term.Table[*itemRow] {
	th := sc.Theme
	count := func(n int, st term.Style) term.Seg {
		if n == 0 {
			return term.S(th.Dim, sc.Glyphs.Dot)
		}
		return term.S(st, term.Number(n))
	}
	plain := func(of func(*itemRow) safe.Text) func(*itemRow) term.Seg {
		return func(it *itemRow) term.Seg { return term.S(term.Plain, of(it)) }
	}
	return &term.Table[*itemRow]{
		Screen: &sc.Screen,
		Lead:   func(it *itemRow) (term.Style, term.Seg) { return it.hue(sc), it.sign(sc) },
		Columns: []term.Column[*itemRow]{
			{Head: [...]safe.Text{"TOOL", "PROMPT", "RESOURCE"}[v.kind], Min: 13, Max: 44, Cell: func(it *itemRow) term.Seg {
				if it.Unused() {
					return term.S(th.Dim, it.label)
				}
				return term.S(term.Bold, it.label)
			}},
			{Head: "CALLS", Min: 5, Right: true, Cell: func(it *itemRow) term.Seg { return count(it.Calls, term.Plain) }},
			{Head: "ERR", Min: 4, Right: true, Cell: func(it *itemRow) term.Seg { return count(it.Bad(), th.Err) }},
			{Head: "P50", Min: 7, Right: true, Rank: 4, Cell: plain(func(it *itemRow) safe.Text {
				return it.took(it.P50)
			})},
			{Head: "P95", Min: 7, Right: true, Rank: 2, Cell: plain(func(it *itemRow) safe.Text {
				return it.took(it.P95)
			})},
			{Head: "MAX", Min: 7, Right: true, Rank: 9, Cell: plain(func(it *itemRow) safe.Text {
				return it.took(it.Max)
			})},
			{Head: "TIME", Min: 6, Right: true, Rank: 6, Cell: plain(func(it *itemRow) safe.Text {
				return share(it.Took, v.list.Took)
			})},
			{Head: "BYTES", Min: 6, Right: true, Rank: 6, Cell: plain(func(it *itemRow) safe.Text {
				return share(it.Bytes, v.list.ResultBytes)
			})},
			{Head: v.approx(sc) + "TOKENS", Min: 8, Right: true, Rank: 3, Cell: func(it *itemRow) term.Seg {
				if it.Size == 0 {
					return term.Seg{}
				}
				return term.S(th.Dim, term.Number(it.Cost.All()))
			}},
			{Head: "CALLED BY", Min: 16, Max: 30, Gap: 1, Rank: 8, Draw: func(l *term.Line, it *itemRow) {
				drawNames(l, sc, it.Sessions, l.Max)
			}},
			{Head: "NOTES", Rank: 1, Min: 16, Max: 34, Flex: 1, Gap: 1, Draw: func(l *term.Line, it *itemRow) {
				v.notes(l, sc, it)
			}},
		},
	}
}

// Draw draws the list, and below it the definition of the selected item and its
// calls, or the definition alone where there is room for one thing only.
func (v *toolsView) Draw(_ view.Host, sc *library.Scene, w, h int) []string {
	v.h = h
	edge := edges(sc)
	v.full = h < 15 || len(v.rows) == 0
	switch {
	case v.full && v.Reading && len(v.rows) > 0:
		v.BelowAt = 0
		return v.drawDefinition(sc, w, h)
	case v.full:
		v.BelowAt = h
		return v.drawList(sc, w, h)
	}
	v.BelowAt = min(len(v.rows)+1+edge+len(v.banner(sc, w)), h/2)
	out, rest := v.drawList(sc, w, v.BelowAt), h-v.BelowAt
	if term.Wide(w) {
		left := w * 2 / 5 // a definition is narrow, calls are not
		return append(out, term.Beside(v.drawDefinition(sc, left, rest), v.drawCalls(sc, w-left, rest))...)
	}
	if v.Reading {
		return append(out, v.drawDefinition(sc, w, rest)...)
	}
	return append(out, v.drawCalls(sc, w, rest)...)
}

func (v *toolsView) drawList(sc *library.Scene, w, h int) []string {
	p := term.Panel{
		Name:  title(sc, v.title()),
		State: view.Join(v.reader.State(sc), v.foot(sc)), Focus: !v.Reading,
	}
	if len(v.rows) == 0 {
		return nothing(sc, &p, w, h, &v.Lines, func(w int) document.Doc { return v.emptyDoc(sc, w) })
	}
	iw, _ := p.Inner(&sc.Screen, w, h)
	row := func(i int) *itemRow { return &v.rows[i] }
	return view.Rows(&p, v.table(sc), &v.Lines, len(v.rows), row, w, h, v.banner(sc, iw)...)
}

func (v *toolsView) title() safe.Text {
	return [...]safe.Text{"Tools", "Prompts", "Resources"}[v.kind]
}

func (v *toolsView) foot(sc *library.Scene) []term.Seg {
	if !v.answered || len(v.rows) == 0 {
		return nil
	}
	var out []term.Seg
	if v.list.Never > 0 {
		out = append(out, term.S(sc.Theme.Warn, term.Number(v.list.Never)+" never "+v.used()), term.S(term.Plain, "   "))
	}
	if v.list.LeftOut > 0 {
		out = append(out, term.S(sc.Theme.Warn, term.Number(v.list.LeftOut)+" more are not kept"), term.S(term.Plain, "   "))
	}
	return append(out, term.Spare(1, term.S(sc.Theme.Dim, "sort "), term.S(sc.Theme.Key, v.order.String()))...)
}

func (v *toolsView) used() safe.Text {
	return [...]safe.Text{"called", "asked for", "read"}[v.kind]
}

// banner is a line above the list about a list that never came.
func (v *toolsView) banner(sc *library.Scene, w int) []string {
	if !v.answered || v.list.Response != 0 || len(v.rows) == 0 {
		return nil
	}
	l := term.NewLine(w, sc.Glyphs).Gap(1).Put(sc.Theme.Warn+term.Bold, sc.Glyphs.Warn+" "+v.unlisted())
	return []string{l.Finish()}
}

// unlisted says why nothing is known of what the server offers.
func (v *toolsView) unlisted() safe.Text {
	method := itemWord(v.kind) + "s/list"
	l := &v.list.Listing
	switch {
	case l.Refused > l.Request && l.Code != 0:
		return "the server refused " + method + " with error " + safe.Int(int(l.Code)) + " (" + view.FrameRef(l.Refused) + ")"
	case l.Refused > 0:
		return "the server refused " + method + " (" + view.FrameRef(l.Refused) + ")"
	case l.Request > 0:
		return method + " (" + view.FrameRef(l.Request) + ") got no response"
	}
	return "the client never asked for " + method
}

func (v *toolsView) emptyDoc(sc *library.Scene, w int) document.Doc {
	d := document.Doc{Width: w}
	what := v.Name()
	if view.Unread(sc, &d, sc.Rec, v.answered) {
		return d
	}
	switch {
	case v.list.Response != 0:
		d.Text(term.Plain, "The server has no "+what+": its list ("+view.FrameRef(v.list.Response)+") is empty.")
	case v.list.Refused != 0 || v.list.Request != 0:
		d.Text(term.Plain, "No "+what+" are known: "+v.unlisted()+".")
	default:
		d.Text(term.Plain, "No "+what+": "+v.unlisted()+", and asked for none by name.")
		if sc.Rec.Live {
			d.Text(sc.Theme.Dim, "they appear here as soon as it does")
		}
	}
	d.Blank()
	key, dim, next := sc.Theme.Key, sc.Theme.Dim, itemWord((v.kind+1)%insight.Kinds)+"s"
	d.Add(term.S(key, "v"), term.S(dim, " shows "+next), term.S(key, "   esc"), term.S(dim, " goes back"))
	return d
}

func (v *toolsView) approx(sc *library.Scene) safe.Text {
	if sc.ASCII {
		return "~"
	}
	return "≈"
}

func share(n, of int64) safe.Text {
	switch {
	case n == 0 || of == 0:
		return ""
	case n*100 < of:
		return "<1%"
	}
	return safe.Int((n*100+of/2)/of) + "%"
}

// hue is that of the session that calls an item, if it is one.
func (it *itemRow) hue(sc *library.Scene) term.Style {
	if len(it.Sessions) == 1 {
		return sc.Rec.Hue(sc.Theme, it.Sessions[0])
	}
	return sc.Theme.Frame
}

func (it *itemRow) sign(sc *library.Scene) term.Seg {
	switch {
	case it.Bad() > 0:
		return term.S(sc.Theme.Err, sc.Glyphs.Err)
	case it.Listed == 0 || it.Gone:
		return term.S(sc.Theme.Warn, sc.Glyphs.Warn)
	case it.Unused():
		return term.S(sc.Theme.Dim, sc.Glyphs.Ended)
	case it.Pending > 0:
		return term.S(sc.Theme.Pend, sc.Glyphs.Pend)
	}
	return term.S(sc.Theme.Ok, sc.Glyphs.Ok)
}

func (it *itemRow) took(ns int64) safe.Text {
	if it.Max == 0 {
		return ""
	}
	return term.Duration(ns)
}

// notes says what is remarkable of an item, what is found about it last: it is
// the longest, and stands below the list in full.
func (v *toolsView) notes(l *term.Line, sc *library.Scene, it *itemRow) {
	first := true
	note := func(st term.Style, t safe.Text) {
		if !first {
			l.Put(sc.Theme.Dim, " "+sc.Glyphs.Dot+" ")
		}
		first = false
		l.Put(st, t)
	}
	if it.Lost > 0 {
		note(sc.Theme.Err, term.Number(it.Lost)+" lost")
	}
	if it.Pending > 0 && (!sc.Rec.Live || it.Calls == it.Pending) {
		note(sc.Theme.Pend, term.Number(it.Pending)+" without response")
	}
	if it.Cancelled > 0 {
		note(sc.Theme.Dim, term.Number(it.Cancelled)+" cancelled")
	}
	if it.Listed == 0 && v.list.Response != 0 {
		note(sc.Theme.Warn, [...]safe.Text{"called, and in no list", "asked for, and in no list", "read, and in no list"}[v.kind])
	}
	if it.Gone {
		note(sc.Theme.Warn, "no longer listed")
	}
	if it.Unused() && !it.Template {
		note(sc.Theme.Warn, "never "+v.used())
	}
	for _, one := range []struct {
		is bool
		t  safe.Text
	}{{it.Template, "template"}, {it.marks.destructive, "destructiveHint"}, {it.marks.readOnly, "readOnlyHint"}, {it.Rounds > 0, term.Count(it.Rounds, "further round")}} {
		if one.is {
			note(sc.Theme.Dim, one.t)
		}
	}
	for _, f := range it.found {
		sign, st := sc.Severity(f.at)
		note(st, sign+" "+view.Times(sc, f.n)+space(f.n > 1)+safe.Line(f.rule.Title))
	}
}

func space(is bool) safe.Text {
	if is {
		return " "
	}
	return ""
}

func (v *toolsView) State(h view.Host) []term.Seg {
	sc := h.Scene()
	if !v.answered {
		return v.reader.State(sc)
	}
	dot := " " + sc.Glyphs.Dot + " "
	t := term.Count(len(v.rows), itemWord(v.kind)) + dot + term.Count(v.list.Calls, [...]safe.Text{"call", "request", "read"}[v.kind])
	out := []term.Seg{term.S(sc.Theme.Dim, t)}
	if v.list.Bytes > 0 {
		size := dot + "definitions " + v.approx(sc) + " " + term.Number(v.list.Tokens) + " tokens"
		out = append(out, term.Spare(1, term.S(sc.Theme.Dim, size))...)
		if v.list.ResultTokens > 0 {
			out = append(out, term.Spare(2, term.S(sc.Theme.Dim, ", results "+term.Number(v.list.ResultTokens)))...)
		}
	}
	return out
}

// Click selects a line; again it shows its calls.
func (v *toolsView) Click(h view.Host, _, y int) tea.Cmd {
	if v.Reading = y >= v.BelowAt; v.Reading {
		return nil
	}
	again, ok := v.Lines.PickLine(y - (v.BelowAt - v.Lines.Height) + edges(h.Scene()) - 1)
	if ok && again {
		return onlyItem(h, v.kind, v.selected())
	}
	return nil
}
