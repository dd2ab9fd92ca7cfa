package insight

import (
	"strings"

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
	return view.NewTable(w,
		view.Column{Name: "name", W: min(longest, max(share, 14)), After: 1},
		view.Column{Name: "calls", W: 6, Right: true},
		view.Column{Name: "err", W: 5, Right: true},
		view.Column{Name: "p50", W: 8, Right: true, From: 76},
		view.Column{Name: "p95", W: 8, Right: true, From: 60},
		view.Column{Name: "max", W: 8, Right: true, From: 100},
		view.Column{Name: "last 60 s", W: insight.Buckets, Before: 2, From: 100},
		view.Column{Name: v.approx(sc) + "tokens", W: 8, Right: true, From: 76})
}

// draw draws the list, and the definition of the selected one below it or in
// its place.
func (v *toolsView) Draw(_ view.Host, sc *library.Scene, w, h int) []string {
	v.h = h
	if !v.open {
		return v.drawList(sc, w, h)
	}
	if h < 16 {
		return v.drawDefinition(sc, w, h)
	}
	top := min(len(v.rows)+2, h/2)
	return append(v.drawList(sc, w, top), v.drawDefinition(sc, w, h-top)...)
}

func (v *toolsView) drawList(sc *library.Scene, w, h int) []string {
	title := view.Title(sc, w, v.title(), !v.reading || !v.open, view.Join(v.foot(sc), v.reader.state(sc))...).Finish()
	head := append([]string{title}, v.banner(sc, w)...)
	if len(v.rows) == 0 {
		d := v.emptyDoc(sc, w-6)
		return view.Nothing(sc, w, h, title, &d, &v.lines)
	}
	t := v.table(sc, w)
	if h > 3 {
		l := term.NewLine(w, sc.Glyphs).Gap(3)
		head = append(head, t.Header(l, sc.Theme.Dim).Gap(2).Put(sc.Theme.Dim, "notes").Finish())
	}
	line := func(i int) string { return v.line(sc, t, w, i) }
	return view.List(w, h, head, &v.lines, len(v.rows), line)
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
		out = append(out, term.S(sc.Theme.Dim, v.order.String()))
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
	l := term.NewLine(w, sc.Glyphs).Gap(1).Put(sc.Theme.Warn+term.Bold, sc.Glyphs.Warn+" "+v.unlisted(sc))
	return []string{l.Finish()}
}

// unlisted says why nothing is known of what the server offers.
func (v *toolsView) unlisted(sc *library.Scene) safe.Text {
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
		d.Text(term.Plain, "No "+what+" are known: "+v.unlisted(sc)+".")
	default:
		d.Text(term.Plain, "No "+what+": "+v.unlisted(sc)+", and asked for none by name.")
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
	l := sc.Row(w, i == v.lines.Sel, !v.open || !v.reading)
	sign, st := it.sign(sc)
	name := term.Plain
	if it.Never() {
		name = sc.Theme.Dim
	}
	l.Put(st, sign).Gap(3 - l.Used)
	calls, bad, size := sc.Theme.Dim, safe.Text(""), safe.Text("")
	if it.Calls > 0 {
		calls = term.Plain
	}
	if it.Bad() > 0 {
		bad = term.Number(it.Bad())
	}
	if it.Size > 0 {
		size = term.Number(tokens(it.Size))
	}
	t.Row(l).Put(name, it.label).Put(calls, term.Number(it.Calls)).Put(sc.Theme.Err, bad).
		Put(term.Plain, it.took(it.P50)).Put(term.Plain, it.took(it.P95)).Put(term.Plain, it.took(it.Max)).
		Put(sc.Theme.ToServer, v.spark(sc, it)).Put(sc.Theme.Dim, size)
	l.Gap(2)
	v.notes(l, sc, it)
	return l.Finish()
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

var (
	sparks      = [...]string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
	asciiSparks = [...]string{"_", ".", ":", "-", "=", "+", "*", "#"}
)

// spark draws the calls of the last minute, the latest at the right.
func (v *toolsView) spark(sc *library.Scene, it *itemRow) safe.Text {
	if it.Calls == 0 {
		return ""
	}
	until := v.now
	if sc.Rec.Live {
		until = max(until, int64(sc.Now.Sub(sc.Rec.Started)))
	}
	counts := it.Recent.Until(until)
	most := uint32(4) // one call is no peak
	for _, n := range counts {
		most = max(most, n)
	}
	set := &sparks
	if sc.ASCII {
		set = &asciiSparks
	}
	var b strings.Builder
	for _, n := range counts {
		i := 0
		if n > 0 {
			i = max(1, int(uint64(n)*uint64(len(set)-1)/uint64(most)))
		}
		b.WriteString(set[i])
	}
	return safe.Line(b.String())
}

// notes says what is remarkable of an item, the worst first.
func (v *toolsView) notes(l *term.Line, sc *library.Scene, it *itemRow) {
	first := true
	note := func(st term.Style, t safe.Text) {
		if !first {
			l.Put(sc.Theme.Dim, " "+sc.Glyphs.Dot+" ")
		}
		first = false
		l.Put(st, t)
	}
	for i, f := range it.found {
		if i == 3 {
			note(sc.Theme.Dim, term.Number(len(it.found)-i)+" more rules")
			break
		}
		sign, st := sc.Severity(f.at)
		note(st, sign+" "+view.Times(sc, f.n)+space(f.n > 1)+safe.Line(f.rule.ID))
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
		return v.reader.state(sc)
	}
	dot := " " + sc.Glyphs.Dot + " "
	t := term.Count(len(v.rows), itemWord(v.kind)) + dot + term.Count(v.list.Calls, [...]safe.Text{"call", "request", "read"}[v.kind])
	if sc.Width >= 70 && v.list.Bytes > 0 {
		t += dot + "definitions " + v.approx(sc) + " " + term.Number(tokens(v.list.Bytes)) + " tokens"
	}
	return []term.Seg{term.S(sc.Theme.Dim, t)}
}

// click selects a line; again it shows its calls.
func (v *toolsView) Click(h view.Host, _, y int) tea.Cmd {
	top := v.h
	if v.open && v.h >= 16 {
		top = min(len(v.rows)+2, v.h/2)
	}
	if v.open && (v.h < 16 || y >= top) {
		v.reading = true
		return nil
	}
	v.reading = false
	again, ok := v.lines.PickLine(y - (top - v.lines.Height))
	if ok && again {
		return onlyItem(h, v.kind, v.selected())
	}
	return nil
}
