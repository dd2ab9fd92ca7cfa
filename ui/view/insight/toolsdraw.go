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

// table is the columns of the list. What is left of a line is for the notes.
func (v *toolsView) table(sc *library.Scene, w int) view.Table {
	longest, share := 10, w/4
	for i := range v.rows {
		longest = max(longest, min(len(v.rows[i].label), 60)+1)
	}
	if v.kind == insight.Resource {
		share = w / 3
	}
	activity := safe.Text("ACTIVITY")
	if sc.Rec.Live {
		activity = "LAST 60 S"
	}
	return view.NewTable(w,
		view.Column{Name: [...]safe.Text{"TOOL", "PROMPT", "RESOURCE"}[v.kind], W: min(longest, max(share, 14)), After: 1},
		view.Column{Name: "CALLS", W: 6, Right: true},
		view.Column{Name: "ERR", W: 5, Right: true},
		view.Column{Name: "P50", W: 8, Right: true, From: 76},
		view.Column{Name: "P95", W: 8, Right: true, From: 56},
		view.Column{Name: "MAX", W: 8, Right: true, From: 130},
		view.Column{Name: "TIME", W: 7, Right: true, From: 110},
		view.Column{Name: "BYTES", W: 7, Right: true, From: 110},
		view.Column{Name: activity, W: insight.Buckets, Before: 2, From: 96},
		view.Column{Name: v.approx(sc) + "TOKENS", W: 9, Right: true, From: 76},
		view.Column{Name: "CALLED BY", W: 20, Before: 2, From: 150})
}

// Draw draws the list, and below it the definition of the selected item and its
// calls, or the definition alone where there is room for one thing only.
func (v *toolsView) Draw(_ view.Host, sc *library.Scene, w, h int) []string {
	v.h = h
	edge := edges(sc)
	v.full = h < 15 || len(v.rows) == 0
	switch {
	case v.full && v.reading && len(v.rows) > 0:
		v.listH = 0
		return v.drawDefinition(sc, w, h)
	case v.full:
		v.listH = h
		return v.drawList(sc, w, h)
	}
	v.listH = min(len(v.rows)+1+edge+len(v.banner(sc, w)), h/2)
	out, rest := v.drawList(sc, w, v.listH), h-v.listH
	if w >= 100 {
		left := w / 2
		a, b := v.drawDefinition(sc, left, rest), v.drawCalls(sc, w-left, rest)
		for i := range a {
			out = append(out, a[i]+b[i])
		}
		return out
	}
	if v.reading {
		return append(out, v.drawDefinition(sc, w, rest)...)
	}
	return append(out, v.drawCalls(sc, w, rest)...)
}

func (v *toolsView) drawList(sc *library.Scene, w, h int) []string {
	p := term.Panel{
		Name:  title(sc, v.title()),
		State: view.Join(v.reader.State(sc), v.foot(sc)), Focus: !v.reading,
	}
	if len(v.rows) == 0 {
		return nothing(sc, &p, w, h, &v.lines, func(w int) document.Doc { return v.emptyDoc(sc, w) })
	}
	iw, ih := p.Inner(&sc.Screen, w, h)
	t := v.table(sc, iw)
	body := v.banner(sc, iw)
	if ih > 2 {
		l := term.NewLine(iw, sc.Glyphs).Gap(4)
		body = append(body, t.Header(l, sc.Theme.Faint).Gap(2).Put(sc.Theme.Faint, "NOTES").Finish())
	}
	line := func(i int) string { return v.line(sc, t, iw, i) }
	return p.Draw(&sc.Screen, w, h, rows(&v.lines, len(v.rows), ih, body, line))
}

func (v *toolsView) title() safe.Text {
	return [...]safe.Text{"Tools", "Prompts", "Resources"}[v.kind]
}

// foot says what stands at the right of the title.
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
	if sc.Width >= 60 {
		out = append(out, term.S(sc.Theme.Dim, "sort "), term.S(sc.Theme.Key, v.order.String()))
	}
	return out
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

// approx marks an estimate.
func (v *toolsView) approx(sc *library.Scene) safe.Text {
	if sc.ASCII {
		return "~"
	}
	return "≈"
}

// tokens is about how many tokens so many bytes of JSON are.
func tokens(bytes int) int { return (bytes + 3) / 4 }

func (v *toolsView) line(sc *library.Scene, t view.Table, w, i int) string {
	it := &v.rows[i]
	l := hueRow(sc, w, it.hue(sc), i == v.lines.Sel, !v.reading)
	sign, st := it.sign(sc)
	name := term.Bold
	if it.Never() {
		name = sc.Theme.Dim
	}
	l.Put(st, sign).Gap(4 - l.Used)
	number := func(n int, st term.Style) (term.Style, safe.Text) {
		if n == 0 {
			return sc.Theme.Dim, sc.Glyphs.Dot
		}
		return st, term.Number(n)
	}
	row := t.Row(l).Put(name, it.label)
	row.Put(number(it.Calls, term.Plain)).Put(number(it.Bad(), sc.Theme.Err)).
		Put(term.Plain, it.took(it.P50)).Put(term.Plain, it.took(it.P95)).Put(term.Plain, it.took(it.Max)).
		Put(term.Plain, share(it.Took, v.list.Took)).Put(term.Plain, share(it.Bytes, v.list.ResultBytes))
	row.Draw(func(l *term.Line, _ *view.Column) { l.Segs(v.spark(sc, it)) })
	size := safe.Text("")
	if it.Size > 0 {
		size = term.Number(tokens(it.Size))
	}
	row.Put(sc.Theme.Dim, size)
	row.Draw(func(l *term.Line, c *view.Column) { drawNames(l, sc, it.Sessions, l.Used+c.W) })
	l.Gap(2)
	v.notes(l, sc, it)
	return l.Finish()
}

// share is how much of all something is, nothing for nothing.
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

// sign says at a glance how an item does.
func (it *itemRow) sign(sc *library.Scene) (safe.Text, term.Style) {
	switch {
	case it.Bad() > 0:
		return sc.Glyphs.Err, sc.Theme.Err
	case it.Listed == 0 || it.Gone:
		return sc.Glyphs.Warn, sc.Theme.Warn
	case it.Never():
		return sc.Glyphs.Ended, sc.Theme.Dim
	case it.Pending > 0:
		return sc.Glyphs.Pend, sc.Theme.Pend
	}
	return sc.Glyphs.Ok, sc.Theme.Ok
}

func (it *itemRow) took(ns int64) safe.Text {
	if it.Max == 0 {
		return ""
	}
	return term.Duration(ns)
}

// spark draws the calls over the time of the session that is shown, or of the
// recording; of a live one those of the last minute.
func (v *toolsView) spark(sc *library.Scene, it *itemRow) []term.Seg {
	if it.Calls == 0 {
		return nil
	}
	slots := make([]term.Slot, insight.Buckets)
	if sc.Rec.Live {
		for i, n := range it.Recent.Until(max(v.now, int64(sc.Now.Sub(sc.Rec.Started)))) {
			slots[i].N = int(n)
		}
	} else {
		all, bad := it.Course.Between(v.from, v.now, insight.Buckets)
		for i := range slots {
			slots[i] = term.Slot{N: all[i], Failed: bad[i] > 0}
		}
	}
	hue := sc.Theme.Dim
	if len(it.Sessions) == 1 {
		hue = it.hue(sc)
	}
	return term.Spark(&sc.Screen, hue, slots, true)
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
	if it.Never() && !it.Template {
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
	if sc.Width >= 70 && v.list.Bytes > 0 {
		t += dot + "definitions " + v.approx(sc) + " " + term.Number(tokens(v.list.Bytes)) + " tokens"
	}
	return []term.Seg{term.S(sc.Theme.Dim, t)}
}

// Click selects a line; again it shows its calls.
func (v *toolsView) Click(h view.Host, _, y int) tea.Cmd {
	if v.reading = y >= v.listH; v.reading {
		return nil
	}
	again, ok := v.lines.PickLine(y - (v.listH - v.lines.Height) + edges(h.Scene()) - 1)
	if ok && again {
		return onlyItem(h, v.kind, v.selected())
	}
	return nil
}
